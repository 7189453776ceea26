#if os(Linux)
import CNetChainCurl
import Glibc
import HttpMessages

/// libcurl's report of a failure: the cause of a ``TransportError``.
struct CurlError: Error, CustomStringConvertible {
    /// libcurl's error code (libcurl-errors(3)).
    let code: Int
    let message: String
    /// The `errno` of the failed system call; 0 for none.
    let systemError: Int32

    var description: String {
        let system = systemError == 0 ? "" : ", \(String(cString: strerror(systemError))) (errno \(systemError))"
        return "libcurl \(code): \(message)\(system)"
    }
}

extension TransportError.Code {
    /// Maps a libcurl failure to a code. Codes of libcurl that an http or https transfer can't fail with become
    /// `internalFailure`.
    ///
    /// - Parameters:
    ///   - usesProxy: whether the configuration sets a proxy, so that every connection goes to it.
    ///   - hasTimedOut: whether the request's time is over.
    ///   - hasRoute: whether the machine has a route. Evaluated only after a failed name lookup or connect.
    init(
        _ report: CurlReport, of exchange: Exchange, usesProxy: Bool, hasTimedOut: Bool,
        hasRoute: @autoclosure () -> Bool = SystemNetwork.hasRoute()
    ) {
        let message = report.text
        switch report.result {
        // libcurl's code for a response that doesn't begin like HTTP, or has an unknown version.
        case CURLE_UNSUPPORTED_PROTOCOL: self = report.isConnected ? .invalidResponse : .invalidUrl
        case CURLE_URL_MALFORMAT: self = .invalidUrl
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailed
        case CURLE_COULDNT_RESOLVE_HOST: self = hasRoute() ? .hostNotFound : .noNetwork
        case CURLE_COULDNT_CONNECT where usesProxy: self = .proxyFailed
        case CURLE_INTERFACE_FAILED: self = .cannotConnect
        case CURLE_COULDNT_CONNECT: self = .init(connectError: report.systemError, hasRoute)
        case CURLE_OPERATION_TIMEDOUT:
            self = hasTimedOut ? .requestTimedOut : report.isConnected ? .stalled : .connectTimedOut
        case CURLE_WEIRD_SERVER_REPLY: self = .invalidResponse
        // Older versions have no dedicated code for a malformed chunk and for headers that are too large.
        case CURLE_RECV_ERROR where message.contains("chunk"): self = .invalidResponse
        // A header that libcurl can't parse, such as a folded line without a first one.
        case CURLE_BAD_FUNCTION_ARGUMENT where exchange.hasResponseStarted: self = .invalidResponse
        case CURLE_RECV_ERROR where message.contains("headers"), tooLarge: self = .headersTooLarge
        case CURLE_OUT_OF_MEMORY where report.isConnected && !exchange.hasCompleteHead: self = .headersTooLarge
        // A handshake that ended without a message of TLS. A message of TLS is final.
        case CURLE_SSL_CONNECT_ERROR where LibcurlWorkarounds.wasLostBeforeSending(message): self = .connectionLost
        case CURLE_HTTP2 where !LibcurlWorkarounds.wasLostBeforeSending(message): self = .protocolViolation
        case CURLE_HTTP2_STREAM where LibcurlWorkarounds.StreamError(message) != nil: self = .protocolViolation
        // The connection or the stream has ended. Before 8.14, libcurl may report that of HTTP/2 as a success.
        case CURLE_OK, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM,
            CURLE_HTTP2:
            self = exchange.hasFinalResponseStarted ? .truncatedResponse : .connectionLost
        case CURLE_BAD_CONTENT_ENCODING: self = .invalidContentEncoding
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        case CURLE_READ_ERROR, CURLE_SEND_FAIL_REWIND, CURLE_UPLOAD_FAILED: self = .uploadFailed
        case CURLE_PEER_FAILED_VERIFICATION: self = .certificateRejected
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .pinMismatch
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: self = .clientCertificateFailed
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER: self = .tlsConfiguration
        case CURLE_SSL_CONNECT_ERROR: self = .tlsFailed
        case _ where message.contains(LibcurlWorkarounds.closedConnection): self = .connectionLost
        default: self = .internalFailure
        }
    }

