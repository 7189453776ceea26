#if os(Linux)
import CNetChainCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CurlTransfer {
    /// Tells libcurl about this hop.
    func setUp(_ easy: CurlEasyHandle) {
        if !hop.body.isEmpty || hops != nil || request.options.onProgress != nil { moments = Moments() }
        hops?.begin(hop)
        easy.set(CURLOPT_URL, hop.url.absoluteString)
        easy.set(CURLOPT_NOSIGNAL, true)
        netchain_restrict_schemes(easy.raw)
        netchain_leave_lookups_alone(easy.raw)
        setCallbacks(of: easy)
        setMethodAndBody(of: easy)
        setHeaders(of: easy)
        setTimeouts(of: easy)
        setTls(of: easy)
        setProxy(of: easy)
        setHttpVersion(of: easy)
        // The default is 16 KB; 256 KB gained nothing more.
        if case .file = request.options.destination { easy.set(CURLOPT_BUFFERSIZE, 128 << 10) }
        if configuration.limits.idleConnections == 0 { easy.set(CURLOPT_FORBID_REUSE, true) }
        // Bodies are decompressed here (CurlDecoding), and chunks are joined (ChunkedBody).
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        easy.set(CURLOPT_HTTP_TRANSFER_DECODING, false)
        // An empty name turns the cookie engine on without reading a file; the cookies are those of the share.
        if configuration.cookies == .memory { easy.set(CURLOPT_COOKIEFILE, "") }
        // libcurl follows nothing. The limit holds for what it would repeat all the same, as a redirect to the same URL: a
        // request whose `Expect` or credentials were rejected.
        easy.set(CURLOPT_FOLLOWLOCATION, false)
        easy.set(CURLOPT_MAXREDIRS, 0)
        sockets?.watch(easy)
    }

    private var hasBody: Bool {
        !hop.body.isEmpty || hop.method == .post || hop.method == .put || hop.method == .patch
    }

    private func setMethodAndBody(of easy: CurlEasyHandle) {
        let name = hop.method.rawValue
        if hasBody {
            // A body, whose length may be zero: these methods mean one (RFC 9110 §8.6). Without a length libcurl sends
            // chunks.
            easy.set(CURLOPT_POST, true)
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: hop.body.length ?? -1)
            if hop.method != .post { easy.set(CURLOPT_CUSTOMREQUEST, name) }
            if hop.body.isEmpty { easy.set(CURLOPT_COPYPOSTFIELDS, "") }
        } else if hop.method == .head {
            easy.set(CURLOPT_NOBODY, true)
        } else if hop.method != .get {
            easy.set(CURLOPT_CUSTOMREQUEST, name)
        }
    }

    private func setHeaders(of easy: CurlEasyHandle) {
        let fields = hop.headers.withoutFraming.fields
        var lines = HttpHeaders.curlLines(fields.map { ($0.name, $0.value) })
        func has(_ name: String) -> Bool {
            fields.contains { $0.name.equalsIgnoringCase(name) }
        }
        // A name alone with a colon keeps libcurl from adding a field of its own: a content type that nobody chose, and
        // a wait of a second for servers that don't know `Expect`.
        if hasBody {
            if !has("Content-Type") { lines.append("Content-Type:") }
            if !has("Expect") { lines.append("Expect:") }
        }
        if !has("User-Agent"), let userAgent = configuration.userAgent {
            // libcurl makes a line of the setting anew for each transfer, but a proxy hears of the setting alone.
            if hasProxy { easy.set(CURLOPT_USERAGENT, userAgent) } else { lines.append("User-Agent: \(userAgent)") }
        }
        if configuration.compression, !has("Accept-Encoding") {
            // A part of a compressed body is nothing that could be decompressed.
            lines.append("Accept-Encoding: \(has("Range") ? "identity" : ContentDecoder.accepted)")
        }
        if !lines.isEmpty { easy.set(headers: lines) }
    }

    private func setTimeouts(of easy: CurlEasyHandle) {
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.timeouts.connect.wholeMilliseconds)
        if let remainingTime { easy.set(CURLOPT_TIMEOUT_MS, remainingTime.wholeMilliseconds) }
        setStallLimit(of: easy, isOn: true)
    }

    /// Turns the time without a byte on or off, also in the middle of a transfer.
    func setStallLimit(of easy: CurlEasyHandle, isOn: Bool) {
        guard let stall = request.options.stallTimeout ?? configuration.timeouts.stall else { return }
        easy.set(CURLOPT_LOW_SPEED_LIMIT, configuration.limits.lowestSpeed)
        let seconds = Int(min(max(1, stall.components.seconds), Int64(Int32.max)))
        easy.set(CURLOPT_LOW_SPEED_TIME, isOn ? seconds : 0)
    }

    private func setTls(of easy: CurlEasyHandle) {
        let tls = configuration.tls
        if !tls.verifiesServer {
            easy.set(CURLOPT_SSL_VERIFYPEER, false)
            easy.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        switch tls.authorities {
        case .system: netchain_use_authority_file_alone(easy.raw)
        case .file(let url):
            easy.set(CURLOPT_CAINFO, url.path)
            easy.set(CURLOPT_CAPATH, nil as String?)
        }
        if !tls.pins.isEmpty {
            easy.set(CURLOPT_PINNEDPUBLICKEY, tls.curlPins)
        }
        if let certificate = tls.clientCertificate, mayShow(certificate) {
            easy.set(CURLOPT_SSLCERT, certificate.certificate.path)
            easy.set(CURLOPT_SSLKEY, certificate.key.path)
            // An empty one too: without any, OpenSSL asks for that of an encrypted key on the terminal.
            easy.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
        }
        let version = tls.minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        easy.set(CURLOPT_SSLVERSION, Int(version))
    }

    /// Whether the server of this hop may see the certificate. libcurl reuses connections and TLS sessions only for
    /// transfers with the same certificate, or without one as well.
    func mayShow(_ certificate: SenderConfiguration.Tls.ClientCertificate) -> Bool {
        guard let origins = certificate.origins else { return !hasLeftOrigin }
        let origin = Origin(asLibcurlReads: hop.url.absoluteString)
        return origin != nil && origins.contains { Origin(asLibcurlReads: $0.absoluteString) == origin }
    }

    private func setProxy(of easy: CurlEasyHandle) {
        switch configuration.proxy {
        case .environment where hasProxy: break
        case .environment, .none:
            // Or libcurl would look for each of the variables with each request, which takes its time and is no safe
            // thing to do while another thread sets one.
            easy.set(CURLOPT_PROXY, "")
            easy.set(CURLOPT_NOPROXY, "")
        case .url(let url):
            easy.set(CURLOPT_PROXY, url.absoluteString)
            // `no_proxy` of the environment is about the environment's proxy.
            easy.set(CURLOPT_NOPROXY, "")
        }
        // What a proxy says to CONNECT is not the server's answer.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    /// Rather wait for a connection that may be shared than open another one. Not where connections are closed after
    /// their requests: libcurl 7.88 leaves those that wait for one waiting after that.
    private var waitsForSharedConnection: Bool {
        configuration.limits.idleConnections > 0
    }

    private func setHttpVersion(of easy: CurlEasyHandle) {
        switch configuration.httpVersion {
        case .automatic:
            // Without TLS nothing is negotiated, and waiting for what the server says would make all requests wait for
            // the first one's answer.
            guard hop.isHttps, netchain_supports_http2() != 0 else {
                easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
                return
            }
            easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
            easy.set(CURLOPT_PIPEWAIT, waitsForSharedConnection)
        case .http1: easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .http2PriorKnowledge:
            easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
            let mayShare = hop.isHttps || netchain_reuses_plain_http2() != 0
            easy.set(CURLOPT_PIPEWAIT, mayShare && waitsForSharedConnection)
            if !mayShare {
                easy.set(CURLOPT_FRESH_CONNECT, true)
                easy.set(CURLOPT_FORBID_REUSE, true)
            }
        }
    }
}

extension Duration {
    /// At least 1, because for libcurl 0 means no limit, and at most what it takes, 24 days.
    fileprivate var wholeMilliseconds: Int {
        guard self < .milliseconds(Int32.max) else { return Int(Int32.max) }
        return max(1, Int(components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
    }
}
#endif
