#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

extension Hop {
    /// Sets what libcurl needs for the hop.
    ///
    /// - Parameter urls: the URLs of earlier requests.
    func setUp(_ urls: inout ParsedUrls, _ share: CurlShareHandle, _ jar: inout CookieJar?) throws(TransportError) {
        setOptions(&urls)
        try setShare(share, &jar)
        if let rejection = easy.rejection {
            let reason = String(cString: curl_easy_strerror(rejection))
            throw transfer.error(.internalFailure, "libcurl rejects a setting: \(reason)")
        }
    }

    private func setOptions(_ urls: inout ParsedUrls) {
        let url = plan.urlText
        easy.setUrl(url, plan.hasPlainUrl ? urls.parsed(url) : nil)
        // What the request says is sent. libcurl would remove dot segments.
        easy.set(CURLOPT_PATH_AS_IS, true)
        easy.set(CURLOPT_NOSIGNAL, true)
        easy.check(netchain_restrict_schemes(easy.raw))
        netchain_leave_lookups_alone(easy.raw)
        setCallbacks()
        setMethodAndBody()
        setHeaders()
        setTimeouts()
        if plan.origin.isHttps || plan.mayUseProxy { setTls() }
        setProxy()
        if let path = plan.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        setHttpVersion()
        setReuse()
        setAddresses()
        // libcurl's default is 16 KB. 256 KB is no faster than 128 KB.
        if case .file = transfer.options.destination { easy.set(CURLOPT_BUFFERSIZE, 128 << 10) }
        // The sender decodes bodies itself (``LibcurlWorkarounds``).
        easy.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        easy.set(CURLOPT_HTTP_TRANSFER_DECODING, false)
        // An empty name enables the cookie engine without a file. The share handle stores the cookies.
        if configuration.cookies == .memory { easy.set(CURLOPT_COOKIEFILE, "") }
        // By default, libcurl follows no redirects. But after a rejected `Expect` or rejected credentials it would send
        // the request again, as a redirect to the same URL. The limit of 0 prevents that.
        easy.set(CURLOPT_MAXREDIRS, 0)
    }

    private func setMethodAndBody() {
        let name = request.method.rawValue
        if plan.hasBody {
            // These methods expect a body, maybe of zero bytes (RFC 9110 §8.6). Without a length, libcurl sends chunks.
            easy.set(CURLOPT_POST, true)
            easy.set(CURLOPT_POSTFIELDSIZE_LARGE, offset: request.body.length ?? -1)
            if request.method != .post { easy.set(CURLOPT_CUSTOMREQUEST, name) }
            if request.body.isEmpty { easy.set(CURLOPT_COPYPOSTFIELDS, "") }
        } else if request.method == .head {
            easy.set(CURLOPT_NOBODY, true)
        } else if request.method != .get {
            easy.set(CURLOPT_CUSTOMREQUEST, name)
        }
    }

    private func setHeaders() {
        if request.headers.isEmpty, !plan.hasBody, !plan.mayUseProxy, let lines = plan.settings.usualLines {
            return easy.setHeaders(lines)
        }
        var fields = request.headers.fieldsToSend
        if configuration.cookies == .memory {
            // libcurl adds stored cookies to this field. Beside a header line it would send a second one.
            fields.removeAll { $0.name.equalsIgnoringCase("Cookie") }
            easy.set(CURLOPT_COOKIE, request.headers.cookie)
        }
        setProxyHeaders(&fields)
        let latin1 = fields.filter(\.isLatin1)
        if !latin1.isEmpty { fields.removeAll(where: \.isLatin1) }
        var lines = HttpHeaders.curlLines(fields.map { ($0.name, $0.value) })
        func has(_ name: String) -> Bool {
            request.headers[name] != nil
        }
        // A name and a colon alone keep libcurl from adding its own field. It would add the `Content-Type` of a form,
        // and an `Expect` that delays the body by a second if the server ignores it.
        if plan.hasBody {
            if !has("Content-Type") { lines.append("Content-Type:") }
            if !has("Expect") { lines.append("Expect:") }
        }
        if !has("User-Agent") {
            if plan.mayUseProxy {
                // libcurl sends it to the proxy, too, but composes it twice.
                easy.set(CURLOPT_USERAGENT, configuration.userAgent)
            } else if let line = plan.settings.userAgentLine {
                lines.append(line)
            }
        }
        if configuration.compression, !has("Accept-Encoding") {
            // A range of a compressed body can't be decompressed.
            lines.append(has("Range") ? "Accept-Encoding: identity" : ContentDecoder.acceptedLine)
        }
        // Their bytes are those that a server sent.
        let bytes = latin1.map { Array("\($0.name): ".utf8) + $0.valueBytes }
        if !lines.isEmpty || !bytes.isEmpty { easy.set(CURLOPT_HTTPHEADER, lines, bytes: bytes) }
    }