    /// Maps the `errno` of connect(2) to a code.
    private init(connectError: Int32, _ hasRoute: () -> Bool) {
        switch connectError {
        // The host may be unreachable while the machine has other routes. Without a source address, IPv6 fails with
        // EADDRNOTAVAIL.
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EADDRNOTAVAIL: self = hasRoute() ? .cannotConnect : .noNetwork
        case ECONNREFUSED: self = .connectionRefused
        case ETIMEDOUT: self = .connectTimedOut
        default: self = .cannotConnect
        }
    }

    /// Returns a description of a failed connection to a Unix domain socket; nil for any other failure.
    func words(unixSocket path: String, _ systemError: Int32) -> String? {
        switch self {
        case .connectionRefused: "nothing listens on the Unix domain socket \(path)"
        // A full queue is no error of the system's to libcurl (connect(2), EAGAIN).
        case .cannotConnect where systemError == 0:
            "the Unix domain socket \(path) accepts no connection: its queue may be full"
        case .cannotConnect:
            "the connection to the Unix domain socket \(path) failed: \(String(cString: strerror(systemError)))"
        default: nil
        }
    }

    /// Returns a description of the failure for developers, with libcurl's message.
    ///
    /// - Parameters:
    ///   - isInTls: whether the TLS handshake failed.
    ///   - isOfProxy: whether TLS with the proxy failed.
    func words(
        _ message: String, _ systemError: Int32, isInTls: Bool = false, isOfProxy: Bool = false
    ) -> String {
        let detail = message.isEmpty ? "" : " (\(message))"
        switch self {
        case .noNetwork: return "there is no network\(detail)"
        case .hostNotFound: return "the host's name has no address\(detail)"
        case .connectionRefused: return "the connection was refused: nothing listens there\(detail)"
        case .cannotConnect where systemError == EMFILE:
            return "no connection could be opened: the process has too many open files (see `ulimit -n`)"
        case .cannotConnect where systemError == ENFILE:
            return "no connection could be opened: the system has too many open files"
        case .cannotConnect: return "the connection could not be established\(detail)"
        case .connectTimedOut: return "the connection was not established in time\(detail)"
        case .connectionLost: return "the connection broke\(isInTls ? " in the TLS handshake" : "")\(detail)"
        case .truncatedResponse: return "the connection ended before the whole response was received\(detail)"
        case .invalidResponse where message.contains("HTTP/0.9"):
            return "the response does not begin as one of HTTP\(detail)"
        case .protocolViolation: return "HTTP/2 was violated; `httpVersion = .http1` may help\(detail)"
        case .headersTooLarge: return "the headers are larger than libcurl allows\(detail)"
        case .tlsFailed:
            // OpenSSL's message when the first bytes of the response are not TLS.
            let question =
                if message.contains("wrong version number") {
                    ": does this port speak https?"
                } else if message.contains("alert handshake failure") {
                    // With TLS 1.2, OpenSSL sends it for a missing client certificate, too.
                    ": does the \(isOfProxy ? "proxy" : "server") require a client certificate?"
                } else {
                    ""
                }
            return "the TLS handshake \(isOfProxy ? "with the proxy " : "")failed\(question)\(detail)"
        case .certificateRejected: return "the \(isOfProxy ? "proxy" : "server")'s certificate was rejected\(detail)"
        case .pinMismatch: return "the server's key is none of the pinned ones\(detail)"
        case .proxyFailed: return "the proxy failed\(detail)"
        default: return message.isEmpty ? description : message
        }
    }
}

/// `CURLE_TOO_LARGE` (libcurl 8.6).
private let tooLarge = CURLcode(rawValue: 100)

/// The network state of the machine.
enum SystemNetwork {
    /// Returns whether the machine has a route to other hosts, over IPv4 or IPv6, or whether that can't be found out.
    ///
    /// Connecting a datagram socket checks the routing table and sends nothing. The addresses are reserved for
    /// documentation (RFC 5737, RFC 3849), so no host has them.
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
        guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
        defer { close(descriptor) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
#endif
