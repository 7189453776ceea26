import Logging
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How the libcurl sender works: the settings that all senders share, and libcurl's own. The defaults are safe.
///
/// ```swift
/// var configuration = CurlRequestSender.Configuration()
/// configuration.timeouts.request = .seconds(30)
/// configuration.tls.trustRoots = .file(URL(filePath: "/etc/our-ca.pem"))
/// let sender = try CurlRequestSender(configuration: configuration)
/// ```
///
/// Settings that can't work or are unsafe by mistake are rejected when a sender is created (``SenderConfigurationError``).
@dynamicMemberLookup
public struct CurlConfiguration: Sendable {
    /// How servers are verified, and how the client authenticates.
    public struct Tls: Sendable {
        /// The trusted certificate authorities.
        public enum TrustRoots: Equatable, Sendable {
            /// The system's authorities.
            case system
            /// Only those of a PEM file.
            case file(URL)
        }

        /// A certificate and its key, both in PEM format. After a change of the files make a new sender: a cache tells the
        /// certificates of senders apart by what the file had.
        public struct ClientCertificate: Sendable {
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

        /// How a peer's certificate is verified.
        public struct Verification: Sendable {
            /// Whether the certificate and the name are verified. Turn it off only for tests: without it, a man in the
            /// middle can read and change all data that TLS to this peer protects.
            public var verifiesServer = true
            /// The trusted certificate authorities.
            public var trustRoots = TrustRoots.system
            /// The oldest accepted version.
            public var minimumVersion = Version.tls12
        }

        /// Whether the server's certificate and name are verified. Turn it off only for tests: without it, a man in the
        /// middle can read and change all data.
        public var verifiesServer = true
        /// The trusted certificate authorities.
        public var trustRoots = TrustRoots.system
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
        /// The same settings for TLS to a proxy, whose URL has the scheme https. Those for servers don't apply to it.
        public var proxy = Verification()

        /// The settings for servers.
        package var server: Verification {
            var server = Verification()
            server.verifiesServer = verifiesServer
            server.trustRoots = trustRoots
            server.minimumVersion = minimumVersion
            return server
        }
    }

    /// The proxy to use.
    public enum Proxy: Equatable, Sendable {
        /// The proxy of the environment: `https_proxy`, `http_proxy`, `all_proxy`, `no_proxy`. The libcurl sender
        /// checks at its creation whether there is one, and uses none otherwise.
        case environment
        /// No proxy, whatever the environment says.
        case none
        /// The proxy at this URL. Its scheme is http, https, socks4, socks4a, socks5 or socks5h.
        case url(URL)
    }

    /// The HTTP version to use.
    public enum HttpVersion: Hashable, Sendable {
        /// HTTP/2 where a TLS server offers it, otherwise HTTP/1.1. Before libcurl 8.14, requests with a body use HTTP/1.1,
        /// because libcurl may lose a response of HTTP/2 that arrives before the end of the body. If a server
        /// rejects HTTP/2 (HTTP_1_1_REQUIRED), the request fails as unprocessed, so that a chain sends it again over HTTP/1.1,
        /// and later ones use that at once.
        case automatic
        /// HTTP/1.1 only.
        case http1
        /// HTTP/2 with prior knowledge, with any body, also without TLS; for servers that speak nothing else. libcurl 7.88 can't
        /// reuse a connection without TLS: each request opens a connection.
        case http2PriorKnowledge
    }

    /// How connections are kept and closed.
    public struct Connections: Sendable {
        /// The most idle connections that each thread keeps for later requests. 64 by default. Requests that end at the
        /// same time may leave more; each later one closes one of them.
        public var maxIdle = 64
        /// How long a connection may be idle before it is closed. 50 seconds by default, because load balancers commonly
        /// close idle connections after 60. A connection isn't reused past a shorter `Keep-Alive: timeout` of its server, which
        /// closes it.
        public var idleTimeout: Duration = .seconds(50)
        /// The age at which an idle connection is closed instead of used again; nil, the default, for no limit.
        /// Fractions of a second are dropped.
        public var lifetime: Duration?
        /// How long the server's host may acknowledge nothing before its connections are lost: neither sent data nor
        /// the probes of a quiet connection (TCP_USER_TIMEOUT and SO_KEEPALIVE, tcp(7)). 20 seconds by default; nil for
        /// the system's limit, which is minutes. Probes are timed in whole seconds. A server that accepts no more data
        /// for that long ends an upload, too.
        public var tcpUserTimeout: Duration? = .seconds(20)
    }

