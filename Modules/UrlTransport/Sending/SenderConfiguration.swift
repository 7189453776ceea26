#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The configuration of a sender: timeouts, limits, redirects, TLS and more. The defaults are the safe choice.
///
/// ```swift
/// var configuration = SenderConfiguration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.tls.authorities = .file(URL(filePath: "/etc/our-ca.pem"))
/// let sender = try CurlRequestSender(configuration: configuration)
/// ```
///
/// The initializer of a sender throws ``SenderConfigurationError`` for settings that can't work or would be unsafe by
/// mistake.
public struct SenderConfiguration: Sendable {
    /// Time limits.
    public struct Timeouts: Hashable, Sendable {
        /// The time until a connection is established, TLS included. 10 seconds by default.
        public var connect: Duration = .seconds(10)
        /// The time until the whole response has arrived, redirects included. nil, the default, for no limit.
        public var request: Duration?
        /// The longest time without a byte in either direction, or below `limits.lowestSpeed`; nil for no limit. A
        /// minute by default. It is counted in whole seconds. libcurl averages the speed over the last seconds, and so
        /// may detect a stall up to six seconds later.
        public var stall: Duration? = .seconds(60)

        /// Creates the defaults.
        public init() {}
    }

    /// Size and count limits.
    public struct Limits: Hashable, Sendable {
        /// The maximum size of a response body in bytes, as received and after decompression. A larger one fails with
        /// ``TransportError/Code/responseTooLarge``. 256 MiB by default.
        public var responseSize = 256 << 20
        /// The maximum size of all headers of a response in bytes. Larger ones fail with
        /// ``TransportError/Code/headersTooLarge``. 256 KiB by default.
        public var headerSize = 256 << 10
        /// The maximum number of requests in progress to one origin (scheme, host, port). More requests wait in the
        /// queue. A redirected request counts at its first origin. 64 by default.
        public var requestsPerOrigin = 64
        /// The number of idle connections that are kept for reuse. 64 by default.
        public var idleConnections = 64
        /// The lowest speed in bytes a second. A transfer below it for the time of `timeouts.stall` has stalled. The
        /// default, 1, accepts any byte. A larger value fails responses that a server sends byte by byte, without
        /// limiting the time for a large body. It requires `timeouts.stall`.
        public var lowestSpeed = 1

        /// Creates the defaults.
        public init() {}
    }

    /// How redirects are handled (RFC 9110 §15.4).
    public struct Redirects: Hashable, Sendable {
        /// The number of redirects that are followed; one more fails the request. 0 passes the redirect itself to the
        /// chain. 20 by default.
        public var limit = 20
        /// Whether a redirect may lead from https to http. No by default.
        public var allowsInsecure = false
        /// Headers that are removed when scheme, host or port changes, in addition to `Authorization`, `Cookie`,
        /// `Proxy-Authorization` and `Host`. The names are case-insensitive.
        public var sensitiveHeaders: Set<String> = ["X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token"]

        /// Creates the defaults.
        public init() {}
    }

    /// How servers are verified, and how the client authenticates.
    public struct Tls: Sendable {
        /// The trusted certificate authorities.
        public enum Authorities: Hashable, Sendable {
            /// The system's authorities.
            case system
            /// Only those of a PEM file.
            case file(URL)
        }

        /// A certificate and its key, both in PEM format.
        public struct ClientCertificate: Hashable, Sendable {
            /// The file that contains the certificate.
            public var certificate: URL
            /// The file that contains the key.
            public var key: URL
            /// The password of an encrypted key.
            public var password: String?
            /// The origins (scheme, host and port of each URL) that get the certificate, also after a redirect. nil by
            /// default: only the origin of each request gets it, until a redirect leads to another origin.
            public var origins: [URL]?

            /// Creates a client certificate.
            public init(certificate: URL, key: URL, password: String? = nil, origins: [URL]? = nil) {
                self.certificate = certificate
                self.key = key
                self.password = password
                self.origins = origins
            }
        }

