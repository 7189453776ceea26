package import Logging
public import NodeCore

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

extension HttpResponse {
    /// Headers and body for a log, with secrets masked; empty when there are neither.
    package func details(_ redaction: Redaction) -> String {
        let body = BodyExcerpt.of(data, contentType: headers["Content-Type"], redaction)
        return [headers.lines(redaction), body].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}

extension HttpHeaders {
    /// The fields for a log, one a line; secrets masked.
    package func lines(_ redaction: Redaction) -> String {
        redaction.headers(fields.map { ($0.name, $0.value) }).map { "\($0.0): \($0.1)" }.joined(separator: "\n")
    }
}

extension HttpHeaders {
    /// The fields; secrets masked.
    package var inOneLine: String {
        fields.map(\.description).joined(separator: ", ")
    }
}

extension HttpHeaders: MaskedValue {
    /// The fields, one a line; secrets masked.
    public var description: String {
        lines(.standard)
    }
}

extension HttpHeaders.Field: MaskedValue {
    /// Name and value; a secret masked.
    public var description: String {
        "\(name): \(Redaction.standard.header(name, value))"
    }
}
