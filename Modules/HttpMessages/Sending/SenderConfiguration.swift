/// How a sender works, as far as all senders have the settings: timeouts, limits, redirects. The defaults are safe.
///
/// ```swift
/// var configuration = SenderConfiguration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.limits.requestsPerOrigin = 8
/// let sender = try DefaultRequestSender.make(configuration)
/// ```
///
/// The libcurl sender has more settings: ``CurlConfiguration``.
///
/// The initializer of a sender throws ``SenderConfigurationError`` for settings that can't work or would be unsafe by
/// mistake.
public struct SenderConfiguration: Sendable {
    /// Time limits.
    public struct Timeouts: Sendable {
        /// The time until the whole response has arrived, redirects included. nil, the default, for no limit.
        public var request: Duration?
        /// The longest time without a byte in either direction, or below libcurl's `minimumThroughput`; nil or zero for no
        /// limit. A minute by default. The libcurl sender may detect a stall two seconds later.
        public var stall: Duration? = .seconds(60)
    }

    /// Size and count limits.
    public struct Limits: Sendable {
        /// The maximum size of a response body in memory in bytes, after decompression. The libcurl sender also limits
        /// the received size of a compressed body. A larger body fails with
        /// ``TransportError/Code/responseTooLarge``. Files and streams have no limit. 256 MiB by default.
        public var responseSize = 256 << 20
        /// The maximum number of requests in progress to one origin (scheme, host, port). More requests wait in the
        /// queue. A redirected request counts at its first origin. 64 by default.
        public var requestsPerOrigin = 64
    }

    /// How redirects are handled (RFC 9110 §15.4).
    public struct Redirects: Sendable {
        /// The number of redirects that are followed; one more fails the request. 0 passes the redirect itself to the
        /// chain. 20 by default.
        public var limit = 20
        /// Whether a redirect may lead from https to http. No by default.
        public var allowsInsecure = false
        /// Headers that are secrets, in addition to those that `Redaction.standard` masks, those that the application's
        /// redaction masks, and the header of a client's `auth`. The names are case-insensitive.
        ///
        /// Secrets are removed when scheme, host or port changes, and a client doesn't send them to another origin. The
        /// log and HAR files mask them. A redirect to another origin removes `Host`, too.
        public var sensitiveHeaders: Set<String> = ["X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token"]
    }

    /// The proxy to use.
    public enum Proxy: Hashable, Sendable {
        /// The proxy of the system: of the environment on Linux.
        case system
        /// No proxy.
        case none
    }

    /// Whether cookies are kept.
    public enum Cookies: Hashable, Sendable {
        /// Cookies are neither stored nor sent, except those that a request sets itself.
        case off
        /// Cookies are stored in memory until the sender is released.
        case memory
    }

    /// Time limits.
    public var timeouts = Timeouts()
    /// Size and count limits.
    public var limits = Limits()
    /// How redirects are handled.
    public var redirects = Redirects()
    /// The proxy. The system's by default. The libcurl sender's own setting has more.
    public var proxy = Proxy.system
    /// Whether cookies are stored. Off by default.
    public var cookies = Cookies.off
    /// The `User-Agent` of requests without one; nil for none.
    public var userAgent: String? = "NetChainKit"

    /// Creates the defaults.
    public init() {}
}