        /// A version of TLS.
        public enum Version: Hashable, Sendable {
            /// TLS 1.2
            case tls12
            /// TLS 1.3
            case tls13
        }

        /// Whether the server's certificate and name are verified. Turn it off only for tests: without it, a man in the
        /// middle can read and change all data.
        public var verifiesServer = true
        /// The trusted certificate authorities.
        public var authorities = Authorities.system
        /// SHA-256 hashes of public keys (SPKI) in base64, of which the server must present one; empty for no pinning.
        /// Add a backup key: with a single pin, a change of the server's key makes all requests fail.
        public var pins: [String] = []
        /// The certificate for servers that request one.
        public var clientCertificate: ClientCertificate?
        /// Whether libcurl may log the keys of all connections to the file that `SSLKEYLOGFILE` names. Its reader can
        /// decrypt them. Yes by default. With no, creating a sender fails while the variable is set.
        public var allowsKeyLog = true
        /// The oldest accepted version.
        public var minimumVersion = Version.tls12
        /// Whether an HTTP/1 body without a length or chunks must end with TLS's close_notify (RFC 9112 §9.8).
        /// Otherwise a man in the middle could truncate it, so the request fails with
        /// ``TransportError/Code/truncatedResponse``. Yes by default. No is for old servers that just close the
        /// connection.
        public var requiresCloseNotify = true

        /// Creates the defaults.
        public init() {}
    }

    /// The proxy to use.
    public enum Proxy: Hashable, Sendable {
        /// The proxy of the environment: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`. The libcurl sender
        /// checks at its creation whether there is one, and uses none otherwise.
        case environment
        /// No proxy, whatever the environment says.
        case none
        /// The proxy at this URL. Its scheme is http, https, socks4, socks4a, socks5 or socks5h.
        case url(URL)
    }

    /// Whether cookies are kept.
    public enum Cookies: Hashable, Sendable {
        /// Cookies are neither stored nor sent, except those that a request sets itself.
        case off
        /// Cookies are stored in memory until the sender is released.
        case memory
    }

    /// The HTTP version to use.
    public enum HttpVersion: Hashable, Sendable {
        /// HTTP/2 where a TLS server offers it, otherwise HTTP/1.1.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 with prior knowledge, also without TLS. libcurl 7.88 can't reuse a connection without TLS: each
        /// request opens a connection.
        case http2PriorKnowledge
    }

    /// The requests that the sender sends again by itself. A reused connection can be lost before the response starts;
    /// then it is unknown whether the server received the request. The chain's `retry(_:)` handles all other failures.
    public enum Resending: Hashable, Sendable {
        /// Requests that a server may receive twice without harm, once more, over a new connection. These are
        /// idempotent methods (RFC 9110 §9.2.2), and any method with an `Idempotency-Key`.
        case idempotent
        /// None: the request fails with ``TransportError/Code/connectionLost``.
        case never
    }

    /// Time limits.
    public var timeouts = Timeouts()
    /// Size and count limits.
    public var limits = Limits()
    /// How redirects are handled.
    public var redirects = Redirects()
    /// How servers are verified.
    public var tls = Tls()
    /// The proxy. That of the environment by default.
    public var proxy = Proxy.environment
    /// The requests that are sent again when a reused connection is lost. The idempotent ones by default. The second
    /// sending counts as an attempt and is logged.
    public var resending = Resending.idempotent
    /// Whether cookies are stored. Off by default.
    public var cookies = Cookies.off
    /// The HTTP version to use.
    public var httpVersion = HttpVersion.automatic
    /// Whether compressed responses are requested, in all codings that the sender supports, and decompressed. Yes by
    /// default. A request with a `Range` asks for `identity` unless it has its own `Accept-Encoding`.
    public var compression = true
    /// The number of threads that send, each with its own connections. All requests to one origin use the same thread;
    /// a redirected request stays on its thread. The default, 1, suffices until the thread uses a whole core. More than
    /// one can't share cookies.
    public var loops = 1
    /// The `User-Agent` of requests without one; nil for none.
    public var userAgent: String? = "NetChainKit"

    /// Creates the defaults.
    public init() {}
}
