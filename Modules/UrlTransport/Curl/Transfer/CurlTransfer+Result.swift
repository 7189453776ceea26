#if os(Linux)
import CNetChainCurl
import FoundationEssentials

// Converts libcurl's result of a hop to what follows it.
extension CurlTransfer {
    /// Ends a hop with libcurl's result. Returns what follows.
    func endHop(_ result: CURLcode, _ easy: CurlEasyHandle) -> HopResult {
        let hopResult = hopResult(of: outcome(of: result, easy), result, easy)
        if let trace = hop.trace { record(hopResult, trace, easy) }
        // Nothing was sent, so no exchange has completed.
        if case .reconnect = hopResult { return hopResult }
        reportProgress(easy, isLast: true)
        return hopResult
    }

    private func outcome(of result: CURLcode, _ easy: CurlEasyHandle) -> HopPhase.Outcome {
        // A redirect needs libcurl's success: only then it says where the redirect leads.
        if hasWholeResponse, !RedirectRule(configuration.redirects).follows(hop.phase.status) { return .response }
        if hop.connection.isExcluded { hop.phase.isUnprocessed = true }
        let mayResendUnprocessed = configuration.resending == .idempotent && hop.request.body.canBeSent
        var completion = HopPhase.Completion(result, message: easy.errorMessage)
        if isRefusedByProxy(easy) { completion = .failed }
        if completion == .connectionLost, hasWholeResponse { completion = .completed }
        if hasSentNothing(easy) { hop.phase.hasStartedSending = false }
        return hop.phase.outcome(
            completion,
            mayResendProcessed: mayResendUnprocessed && hop.request.mayBeSentTwice && !history.isSecondSending,
            mayResendUnprocessed: mayResendUnprocessed && history.unprocessed < 3)
    }

    private func hopResult(of outcome: HopPhase.Outcome, _ result: CURLcode, _ easy: CurlEasyHandle) -> HopResult {
        switch outcome {
        case .failure: return .failure(error(result, easy))
        case .truncatedHead:
            return failure(.truncatedResponse, "the connection ended in the middle of the response's headers")
        case .reconnect: return .reconnect
        case .resend: return .sendAgain(hop.request, after: error(result, easy))
        case .withoutRange: return .sendAgain(hop.request, after: nil)
        case .withoutExpectation:
            var next = hop.request
            next.headers["Expect"] = nil
            guard next.body.canBeSent else {
                return failure(
                    .bodyAlreadySent, "the server rejected `Expect`, and the body is a stream that was read")
            }
            return .sendAgain(next, after: nil)
        case .response:
            do throws(TransportError) {
                if let next = try redirect(easy) { return .redirect(next) }
            } catch {
                var error = error
                error.metrics = metrics(easy)
                return .failure(error)
            }
            let hasCloseNotify = requiresCloseNotify ? hop.hasCloseNotify : nil
            if let incomplete = hop.responseBody?.incompleteness(hasCloseNotify: hasCloseNotify) {
                return failure(incomplete.code, incomplete.reason)
            }
            return .response(completed(response(easy)))
        }
    }

    /// Whether no byte of the request was written: libcurl counts written bytes, with HTTP/1 exactly. With HTTP/2 a frame
    /// may be written although libcurl reports a failure.
    private func hasSentNothing(_ easy: CurlEasyHandle) -> Bool {
        !hop.phase.hasResponseStarted && easy.long(CURLINFO_REQUEST_SIZE) == 0
            && (hop.connection.used?.isHttp1 == true || easy.errorMessage.contains(LibcurlWorkarounds.closedConnection))
    }

    private func isRefusedByProxy(_ easy: CurlEasyHandle) -> Bool {
        easy.long(CURLINFO_HTTP_CONNECTCODE) >= 400
    }

    private func failure(_ code: TransportError.Code, _ reason: String) -> HopResult {
        .failure(error(code, reason))
    }

    /// Returns the response as received so far, complete or not.
    func response(_ easy: CurlEasyHandle) -> HttpResponse {
        HttpResponse(
            request: request, url: hop.request.url, statusCode: hop.phase.status,
            headers: HttpHeaders(block: hop.headers), data: hop.responseBody?.sink.data ?? Data(),
            metrics: metrics(easy))
    }

    /// Returns the response with the URL of its file, if it has one.
    private func completed(_ response: HttpResponse) -> HttpResponse {
        guard case .file = hop.responseBody?.sink, case .file(let url, _) = request.options.destination else {
            return response
        }
        var response = response
        // The partial file was complete. The headers stay those of the 416.
        if response.statusCode == 416 { response.statusCode = 206 }
        response.file = url
        return response
    }

