#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

// Failures that neither the server nor the network causes: those of the proxy and of the client certificate.
extension Hop {
    // MARK: The proxy

    /// Whether the proxy is why the hop failed: it rejected the request for a tunnel or the client certificate, or its
    /// connection broke before the request was sent.
    func isProxysFailure(_ result: CURLcode) -> Bool {
        guard result != CURLE_OK, plan.mayUseProxy, phase.abortReason == nil else { return false }
        if tunnelStatus != 0, !(200..<300).contains(tunnelStatus) { return true }
        // Only the proxy has TLS then. A failed handshake says so in its reason.
        if !plan.origin.isHttps, result != CURLE_SSL_CONNECT_ERROR, wasCertificateRejected(result) { return true }
        // Without a proxy, nothing but TLS precedes the request, and its failures have codes of their own.
        guard times.sendStart == nil, !phase.isSendingUnreported else { return false }
        switch result {
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_WEIRD_SERVER_REPLY:
            return true
        case CURLE_SSL_CONNECT_ERROR:
            return hasFailedTlsOfProxy && LibcurlWorkarounds.wasLostBeforeSending(easy.errorMessage)
        default: return false
        }
    }

    /// Whether a failure of TLS is that of the proxy, not of the server.
    var hasFailedTlsOfProxy: Bool {
        guard plan.mayUseProxy, tunnelStatus == 0 else { return false }
        if case .url(let url) = configuration.proxy { return url.scheme?.lowercased() == "https" }
        // Not 0 from the start of the handshake until the certificate is verified.
        return !plan.origin.isHttps || easy.long(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
    }

    /// The status of the proxy's response to CONNECT; 0 for none.
    private var tunnelStatus: Int { easy.long(CURLINFO_HTTP_CONNECTCODE) }

    // MARK: The client certificate

    /// Whether the server rejected the client certificate, or requires one that the client has not shown.
    func rejectsClientCertificate(_ result: CURLcode) -> Bool {
        result != CURLE_OK && plan.origin.isHttps && !hasFailedTlsOfProxy && wasCertificateRejected(result)
    }

    /// Whether the peer of TLS rejected the client certificate, or requires one that the client has not shown.
    ///
    /// With TLS 1.3 the client sends its request before the peer has checked the certificate (RFC 8446 §2). The alert then
    /// looks like a failure of the connection. The reset that follows may arrive before libcurl has written the request,
    /// and then libcurl doesn't read the alert.
    private func wasCertificateRejected(_ result: CURLcode) -> Bool {
        guard !phase.hasResponseStarted, phase.abortReason == nil else { return false }
        let message = easy.errorMessage
        if LibcurlWorkarounds.isAlert(message) {
            return connection.hasCertificateRequest || LibcurlWorkarounds.isAboutCertificate(message)
        }
        guard connection.hasCertificateRequest, HopPhase.Completion(result, message: message) == .connectionLost else {
            return false
        }
        // With HTTP/2, libcurl counts a request that it has not written.
        let couldNotWrite = result == CURLE_SEND_ERROR || message.contains("Send failure")
        return easy.long(CURLINFO_REQUEST_SIZE) == 0 || couldNotWrite && easy.offset(CURLINFO_SIZE_UPLOAD_T) == 0
    }

    /// Whether libcurl has a certificate for the server.
    var showsCertificate: Bool { configuration.tls.clientCertificate.map(plan.mayShow) ?? false }
}
#endif
