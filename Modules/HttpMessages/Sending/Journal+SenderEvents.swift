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

    /// Logs that the sender sends the request again, because a response says so: it can't be used.
    package func noteResending(of request: HttpRequest, after status: Int) {
        appendAttempt(of: request, by: senderId, nil, status: status)
        append(
            Log(id: senderId, level: .warning, kind: .retry, details: request.logDetails) {
                [attempt = request.attempt] _ in
                "attempt \(attempt) failed, the sender sends the request again: its response, status \(status), "
                    + "can't be used"
            })
    }

    /// Logs that the sender opens another connection, because one died before anything was sent.
    package func noteReconnection(of request: HttpRequest, after error: TransportError) {
        var details = request.logDetails
        details.error = error
        append(
            Log(id: senderId, kind: .retry, details: details) { redaction in
                "nothing was sent, the sender opens another connection: \(redaction.text("\(error)"))"
            })
    }
}
