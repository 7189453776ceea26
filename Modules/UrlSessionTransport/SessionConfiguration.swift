import Foundation
import UrlTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSessionConfiguration {
    /// Creates a configuration that stores nothing on disk and follows the sender's configuration. A `stall` of nil
    /// becomes seven days.
    static func make(_ configuration: SenderConfiguration) -> URLSessionConfiguration {
        let made = URLSessionConfiguration.ephemeral
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

extension SenderConfiguration {
    /// Fails for settings that URLSession has no counterpart for.
    func validateForUrlSession() throws {
        let defaults = SenderConfiguration()
        let hasDefaultTls =
            tls.verifiesServer && tls.authorities == .system && tls.pins.isEmpty && tls.clientCertificate == nil
            && tls.minimumVersion == defaults.tls.minimumVersion && tls.requiresCloseNotify
        try require(hasDefaultTls, "tls")
        #if canImport(FoundationNetworking)
        // FoundationNetworking uses libcurl, which reads `SSLKEYLOGFILE`.
        try require(tls.allowsKeyLog, "tls.allowsKeyLog")
        #endif
        try require(proxy == .environment || proxy == .none, "proxy")
        try require(httpVersion == .automatic, "httpVersion")
        try require(timeouts.connect == defaults.timeouts.connect, "timeouts.connect")
        try require(limits.headerSize == defaults.limits.headerSize, "limits.headerSize")
        try require(limits.idleConnections == defaults.limits.idleConnections, "limits.idleConnections")
        try require(limits.lowestSpeed == defaults.limits.lowestSpeed, "limits.lowestSpeed")
        try require(compression, "compression")
        try require(loops == 1, "loops")
        try require(resending == .idempotent, "resending")
    }

    private func require(_ condition: Bool, _ setting: String) throws {
        guard condition else {
            throw SenderConfigurationError(setting: setting, reason: "URLSession can't do other than the default")
        }
    }
}