    /// Moves `Proxy-Authorization` to the headers for a proxy (RFC 9110 §11.7.2). Among the others, libcurl would send it
    /// through the tunnel to the server, and not with the CONNECT. Without a proxy it isn't sent.
    private func setProxyHeaders(_ fields: inout [HttpHeaders.Field]) {
        let name = "Proxy-Authorization"
        guard request.headers[name] != nil else { return }
        if plan.mayUseProxy {
            let values = request.headers.values(of: name)
            easy.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
            easy.set(CURLOPT_PROXYHEADER, HttpHeaders.curlLines(values.map { (name: name, value: $0) }))
        }
        fields.removeAll { $0.name.equalsIgnoringCase(name) }
    }

    private func setTimeouts() {
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, plan.settings.connectTimeout)
        if let rest = transfer.remainingTime { easy.set(CURLOPT_TIMEOUT_MS, rest.wholeMilliseconds) }
        if stallSeconds == nil {
            stallClock = StallClock(limit: stallLimit, leastBytesPerSecond: configuration.minimumThroughput)
        }
        setStallLimit(isOn: true)
    }

    /// The value of libcurl's stall timeout; nil if it isn't set.
    private var stallSeconds: Int? {
        guard hasTimeLimits else { return nil }
        guard let own = transfer.options.stallTimeout else { return plan.settings.stallSeconds }
        return CurlSettings.stallSeconds(own)
    }

    /// How long the transfer may stall; nil for no limit.
    var stallLimit: Duration? {
        hasTimeLimits ? StallClock.limit(transfer.options.stallTimeout, configuration.timeouts.stall) : nil
    }

    /// Ends the limits of time, when only the body of the response remains.
    func endTimeLimits() {
        hasTimeLimits = false
        transfer.deadline = nil
        stallClock = nil
        easy.set(CURLOPT_TIMEOUT_MS, 0)
        easy.set(CURLOPT_LOW_SPEED_TIME, 0)
    }

    /// Enables or disables libcurl's stall timeout, also during a transfer. It is for limits of whole seconds: the event
    /// loop checks the others (``hasStalled()``).
    func setStallLimit(isOn: Bool) {
        guard let seconds = stallSeconds else { return }
        easy.set(CURLOPT_LOW_SPEED_LIMIT, configuration.minimumThroughput)
        easy.set(CURLOPT_LOW_SPEED_TIME, isOn ? seconds : 0)
    }

    /// Whether the transfer has stalled, where the event loop checks it.
    func hasStalled() -> Bool {
        let bytes =
            Int64(exchange.headerSize) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T) + easy.offset(CURLINFO_SIZE_UPLOAD_T)
        let isSending =
            exchange.isSendingUnreported ? easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 : times.sendStart != nil
        let waits =
            !isSending || result != nil || transfer.responseBody?.isWaiting == true
            || transfer.requestBody.isWaiting && !exchange.isRejected
        return stallClock?.isStalled(bytes: bytes, waits: waits) ?? false
    }

    private func setTls() {
        let tls = configuration.tls
        if tls.trustRoots == .system { netchain_use_authority_file_alone(easy.raw) }
        set(tls.server, .server)
        if plan.mayUseProxy { set(tls.proxy, .proxy) }
        if !tls.pins.isEmpty {
            easy.set(CURLOPT_PINNEDPUBLICKEY, tls.curlPins)
        }
        if let certificate = tls.clientCertificate, plan.mayShow(certificate) {
            easy.set(CURLOPT_SSLCERT, certificate.certificate.path)
            easy.set(CURLOPT_SSLKEY, certificate.key.path)
            // An empty password, too: without one, OpenSSL prompts for the password of an encrypted key on the
            // terminal.
            easy.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
        }
    }

    private func set(_ verification: CurlConfiguration.Tls.Verification, _ options: VerificationOptions) {
        if !verification.verifiesServer {
            easy.set(options.verifiesPeer, false)
            easy.set(options.verifiesHost, 0)
        }
        if case .file(let url) = verification.trustRoots {
            easy.set(options.authorityFile, url.path)
            easy.set(options.authorityFolder, nil as String?)
        }
        let version = verification.minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        easy.set(options.version, Int(version))
    }

    private func setProxy() {
        if !plan.mayUseProxy {
            // Otherwise libcurl would read each environment variable for each request. That takes time and is unsafe
            // while another thread calls setenv(3).
            easy.set(CURLOPT_PROXY, "")
            easy.set(CURLOPT_NOPROXY, "")
        } else if case .url(let url) = configuration.proxy {
            easy.set(CURLOPT_PROXY, url.textForLibcurl)
            // `no_proxy` of the environment applies only to the environment's proxy.
            easy.set(CURLOPT_NOPROXY, "")
        }
        // The proxy's response to CONNECT is not the server's response.
        if plan.mayUseProxy { easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true) }
    }

    /// Sets which connections the hop may use, and whether its connection stays open.
    private func setReuse() {
        if plan.usesConnectionOnce || plan.needsNewConnection { easy.set(CURLOPT_FRESH_CONNECT, true) }
        if plan.usesConnectionOnce || configuration.connections.maxIdle == 0 { easy.set(CURLOPT_FORBID_REUSE, true) }
        easy.set(CURLOPT_MAXAGE_CONN, plan.settings.idleTimeout)
        if let lifetime = plan.settings.connectionLifetime { netchain_limit_connection_lifetime(easy.raw, lifetime) }
    }

    private func setShare(_ share: CurlShareHandle, _ jar: inout CookieJar?) throws(TransportError) {
        guard configuration.cookies == .memory, request.headers.cookie != nil else {
            return easy.set(CURLOPT_SHARE, share.raw)
        }
        if jar == nil { jar = CookieJar(share) }
        guard let jar else { throw transfer.error(.internalFailure, "libcurl has no memory for cookies") }
        easy.set(CURLOPT_SHARE, jar.shareWithoutCookies.raw)
        cookies = HopCookies(jar, for: request, on: easy)
    }

    private func setAddresses() {
        let addresses = configuration.addresses
        var lifetime = plan.settings.addressLifetime
        if let change = table.networkChange { lifetime = min(lifetime, change.duration(to: .now).wholeSeconds) }
        easy.set(CURLOPT_DNS_CACHE_TIMEOUT, lifetime)
        switch addresses.family {
        case .any: break
        case .ipv4: easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        if let interface = addresses.interface { easy.set(CURLOPT_INTERFACE, interface) }
        // libcurl processes the list in its order: fixed addresses stay.
        var entries = part.settleDoubt() ? ["-\(plan.origin.host):\(plan.origin.port)"] : []
        entries += plan.settings.fixedAddresses
        if !entries.isEmpty { easy.set(CURLOPT_RESOLVE, entries) }
    }

    private func setHttpVersion() {
        let version =
            switch configuration.httpVersion {
            case .automatic where plan.mayBeHttp2: CURL_HTTP_VERSION_2TLS
            case .automatic, .http1: CURL_HTTP_VERSION_1_1
            case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            }
        easy.set(CURLOPT_HTTP_VERSION, Int(version))
        // libcurl waits for a connection that it can share instead of opening another one.
        if plan.sharesConnections, part.mayWaitForConnection { easy.set(CURLOPT_PIPEWAIT, true) }
    }
}

/// libcurl's options for the verification of a peer.
private struct VerificationOptions {
    let verifiesPeer, verifiesHost, authorityFile, authorityFolder, version: CURLoption

    static let server = VerificationOptions(
        verifiesPeer: CURLOPT_SSL_VERIFYPEER, verifiesHost: CURLOPT_SSL_VERIFYHOST, authorityFile: CURLOPT_CAINFO,
        authorityFolder: CURLOPT_CAPATH, version: CURLOPT_SSLVERSION)
    static let proxy = VerificationOptions(
        verifiesPeer: CURLOPT_PROXY_SSL_VERIFYPEER, verifiesHost: CURLOPT_PROXY_SSL_VERIFYHOST,
        authorityFile: CURLOPT_PROXY_CAINFO, authorityFolder: CURLOPT_PROXY_CAPATH, version: CURLOPT_PROXY_SSLVERSION)
}
#endif