    private func error(_ result: CURLcode, _ easy: CurlEasyHandle) -> TransportError {
        let socketError = hop.connection.socketError
        let systemError = socketError != 0 ? socketError : Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
        let message = easy.errorMessage.isEmpty ? String(cString: curl_easy_strerror(result)) : easy.errorMessage
        let cause = CurlError(code: Int(result.rawValue), message: message, systemError: systemError)
        switch hop.phase.abortReason {
        case .failure(let failure):
            return error(failure.code, failure.reason, cause: failure.cause ?? cause)
        case .lostConnection:
            guard hop.phase.mayBeProcessed else {
                return error(
                    .connectionLost, "the connection was lost before the server processed the request", cause: cause)
            }
            let rule = hop.request.mayBeSentTwice ? "" : "a \(hop.request.method) request is not sent twice, because "
            let reason =
                "the connection was lost before a response; "
                + (hop.request.body.canBeSent
                    ? "\(rule)the server may have received it" : "the body is a stream, which can't be sent again")
            return error(.connectionLost, reason, cause: cause)
        case .staleConnection, .partialFileRejected, .expectationRejected, nil: break
        }
        let progress = CurlProgressAtFailure(
            isConnected: easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
            hasResponseStarted: hop.phase.hasResponseStarted, hasCompleteHead: hop.phase.hasCompleteHead,
            hasRequestTimedOut: remainingTime.map { $0 <= .milliseconds(5) } ?? false,
            usesProxy: { if case .url = configuration.proxy { mayUseProxy } else { false } }())
        let code =
            isRefusedByProxy(easy)
            ? .proxyFailed : TransportError.Code(result, systemError: systemError, message: message, at: progress)
        let reason =
            code == .requestTimedOut
            ? timeoutReason
            : unixSocket.flatMap { code.words(unixSocket: $0, systemError) } ?? code.words(message, systemError)
        return error(code, reason, cause: cause)
    }

    func metrics(_ easy: CurlEasyHandle) -> TransferMetrics {
        var metrics = TransferMetrics()
        metrics.reusedConnection = easy.long(CURLINFO_NUM_CONNECTS) == 0
        if !metrics.reusedConnection {
            metrics.nameLookup = easy.duration(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connect = easy.duration(CURLINFO_CONNECT_TIME_T)
            metrics.tls = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.requestStart = easy.duration(CURLINFO_PRETRANSFER_TIME_T)
        metrics.firstByte = hop.times.firstByte.map { hop.times.start.duration(to: $0) } ?? .zero
        metrics.total = hop.times.start.duration(to: .now)
        if !hop.request.body.isEmpty { metrics.bytesSent = bytesSent(easy.offset(CURLINFO_SIZE_UPLOAD_T)) }
        metrics.bytesReceived = bytesReceived(easy.offset(CURLINFO_SIZE_DOWNLOAD_T))
        metrics.remoteAddress = unixSocket ?? easy.string(CURLINFO_PRIMARY_IP) ?? ""
        metrics.redirects = redirects
        switch easy.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): metrics.httpVersion = "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_1_1): metrics.httpVersion = "HTTP/1.1"
        case Int(CURL_HTTP_VERSION_2_0): metrics.httpVersion = "HTTP/2"
        default: break
        }
        return metrics
    }

    /// Returns the next hop if the response is a redirect to follow.
    ///
    /// The sender follows redirects itself: libcurl would keep the method of a custom request and withhold only some
    /// secrets from another origin. libcurl parses the URL, because another parser could derive another origin.
    private func redirect(_ easy: CurlEasyHandle) throws(TransportError) -> HttpRequest? {
        let status = hop.phase.status
        guard RedirectRule(configuration.redirects).follows(status), let target = easy.string(CURLINFO_REDIRECT_URL)
        else { return nil }
        return try nextRequest(status, to: target)
    }

    /// Returns the request that a redirect with this status leads to.
    func nextRequest(_ status: Int, to target: String) throws(TransportError) -> HttpRequest {
        guard let url = URL(string: target) else {
            throw TransportError(
                .invalidResponse, of: request, redirects: redirects, reason: "a redirect leads to what is no URL")
        }
        return try RedirectRule(configuration.redirects).next(
            after: hop.request, status: status, to: url, count: redirects, original: request
        ) {
            Origin(asLibcurlReads: $0)
        }
    }

    private func record(_ result: HopResult, _ trace: HopTrace, _ easy: CurlEasyHandle) {
        var failure: TransportError?
        var response: HttpResponse?
        switch result {
        case .reconnect: return trace.recorder.discard()
        case .sendAgain(_, let error?): failure = error
        case .failure(let error):
            failure = error
            if hop.phase.hasCompleteHead { response = self.response(easy) }
        case .redirect, .sendAgain(_, nil): response = self.response(easy)
        case .response(let complete): response = complete
        }
        trace.write(response, failure, headerBytes: hop.headers.bytes.count)
    }
}

/// What follows the completion of a hop in libcurl.
enum HopResult {
    case response(HttpResponse)
    case failure(TransportError)
    /// A redirect to follow.
    case redirect(HttpRequest)
    /// The next attempt, after the connection broke before a response; without an error, after a response that rejects an
    /// `Expect` or doesn't fit the partial file.
    case sendAgain(HttpRequest, after: TransportError?)
    /// The same request over a new connection: nothing was sent.
    case reconnect

    /// How the request on the hop's connection ended.
    var requestEnd: Connection.RequestEnd {
        guard case .failure(let error) = self else { return .ended }
        return error.code == .requestTimedOut || error.code == .stalled ? .timedOut : .failed
    }

    /// Whether the server may have moved to another address.
    var doubtsAddresses: Bool {
        switch self {
        case .failure(let error):
            requestEnd == .timedOut || [.cannotConnect, .connectionRefused, .connectTimedOut].contains(error.code)
        case .sendAgain(_, let error): error != nil
        case .response, .redirect, .reconnect: false
        }
    }
}
#endif
