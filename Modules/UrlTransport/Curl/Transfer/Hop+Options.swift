#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

extension Hop {
    /// Sets what libcurl needs for the hop.
    ///
    /// - Parameter urls: the URLs of earlier requests.
    func setUp(_ urls: inout ParsedUrls, _ share: CurlShareHandle, _ jar: inout CookieJar?) throws(TransportError) {
        // Without this callback (before libcurl 7.80), a reused connection can't be checked, and libcurl would send the
        // request again by itself.
        exchange.isSendingUnreported = !LibcurlWorkarounds.asksBeforeSending
        if easy.hops == 0 {
            easy.setOptions(of: kind, plan.settings, share)
            setCallbacks()
        }
        easy.hops += 1
        setOptionsOfEachHop(&urls)
        if !kind.isUsual {
            setOwnOptions()
            try setCookies(share, &jar)
        }
        if let rejection = easy.rejection {
            let reason = String(cString: curl_easy_strerror(rejection))
            throw transfer.error(.internalFailure, "libcurl rejects a setting: \(reason)")
        }
    }

    /// Sets the options that may differ between hops of a kind: always the same ones, because the handle may have those of
    /// an earlier hop.
    private func setOptionsOfEachHop(_ urls: inout ParsedUrls) {
        let url = plan.urlText
        easy.setUrl(url, plan.hasPlainUrl ? urls.parsed(url) : nil)
        setHeaders()
        setTimeouts()
        // libcurl waits for a connection that it can share instead of opening another one.
        easy.set(CURLOPT_PIPEWAIT, plan.sharesConnections && part.mayWaitForConnection)
        setAddresses()
    }

    /// Sets the options that a usual hop (``HandleKind/isUsual``) doesn't have.
    private func setOwnOptions() {
        if !request.body.isEmpty { setSendingCallbacks() }
        if transfer.options.onProgress != nil { observeProgress() }
        setMethodAndBody()
        setClientCertificate()
        setProxy()
        if let path = plan.unixSocket { easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if plan.usesConnectionOnce || plan.needsNewConnection { easy.set(CURLOPT_FRESH_CONNECT, true) }
        if plan.usesConnectionOnce { easy.set(CURLOPT_FORBID_REUSE, true) }
        // libcurl's default is 16 KB. 256 KB is no faster than 128 KB.
        if case .file = transfer.options.destination { easy.set(CURLOPT_BUFFERSIZE, 128 << 10) }
        // libcurl's default is 64 KB, with which an upload of 200 MB over HTTP/1.1 takes a fifth more time. 512 KB save
        // no more than 256 KB. This can go when libcurl sends bodies from the memory of the application.
        if request.body.length ?? .max > 1 << 20 { easy.set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10) }
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
            return easy.set(CURLOPT_HTTPHEADER, lines)
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
        easy.set(CURLOPT_HTTPHEADER, lines, bytes: bytes)
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
        // 0 is no limit.
        easy.set(CURLOPT_TIMEOUT_MS, transfer.remainingTime?.wholeMilliseconds ?? 0)
        stallClock = StallClock(limit: stallLimit, leastBytesPerSecond: configuration.minimumThroughput)
    }

    /// How long the transfer may stall; nil for no limit.
    var stallLimit: Duration? { StallClock.limit(transfer.options.stallTimeout, configuration.timeouts.stall) }

    /// Ends the limits of time, when only the body of the response remains.
    func endTimeLimits() {
        transfer.deadline = nil
        stallClock = nil
        easy.set(CURLOPT_TIMEOUT_MS, 0)
    }

    var nextStallCheck: Moment? { stallClock.map { times.start + $0.nextCheck } }

    /// Whether the transfer has stalled.
    func hasStalled(_ now: Moment) -> Bool {
        guard stallClock != nil else { return false }
        let bytes =
            Int64(exchange.headerSize) + easy.offset(CURLINFO_SIZE_DOWNLOAD_T) + easy.offset(CURLINFO_SIZE_UPLOAD_T)
        let isSending =
            exchange.isSendingUnreported ? easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0 : times.sendStart != nil
        let waits =
            !isSending || result != nil || transfer.responseBody?.isWaiting == true
            || transfer.requestBody.isWaiting && !exchange.isRejected
        return stallClock?.isStalled(bytes: bytes, waits: waits, after: times.start.duration(to: now)) ?? false
    }

    private func setClientCertificate() {
        guard plan.origin.isHttps || plan.mayUseProxy, let certificate = configuration.tls.clientCertificate,
            plan.mayShow(certificate)
        else { return }
        easy.set(CURLOPT_SSLCERT, certificate.certificate.path)
        easy.set(CURLOPT_SSLKEY, certificate.key.path)
        // An empty password, too: without one, OpenSSL prompts for the password of an encrypted key on the terminal.
        easy.set(CURLOPT_KEYPASSWD, certificate.password ?? "")
    }

    private func setProxy() {
        guard plan.settings.hasProxy else { return }
        guard plan.mayUseProxy else { return easy.setNoProxy() }
        easy.set(configuration.tls.proxy, .proxy)
        if case .url(let url) = configuration.proxy {
            easy.set(CURLOPT_PROXY, url.textForLibcurl)
            // `no_proxy` of the environment applies only to the environment's proxy.
            easy.set(CURLOPT_NOPROXY, "")
        }
        // The proxy's response to CONNECT is not the server's response.
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    private func setCookies(_ share: CurlShareHandle, _ jar: inout CookieJar?) throws(TransportError) {
        guard configuration.cookies == .memory else { return }
        // An empty name enables the cookie engine without a file. The share handle stores the cookies.
        easy.set(CURLOPT_COOKIEFILE, "")
        guard request.headers.cookie != nil else { return }
        if jar == nil { jar = CookieJar(share) }
        guard let jar else { throw transfer.error(.internalFailure, "libcurl has no memory for cookies") }
        easy.setShare(jar.shareWithoutCookies)
        cookies = HopCookies(jar, for: request, on: easy)
    }

    private func setAddresses() {
        var lifetime = plan.settings.addressLifetime
        if let change = table.networkChange { lifetime = min(lifetime, change.duration(to: .now).wholeSeconds) }
        easy.set(CURLOPT_DNS_CACHE_TIMEOUT, lifetime)
        // libcurl processes the list in its order: fixed addresses stay.
        var entries = part.settleDoubt() ? ["-\(plan.origin.host):\(plan.origin.port)"] : []
        entries += plan.settings.fixedAddresses
        if entries.isEmpty { easy.set(CURLOPT_RESOLVE, nil as CurlList?) } else { easy.set(CURLOPT_RESOLVE, entries) }
    }
}
#endif
