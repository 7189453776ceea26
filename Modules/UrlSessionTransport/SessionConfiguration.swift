import Foundation
import HttpMessages

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
        made.timeoutIntervalForRequest = StallClock.limit(nil, configuration.timeouts.stall).timeoutInterval
        if configuration.proxy == .none { made.connectionProxyDictionary = [:] }
        // They would be sent to another origin after a redirect, too.
        made.httpAdditionalHeaders = nil
        // The sender sets them beside those of the request, which the session would replace.
        made.httpShouldSetCookies = false
        switch configuration.cookies {
        case .off:
            made.httpCookieStorage = nil
            made.httpCookieAcceptPolicy = .never
        case .memory: made.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        }
        return made
    }
}

extension Duration? {
    /// The interval for the session: seven days for no limit, and for one that the sender checks itself.
    var timeoutInterval: Double {
        guard let limit = self, limit.stallClock == nil else { return 7 * 86_400 }
        return limit / .seconds(1)
    }
}

extension Duration {
    /// FoundationNetworking drops fractions of a second, so the sender detects such a stall; nil for other limits.
    var stallClock: StallClock? {
        #if canImport(FoundationNetworking)
        components.attoseconds == 0 ? nil : StallClock(limit: self)
        #else
        nil
        #endif
    }
}
