import Logging
package import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What a sender does by itself, in the chain's log. A sender doesn't know the node that asked, so the id is that of the
// default chain's.
private let senderId = "RequestSenderNode"

extension Observer where Value == HttpResponse {
    /// Writes that a redirect is followed. Called by the sender, when it happens.
    package func noteRedirect(_ status: Int, to next: HttpRequest) {
        guard let journal else { return }
        var details = next.logDetails
        details.status = status
        journal.append(
            Log(id: senderId, kind: .redirect, details: details) { [next = next.line] redaction in
                "status \(status), redirected to \(next(redaction))"
            })
    }

    /// Writes that the sender sends the request again, since its connection broke.
    func noteResending(of request: HttpRequest, after error: TransportError) {
        journal?.appendAttempt(of: request, by: senderId, error.metrics, error: error)
        noteResending(of: request, error: error, because: "\(error)")
    }

    /// Writes that the sender sends the request again in another form, since the server rejected it.
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