    /// How host names become addresses.
    public struct Addresses: Sendable {
        /// The version of the Internet Protocol.
        public enum Family: Hashable, Sendable {
            /// IPv6 and IPv4, whichever connects first (RFC 8305).
            case any
            /// IPv4 only.
            case ipv4
            /// IPv6 only.
            case ipv6
        }

        /// How long the addresses of a name are kept. A minute by default. After a failed connection or a timeout, the
        /// sender resolves the name anew. Fractions of a second are dropped.
        public var lifetime: Duration = .seconds(60)
        /// The version of the Internet Protocol. Any by default.
        public var family = Family.any
        /// Addresses of servers that are not looked up: IP addresses by host and port, as in
        /// `["api.example.com:443": ["192.0.2.1"]]`.
        public var fixed: [String: [String]] = [:]
        /// The local network interface, host name or IP address that connections start from; nil for the system's
        /// choice.
        public var interface: String?
    }

    /// The settings that all senders share. Their members are members of this value, too.
    public var shared: SenderConfiguration
    /// The limit for connecting, including TLS. 10 seconds by default.
    public var connectTimeout: Duration = .seconds(10)
    /// The most bytes of all headers of a response. 256 KiB by default.
    public var maxHeaderSize = 256 << 10
    /// How connections are kept and closed.
    public var connections = Connections()
    /// How host names become addresses.
    public var addresses = Addresses()
    /// Bytes a second: a slower transfer has stalled after `timeouts.stall`. 1 by default, so that any byte counts. A
    /// larger value ends a transfer that a server sends byte by byte, without a limit to the time of a large body.
    /// It needs `timeouts.stall`.
    public var minimumThroughput = 1
    /// How servers are verified.
    public var tls = Tls()
    /// The proxy. That of the environment by default, unless the shared settings turn it off.
    public var proxy: Proxy {
        get { chosenProxy ?? (shared.proxy == .none ? .none : .environment) }
        set { chosenProxy = newValue }
    }

    private var chosenProxy: Proxy?
    /// The HTTP version to use.
    public var httpVersion = HttpVersion.automatic
    /// Whether compressed responses are requested, in all codings that the sender supports, and decompressed. Yes by
    /// default. A request with a `Range` asks for `identity` unless it has its own `Accept-Encoding`.
    public var compression = true
    /// The number of threads that send, each with its own connections. All requests to one origin use the same thread;
    /// a redirected request stays on its thread. The default, 1, suffices until the thread uses a whole core. More than
    /// one can't share cookies.
    public var threads = 1

    /// Creates the defaults with these shared settings.
    public init(_ shared: SenderConfiguration = SenderConfiguration()) {
        self.shared = shared
    }

    /// A member of ``shared``.
    public subscript<Value>(dynamicMember path: WritableKeyPath<SenderConfiguration, Value>) -> Value {
        get { shared[keyPath: path] }
        set { shared[keyPath: path] = newValue }
    }
}

extension CurlConfiguration.Proxy: MaskedValue {
    /// The kind of proxy, or its URL with the user info masked.
    public var description: String {
        switch self {
        case .environment: "environment"
        case .none: "none"
        case .url(let url): Redaction.standard.url(url.absoluteString)
        }
    }
}

extension CurlConfiguration.Tls.ClientCertificate: MaskedValue {
    /// The two paths, and whether there is a password.
    public var description: String {
        let secret = password.map { _ in ", password \(Redaction.mask)" } ?? ""
        return "certificate \(certificate.path), key \(key.path)\(secret)"
    }
}

extension CurlConfiguration.Tls {
    /// The pins in the syntax of libcurl and curl.
    package var curlPins: String {
        pins.map { "sha256//\($0)" }.joined(separator: ";")
    }
}
