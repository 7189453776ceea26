import Foundation
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Creates a configuration that stores nothing on disk and follows the sender's configuration. A `stall` of nil
    /// becomes seven days.
    ///
    /// - Parameter made: what is changed.
    static func make(
        _ configuration: SenderConfiguration, from made: URLSessionConfiguration = .ephemeral
    ) -> URLSessionConfiguration {
        made.urlCache = nil
        made.requestCachePolicy = .reloadIgnoringLocalCacheData
        made.urlCredentialStorage = nil
        made.httpMaximumConnectionsPerHost = configuration.limits.requestsPerOrigin
        made.timeoutIntervalForRequest = configuration.timeouts.stall.map { $0 / .seconds(1) } ?? 7 * 86_400
        if configuration.proxy == .none { made.connectionProxyDictionary = [:] }
        if configuration.cookies == .off {
            made.httpCookieStorage = nil
            made.httpShouldSetCookies = false
            made.httpCookieAcceptPolicy = .never
        }
        return made
    }
}
