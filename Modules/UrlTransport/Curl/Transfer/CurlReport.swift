#if os(Linux)
import CNetChainCurl
import FoundationEssentials

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

    var completion: Completion {
        switch result {
        case CURLE_OK: .completed
        case CURLE_RECV_ERROR where message.contains("chunk") || message.contains("headers"): .failed
        // A second sending would have the same result.
        case CURLE_HTTP2_STREAM where LibcurlWorkarounds.StreamError(message) == .violation: .failed
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

    /// Whether no byte of the request was written, before any byte of its response. libcurl counts exactly with HTTP/1. With
    /// HTTP/2 a frame may be written although libcurl reports a failure.
    ///
    /// - Parameter isHttp1: whether the connection speaks HTTP/1.
    func hasSentNothing(isHttp1: Bool) -> Bool {
        writtenHead == 0 && (isHttp1 || message.contains(LibcurlWorkarounds.closedConnection))
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
#endif
