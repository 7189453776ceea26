import Logging
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UrlDataResponse {
    /// Status, size and headers for a log; secrets masked.
    func summary(_ redaction: Redaction) -> String {
        let fields = redaction.headers(headers.fields.map { ($0.name, $0.value) })
        return (["status \(statusCode), \(data.count) bytes"] + fields.map { "\($0.0): \($0.1)" })
            .joined(separator: "\n")
    }

    /// `GET https://example.com/users/1`, secrets masked.
    var requestLine: String {
        "\(request.method) \(Redaction.standard.url(request.url.absoluteString))"
    }
}
