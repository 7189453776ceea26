import Logging
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension UrlDataResponse {
    /// `GET https://example.com/users/1`, secrets masked.
    var requestLine: String {
        "\(request.method) \(Redaction.standard.url(request.url.absoluteString))"
    }
}
