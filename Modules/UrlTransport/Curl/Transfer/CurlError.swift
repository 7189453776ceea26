#if os(Linux)
import CNetChainCurl
import Glibc

/// What libcurl said of a failure: the cause behind a ``TransportError``.
struct CurlError: Error, CustomStringConvertible {
    /// libcurl's number for it (libcurl-errors(3)).
    let code: Int
    /// libcurl's words.
    let message: String
    /// The system's number for it, 0 when the system is not to blame.
    let systemError: Int32

    var description: String {
        let system = systemError == 0 ? "" : ", \(String(cString: strerror(systemError))) (errno \(systemError))"
        return "libcurl \(code): \(message)\(system)"
    }
}

/// How far a transfer was when it failed.
struct CurlProgressAtFailure {
    var isConnected: Bool
    var hasAnswerStarted: Bool
    var hasWholeHead: Bool
    var hasRequestTimedOut: Bool
    var proxyRefused: Bool
    /// Whether the configuration names a proxy, so that every connection is one to it.
    var usesProxy: Bool
}

extension TransportError.Code {
    /// The kind of a libcurl failure. Every code of libcurl has its place here; those that can't happen to an http or
    /// https transfer are `internalFailure`.
    ///
    /// - Parameter hasRoute: whether the machine has a network at all; the system is asked where it matters.
    init(
        _ result: CURLcode, systemError: Int32, message: String, at progress: CurlProgressAtFailure,
        hasRoute: @autoclosure () -> Bool = SystemNetwork.hasRoute()
    ) {
        if progress.proxyRefused {
            self = .proxyFailed
            return
        }
        switch result {
        // libcurl's answer to what doesn't begin like HTTP, or like a version of it that nobody knows.
        case CURLE_UNSUPPORTED_PROTOCOL: self = progress.isConnected ? .invalidResponse : .invalidUrl
        case CURLE_URL_MALFORMAT: self = .invalidUrl
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailed
        case CURLE_COULDNT_RESOLVE_HOST: self = hasRoute() ? .hostNotFound : .noNetwork
        case CURLE_COULDNT_CONNECT where progress.usesProxy: self = .proxyFailed
        case CURLE_COULDNT_CONNECT: self = .init(connectError: systemError, hasRoute)
        case CURLE_OPERATION_TIMEDOUT:
            self = progress.hasRequestTimedOut ? .requestTimedOut : progress.isConnected ? .stalled : .connectTimedOut
        case CURLE_WEIRD_SERVER_REPLY: self = .invalidResponse
        // Interim answers are not the answer.
        case CURLE_GOT_NOTHING: self = progress.hasAnswerStarted ? .truncatedResponse : .emptyResponse
        case CURLE_PARTIAL_FILE: self = .truncatedResponse
        case CURLE_SEND_ERROR: self = .connectionLost
        // Older versions have no code of their own for a chunk that is none, and for headers that are too large.
        case CURLE_RECV_ERROR where message.contains("chunk"): self = .invalidResponse
        // A header that libcurl can't take apart: the first one continues another, for instance.
        case CURLE_BAD_FUNCTION_ARGUMENT where progress.hasAnswerStarted: self = .invalidResponse
        case CURLE_RECV_ERROR where message.contains("headers"), tooLarge: self = .headersTooLarge
        case CURLE_OUT_OF_MEMORY where progress.isConnected && !progress.hasWholeHead: self = .headersTooLarge
        case CURLE_RECV_ERROR: self = progress.hasAnswerStarted ? .truncatedResponse : .connectionLost
        case CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_QUIC_CONNECT_ERROR: self = .protocolViolation
        case CURLE_BAD_CONTENT_ENCODING: self = .invalidContentEncoding
        case CURLE_FILESIZE_EXCEEDED: self = .responseTooLarge
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        case CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_UPLOAD_FAILED: self = .uploadFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self = .certificateRejected
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pinMismatch
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: self = .clientCertificateFailed
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
            self = .tlsConfiguration
        case CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED: self = .tlsFailed
        default: self = .internalFailure
        }
    }

    /// The kind of a failed `connect`, told by what the system said.
    private init(connectError: Int32, _ hasRoute: () -> Bool) {
        switch connectError {
        // The way to this host may be closed while the network as a whole is there. Without any address of its own to
        // come from, IPv6 says that one is not available.
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL: self = hasRoute() ? .cannotConnect : .noNetwork
        case ECONNREFUSED: self = .connectionRefused
        case ETIMEDOUT: self = .connectTimedOut
        default: self = .cannotConnect
        }
    }

    /// What happened, in words for a developer.
    func words(_ message: String, _ systemError: Int32) -> String {
        let detail = message.isEmpty ? "" : " (\(message))"
        switch self {
        case .noNetwork: return "there is no network\(detail)"
        case .hostNotFound: return "the host's name has no address\(detail)"
        case .connectionRefused: return "the connection was refused: nothing listens there\(detail)"
        case .cannotConnect: return "the connection could not be made\(detail)"
        case .connectTimedOut: return "the connection was not made in time\(detail)"
        case .stalled: return "no data moved for too long, or too little\(detail)"
        case .connectionLost: return "the connection broke\(detail)"
        case .emptyResponse: return "the server closed the connection without an answer\(detail)"
        case .truncatedResponse: return "the connection ended before the whole answer had arrived\(detail)"
        case .headersTooLarge: return "the headers are larger than libcurl takes\(detail)"
        case .tlsFailed:
            // What OpenSSL says when the first bytes of the answer are no TLS.
            let question = message.contains("wrong version number") ? ": does this port speak https?" : ""
            return "the TLS handshake failed\(question)\(detail)"
        case .certificateRejected: return "the server's certificate is not accepted\(detail)"
        case .pinMismatch: return "the server's key is none of the pinned ones\(detail)"
        case .proxyFailed: return "the proxy failed\(detail)"
        default: return message.isEmpty ? description : message
        }
    }
}

/// A value was larger than libcurl takes (8.6).
private let tooLarge = CURLcode(rawValue: 100)

/// What the system knows of the network.
enum SystemNetwork {
    /// Whether a route leads out of this machine, over IPv4 or IPv6.
    ///
    /// Connecting a datagram socket asks the routing table and sends nothing. The addresses are kept for documentation
    /// (RFC 5737, RFC 3849), so they are nobody's.
    static func hasRoute() -> Bool {
        var ipv4 = sockaddr_in()
        ipv4.sin_family = sa_family_t(AF_INET)
        ipv4.sin_port = in_port_t(53).bigEndian
        inet_pton(AF_INET, "192.0.2.1", &ipv4.sin_addr)
        var ipv6 = sockaddr_in6()
        ipv6.sin6_family = sa_family_t(AF_INET6)
        ipv6.sin6_port = in_port_t(53).bigEndian
        inet_pton(AF_INET6, "2001:db8::1", &ipv6.sin6_addr)
        return canReach(&ipv4, AF_INET) || canReach(&ipv6, AF_INET6)
    }

    private static func canReach<Address>(_ address: inout Address, _ family: Int32) -> Bool {
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
#endif
