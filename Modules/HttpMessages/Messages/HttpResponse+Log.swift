package import Logging

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension HttpResponse {
    /// Headers and body for a log, with secrets masked; empty when there are neither.
    package func details(_ redaction: Redaction) -> String {
        let body = BodyExcerpt.of(data, contentType: headers["Content-Type"], redaction)
        return [headers.lines(redaction), body].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }
}
