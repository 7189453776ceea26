#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a sender works: timeouts, limits, redirects, TLS and the rest. The defaults are the safe choice.
///
/// ```swift
/// var configuration = SenderConfiguration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.tls.authorities = .file(URL(filePath: "/etc/our-ca.pem"))
/// let sender = try CurlRequestSender(configuration: configuration)
/// ```
///
/// What can't work or would be unsafe by mistake is refused when a sender is made of it (``SenderConfigurationError``).
public struct SenderConfiguration: Sendable {
    /// How long things may take.
    public struct Timeouts: Hashable, Sendable {
        /// Until a connection is made, TLS included. 10 seconds by default.
        public var connect: Duration = .seconds(10)
        /// Until the whole answer has arrived, redirects included; nil, the default, for no such limit.
        public var request: Duration?
        /// How long no byte may move in either direction, or fewer than `limits.lowestSpeed` a second; nil for no such
        /// limit. A minute by default. Counted in whole seconds; libcurl, which looks at the mean speed of the last seconds,
        /// notices up to six seconds later.
        public var stall: Duration? = .seconds(60)

        /// Creates the defaults.
        public init() {}
    }

    /// How much things may take.
    public struct Limits: Hashable, Sendable {
        /// Bytes of a body, as it comes and after decompression. 256 MiB by default.
        public var responseSize = 256 << 20
        /// Bytes of all headers of an answer. 256 KiB by default.
        public var headerSize = 256 << 10
        /// Requests in progress to one origin (scheme, host, port); more wait in the queue. One that is redirected elsewhere goes
        /// on counting where it began. 64 by default.
        public var requestsPerOrigin = 64
        /// Connections kept open for later requests. 64 by default.
        public var idleConnections = 64
        /// Bytes a second: a transfer that is slower than this for as long as `timeouts.stall` says has stalled. 1 by
        /// default, so that any byte counts; a larger one ends what a server sends byte by byte, without a limit to the
        /// time that a large body takes, and needs `timeouts.stall`.
        public var lowestSpeed = 1

        /// Creates the defaults.
        public init() {}
    }

    /// What to do about redirects (RFC 9110 §15.4).
    public struct Redirects: Hashable, Sendable {
        /// How many are followed before it's an error; 0 hands the redirect itself to the chain. 20 by default.
        public var limit = 20
        /// Whether a redirect may lead from https to http. No by default.
        public var allowsInsecure = false
        /// Headers that are dropped when scheme, host or port changes, besides Authorization, Cookie and
        /// Proxy-Authorization. Compared without regard to case.
        public var sensitiveHeaders: Set<String> = ["X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token"]

        /// Creates the defaults.
        public init() {}
    }

    /// How servers are verified and how the client shows itself.
    public struct Tls: Sendable {
        /// Whose signatures are trusted.
        public enum Authorities: Hashable, Sendable {
            /// The system's authorities.
            case system
            /// Only those of a file in PEM form.
            case file(URL)
        }

        /// A certificate and its key, both in PEM form.
        public struct ClientCertificate: Hashable, Sendable {
            /// The file of the certificate.
            public var certificate: URL
            /// The file of the key.
            public var key: URL
            /// What the key is encrypted with, if it is.
            public var password: String?
            /// The origins (scheme, host and port of each URL) that it is shown to, also when a redirect leads there.
            /// nil, the default: the origin of each request, until a redirect leads to another one.
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

        /// Whether the server's certificate and name are verified. Turning it off is for tests only: anybody on the way
        /// can read and change everything.
        public var verifiesServer = true
        /// Whose signatures are trusted.
        public var authorities = Authorities.system
        /// SHA-256 of the public keys (SPKI) of which the server must show one, in base64; empty for no pinning. Give a
        /// backup key as well: with a single pin a change of key locks the application out.
        public var pins: [String] = []
        /// How the client shows itself to servers that ask.
        public var clientCertificate: ClientCertificate?
        /// Whether libcurl may write the keys of all connections into the file that `SSLKEYLOGFILE` of the environment
        /// names, with which others can read them. Yes by default; no makes a sender fail where the variable is set.
        public var allowsKeyLog = true
        /// The oldest version that is accepted.
        public var minimumVersion = Version.tls12
        /// Whether a body of HTTP/1 that has neither a length nor chunks must end with TLS's close_notify (RFC 9112 §9.8).
        /// Without that anybody on the way can cut the body, so it is ``TransportError/Code/truncatedResponse``. Yes by
        /// default; no is for old servers that just close the connection.
        public var requiresCloseNotify = true

        /// Creates the defaults.
        public init() {}
    }

    /// Which proxy is used.
    public enum Proxy: Hashable, Sendable {
        /// What the environment says: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`. The libcurl sender looks when
        /// it is made; without a proxy then, it uses none.
        case environment
        /// None, whatever the environment says.
        case none
        /// This one: an http, https, socks4 or socks5 URL.
        case url(URL)
    }

    /// Whether cookies are kept.
    public enum Cookies: Hashable, Sendable {
        /// None are kept or sent, but those that a request sets itself.
        case off
        /// Kept in memory while the sender lives.
        case memory
    }

    /// Which version of HTTP is spoken.
    public enum HttpVersion: Hashable, Sendable {
        /// HTTP/2 where a TLS server offers it, HTTP/1.1 otherwise.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 at once, also without TLS. libcurl 7.88 can't use a connection without TLS twice: there each request
        /// opens one of its own.
        case http2PriorKnowledge
    }

    /// Which requests the sender sends again by itself. A connection that served others before can die with a request on
    /// it, and before a byte of a response it is not known whether the server got it. Any other failure is for the chain's
    /// `retry(_:)`.
    public enum Resending: Hashable, Sendable {
        /// Once more, over a new connection, those that a server may get twice without harm: idempotent methods (RFC 9110
        /// §9.2.2), and any method with an `Idempotency-Key`.
        case idempotent
        /// None: the request fails with ``TransportError/Code/connectionLost``.
        case never
    }

    /// How long things may take.
    public var timeouts = Timeouts()
    /// How much things may take.
    public var limits = Limits()
    /// What to do about redirects.
    public var redirects = Redirects()
    /// How servers are verified.
    public var tls = Tls()
    /// Which proxy is used. What the environment says by default.
    public var proxy = Proxy.environment
    /// Which requests are sent again when a connection dies that was used before. The idempotent ones by default. The
    /// second sending counts as an attempt, and the log has an event for it.
    public var resending = Resending.idempotent
    /// Whether cookies are kept. Off by default.
    public var cookies = Cookies.off
    /// Which version of HTTP is spoken.
    public var httpVersion = HttpVersion.automatic
    /// Whether compressed answers are asked for, in all forms that the sender understands, and decompressed. Yes by
    /// default. A request with a `Range` asks for `identity`, unless it says otherwise itself.
    public var compression = true
    /// How many threads send, each with connections of its own; requests of one origin go to one thread, and stay there
    /// when they are redirected. 1 by default, which is enough until the thread keeps a whole core busy. More than one
    /// can't share cookies.
    public var loops = 1
    /// The `User-Agent` of requests that set none; nil for none.
    public var userAgent: String? = "NetChainKit"

    /// Creates the defaults.
    public init() {}
}
