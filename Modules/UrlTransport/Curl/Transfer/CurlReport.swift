#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import Glibc
import HttpMessages

/// What libcurl reports of a hop that has ended without a whole response. A value, so that its meaning is tested without
/// libcurl.
struct CurlReport {
    enum Completion: Equatable {
        case completed
        /// The connection or the stream ended, or a callback ended the hop.
        case connectionLost
        case failed
    }

    let result: CURLcode
    /// libcurl's message about the failure; empty if there is none.
    var message = ""
    /// The `errno` of the failed system call; 0 for none.
    var systemError: Int32 = 0
    /// Whether the connection was established, TLS included.
    var isConnected = false
    /// Whether the server requested a client certificate in the TLS handshake of a new connection.
    var hasCertificateRequest = false
    /// The status of the proxy's response to CONNECT; 0 for none.
    var tunnelStatus = 0
    /// Whether the certificate of the proxy is not verified although the handshake with it has begun.
    var isProxyUnverified = false
    /// Bytes of requests without their bodies that libcurl has written.
    var writtenHead = 0
    /// Bytes of bodies that libcurl has written.
    var writtenBody: Int64 = 0

    /// libcurl's message, or that of its code.
    var text: String { message.isEmpty ? String(cString: curl_easy_strerror(result)) : message }

    /// What libcurl says of an HTTP/2 stream that ended with an error; nil for another result.
    fileprivate var streamError: LibcurlWorkarounds.StreamError? {
        result == CURLE_HTTP2_STREAM ? LibcurlWorkarounds.StreamError(message) : nil
    }

    /// Whether the server ended its response before the request's body was sent wholly, and then rejected the rest.
    var hasEndedResponse: Bool { streamError == .closed }

    var completion: Completion {
        switch result {
        case CURLE_OK: .completed
        case CURLE_RECV_ERROR where message.contains("chunk") || message.contains("headers"): .failed
        // A second sending would have the same result.
        case CURLE_HTTP2_STREAM where streamError == .violation: .failed
        case CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM, CURLE_GOT_NOTHING,
            CURLE_HTTP2, CURLE_PARTIAL_FILE:
            .connectionLost
        case CURLE_SSL_CONNECT_ERROR where LibcurlWorkarounds.wasLostBeforeSending(message): .connectionLost
        // Its message has names of the server's choice.
        case CURLE_PEER_FAILED_VERIFICATION: .failed
        case _ where message.contains(LibcurlWorkarounds.closedConnection): .connectionLost
        default: .failed
        }
    }

    /// Whether the connect may be what failed, if nothing was sent.
    var mayBeFailedConnect: Bool { result == CURLE_COULDNT_CONNECT || result == CURLE_OPERATION_TIMEDOUT }

    /// Whether no byte of the request was written, before any byte of its response. With HTTP/2 a frame may be written
    /// although libcurl reports a failure.
    ///
    /// - Parameter isHttp1: whether the connection speaks HTTP/1.
    func hasSentNothing(_ plan: HopPlan, isHttp1: Bool) -> Bool {
        guard writtenHead == 0 else { return false }
        return isHttp1 && LibcurlWorkarounds.countsWrittenHeads && plan.isCountedExactly
            || message.contains(LibcurlWorkarounds.closedConnection)
    }

    /// Whether a server that has rejected the client certificate, or its absence, has not read the request: it has said why,
    /// or nothing was sent.
    func isUnread(_ plan: HopPlan) -> Bool {
        if LibcurlWorkarounds.isAlert(message), LibcurlWorkarounds.isAboutCertificate(message) { return true }
        // The connection is new: with HTTP/2 only a body may follow a frame that was written.
        return hasSentNothing(plan, isHttp1: !plan.mayBeHttp2 || !plan.hasBody)
    }

    // MARK: Neither the server nor the network

    /// Returns what made the hop fail besides the server and the network; nil for none.
    func culprit(_ exchange: Exchange, _ plan: HopPlan) -> Exchange.Culprit? {
        if result == CURLE_OK || exchange.abortReason != nil { return nil }
        if plan.origin.isHttps, !hasFailedTlsOfProxy(plan), isCertificateRejected(exchange) {
            return .clientCertificate
        }
        return isFailureOfProxy(exchange, plan) ? .proxy : nil
    }

    /// Whether the proxy rejected the request for a tunnel or the client certificate, or its connection broke before the
    /// request was sent.
    private func isFailureOfProxy(_ exchange: Exchange, _ plan: HopPlan) -> Bool {
        guard plan.mayUseProxy else { return false }
        if tunnelStatus != 0, !(200..<300).contains(tunnelStatus) { return true }
        // Only the proxy has TLS then. A failed handshake says so in its reason.
        if !plan.origin.isHttps, result != CURLE_SSL_CONNECT_ERROR, isCertificateRejected(exchange) { return true }
        // Without a proxy, nothing but TLS precedes the request, and its failures have codes of their own.
        guard !exchange.hasStartedSending, !exchange.isSendingUnreported else { return false }
        switch result {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY:
            return true
        case CURLE_SSL_CONNECT_ERROR:
            return hasFailedTlsOfProxy(plan) && LibcurlWorkarounds.wasLostBeforeSending(message)
        default: return false
        }
    }

    /// Whether a failure of TLS is that of the proxy, not of the server.
    func hasFailedTlsOfProxy(_ plan: HopPlan) -> Bool {
        guard plan.mayUseProxy, tunnelStatus == 0 else { return false }
        if case .url(let url) = plan.settings.configuration.proxy { return url.scheme?.lowercased() == "https" }
        return !plan.origin.isHttps || isProxyUnverified
    }

    /// Whether the peer of TLS rejected the client certificate, or requires one that the client has not shown.
    ///
    /// With TLS 1.3 the client sends its request before the peer has checked the certificate (RFC 8446 §2). The alert then
    /// looks like a failure of the connection. The reset that follows may arrive before libcurl has written the request,
    /// and then libcurl doesn't read the alert.
    private func isCertificateRejected(_ exchange: Exchange) -> Bool {
        // The message about a certificate that the client rejects has names of the server's choice.
        if exchange.hasResponseStarted || result == CURLE_PEER_FAILED_VERIFICATION { return false }
        if LibcurlWorkarounds.isAlert(message) {
            return hasCertificateRequest || LibcurlWorkarounds.isAboutCertificate(message)
        }
        guard hasCertificateRequest, completion == .connectionLost else { return false }
        // With HTTP/2, libcurl counts a request that it has not written.
        let couldNotWrite = result == CURLE_SEND_ERROR || message.contains("Send failure")
        return writtenHead == 0 || couldNotWrite && writtenBody == 0
    }
}

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
        case CURLE_HTTP2_STREAM where [.violation, .requiresHttp1].contains(report.streamError):
            self = .protocolViolation
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
            return "the response does not start with a status line of HTTP\(detail)"
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
