import Logging
package import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The log events of a sender's own decisions. A sender doesn't know the node that called it, so the id is that of the
// default chain's sender node.
private let senderId = "RequestSenderNode"

extension Observer where Value == HttpResponse {
    /// Logs that a redirect is followed. Called by the sender.
    package func noteRedirect(_ status: Int, to next: HttpRequest) {
        guard let journal else { return }
        var details = next.logDetails
        details.status = status
        journal.append(
            Log(id: senderId, kind: .redirect, details: details) { [next = next.line] redaction in
                "status \(status), redirected to \(next(redaction))"
            })
    }

    /// Logs that the sender sends the request again after its connection was lost.
    func noteResending(of request: HttpRequest, after error: TransportError) {
        journal?.appendAttempt(of: request, by: senderId, error.metrics, error: error)
        noteResending(of: request, error: error, because: "\(error)")
    }

    /// Logs that the sender sends a modified request after the server rejected it.
    func noteResending(of request: HttpRequest, after status: Int) {
        journal?.appendAttempt(of: request, by: senderId, nil, status: status)
        noteResending(of: request, error: nil, because: "its response, status \(status), can't be used")
    }

    private func noteResending(
        of request: HttpRequest, error: TransportError?, because reason: @autoclosure @escaping @Sendable () -> String
    ) {
        guard let journal else { return }
        var details = request.logDetails
        details.error = error
        journal.append(
            Log(id: senderId, level: .warning, kind: .retry, details: details) { [attempt = request.attempt] in
                "attempt \(attempt) failed, the sender sends the request again: \(reason())"
            })
    }
}
