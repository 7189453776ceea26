import Logging

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HttpRequest {
    /// Headers and body for a log, with secrets masked; empty when there are neither.
    package func details(_ redaction: Redaction) -> String {
        let body = BodyExcerpt.of(body, contentType: headers["Content-Type"], redaction)
        return [headers.lines(redaction), body].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Method, URL and the body's size for a log, with secrets masked. The closure doesn't retain the body.
    package var line: @Sendable (Redaction) -> String {
        let (method, url, body) = (method, url, body.isEmpty ? "" : ", \(body)")
        return { redaction in "\(method) \(redaction.url(url.absoluteString))\(body)" }
    }
}

extension HttpRequest {
    /// Method, URL and attempt, for the log events of this request.
    package var logDetails: Log.Details {
        var details = Log.Details()
        details.method = method.rawValue
        details.url = url.absoluteString
        details.attempt = attempt
        return details
    }
}
