import Logging
package import NodeCore

// The log events of a sender's own decisions. A sender doesn't know the node that called it, so the id is that of the
// default chain's sender node.
private let senderId = "RequestSenderNode"

extension Journal {
    /// Logs that a redirect is followed. Called by the sender.
    package func noteRedirect(_ status: Int, to next: HttpRequest) {
        var details = next.logDetails
        details.status = status
        append(
            Log(id: senderId, kind: .redirect, details: details) { [next = next.line] redaction in
                "status \(status), redirected to \(next(redaction))"
            })
    }

    /// Logs that the sender sends the request again.
    ///
    /// - Parameters:
    ///   - error: why its connection was lost; nil after a response that can't be used.
    ///   - status: that of the response.
    package func noteResending(of request: HttpRequest, after error: TransportError?, status: Int) {
        appendAttempt(
            of: request, by: senderId, error?.metrics, status: error == nil ? status : nil, error: error)
        var details = request.logDetails
        details.error = error
        append(
            Log(id: senderId, level: .warning, kind: .retry, details: details) {
                [attempt = request.attempt] redaction in
                "attempt \(attempt) failed, the sender sends the request again: "
                    + (error.map { redaction.text("\($0)") } ?? "its response, status \(status), can't be used")
            })
    }
}
