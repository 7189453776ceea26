#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages
import Logging

// Converts libcurl's result of a hop to what follows it.
extension Hop {
    /// Concludes the hop with libcurl's result. Returns what follows.
    func conclude(_ result: CURLcode) -> HopResult {
        // The next requests say why.
        if result == CURLE_HTTP2 { table.observesStreams = true }
        // A whole response counts, however the hop ended.
        let hopResult = hasWholeResponse ? responded() : unfinished(CurlReport(result, self))
        if let trace { record(hopResult, trace) }
        // Nothing was sent, so no exchange has completed.
        if case .reconnect(nil) = hopResult { return hopResult }
        reportProgressNow()
        return hopResult
    }

    /// Makes libcurl release the hop. If its connection is still being opened, that is closed.
    func detach(_ end: Connection.RequestEnd) {
        // libcurl would report the progress of a canceled hop once more.
        if transfer.options.onProgress != nil { easy.set(CURLOPT_NOPROGRESS, true) }
        multi.remove(easy.raw, isCompleted: result != nil)
        part.didEnd(
            shares: plan.sharesConnections, hasStartedSending: times.sendStart != nil, hasFailed: end == .failed)
        releaseConnection(end)
        transfer.requestBody.close()
        transfer.stage = .betweenHops
    }

    /// Ends the hop of a canceled transfer.
    ///
    /// libcurl closes a connection that is being opened for it. The thread of a name lookup ends by itself; before libcurl
    /// 7.87, libcurl waits for it.
    func cancel() {
        guard case .stream(let buffer) = transfer.responseBody?.sink else { return detach(.canceled) }
        // A stream ends with metrics, as it does otherwise.
        let metrics = metrics
        detach(.canceled)
        buffer.finish(CancellationError(), metrics: metrics)
    }

    /// Records at the connection that the request no longer uses it.
    func releaseConnection(_ end: Connection.RequestEnd) {
        guard let used = connection.used.take(), let sent = times.sendStart else { return }
        table.didEnd(end, over: used, sent: sent)
    }

    private func unfinished(_ report: CurlReport) -> HopResult {
        let outcome = exchange.didEnd(
            report, plan, over: connection,
            mayReconnect: request.body.canBeSent && !transfer.history.hasReconnected,
            hasServerMoved: hasTimeLeft && part.pool.mayHaveMoved(since: times.start))
        switch outcome {
        case .response: return responded()
        case .failure: return .failure(error(report))
        case .truncatedHead:
            return failure(.truncatedResponse, "the connection ended in the middle of the response's headers")
        case .lostConnection:
            var error = error(report)
            let isFinal = exchange.requiresHttp1 && configuration.httpVersion == .http2PriorKnowledge
            error.hasLostConnection = !isFinal
            return .failure(error)
        case .reconnect: return .reconnect(nil)
        case .reconnectOnce: return .reconnect(error(report))
        case .withoutRange: return .sendAgain(request)
        case .withoutExpectation:
            var next = request
            next.headers["Expect"] = nil
            guard next.body.canBeSent else {
                return failure(
                    .bodyAlreadySent, "the server rejected `Expect`, and the body is a stream that was read")
            }
            return .sendAgain(next)
        }
    }

    /// Concludes a hop with a response whose head is complete.
    private func responded() -> HopResult {
        do throws(TransportError) {
            if let next = try redirect() { return .redirect(next) }
        } catch {
            var error = error
            error.metrics = metrics
            return .failure(error)
        }
        let hasCloseNotify = requiresCloseNotify ? connection.hasCloseNotify : nil
        if let incomplete = transfer.responseBody?.incompleteness(hasCloseNotify: hasCloseNotify) {
            return failure(incomplete.code, incomplete.reason)
        }
        return .response(completed(response))
    }

    /// False shortly before the deadline, too: libcurl's clock may be ahead (``Moment``).
    private var hasTimeLeft: Bool {
        guard let remaining = transfer.remainingTime else { return true }
        return remaining > max(.milliseconds(5), transfer.timeLimit / 1000)
    }

    private func failure(_ code: TransportError.Code, _ reason: String) -> HopResult {
        .failure(transfer.error(code, reason))
    }

    /// Returns the response as received so far, complete or not.
    var response: HttpResponse {
        var response = HttpResponse(
            request: transfer.request, url: request.url, status: exchange.status,
            headers: HttpHeaders(block: headers), data: transfer.responseBody?.sink.data ?? Data(),
            metrics: metrics)
        if plan.hasLeftOrigin { response.hasLeftOrigin = true }
        if request.method != transfer.request.method { response.hasChangedMethod = true }
        return response
    }

    /// Returns the response with the URL of its file, if it has one.
    private func completed(_ response: HttpResponse) -> HttpResponse {
        guard case .file = transfer.responseBody?.sink, case .file(let url, _) = transfer.options.destination else {
            return response
        }
        var response = response
        // The partial file was complete. The headers stay those of the 416.
        if response.status == 416 { response.status = 206 }
        response.file = url
        return response
    }

    private func error(_ report: CurlReport) -> TransportError {
        let text = ProxyText.masked(report.text)
        let cause = CurlError(
            code: Int(report.result.rawValue), message: request.options.redaction.text(text),
            systemError: report.systemError)
        switch exchange.abortReason {
        case _ where exchange.requiresHttp1:
            let next =
                configuration.httpVersion == .http2PriorKnowledge
                ? ": set `httpVersion = .http1`" : ", and gets the next ones over it"
            return transfer.error(
                .protocolViolation, "the server requires HTTP/1.1 for this request\(next)", cause: cause)
        case .failure(let failure):
            return transfer.error(failure.code, failure.reason, cause: failure.cause ?? cause)
        case .lostConnection where exchange.hasFinalResponseStarted:
            return transfer.error(
                .truncatedResponse, "the connection ended before the whole response was received" + movedPart,
                cause: cause)
        case .lostConnection:
            guard exchange.mayBeProcessed else {
                return transfer.error(
                    .connectionLost, "the connection was lost before the server processed the request", cause: cause)
            }
            let known =
                request.mayBeSentTwice
                ? "the server may have received the request"
                : "a \(request.method) request is not sent twice, because the server may have received it"
            let reason =
                "the connection was lost before a response; "
                + (request.body.canBeSent ? known : "the body is a stream, which can't be sent again")
            return transfer.error(.connectionLost, reason, cause: cause)
        case .reconnect, .partialFileRejected, .expectationRejected, nil: break
        }
        switch exchange.culprit {
        case .clientCertificate:
            // Whether libcurl has a certificate for the server.
            let isShown = configuration.tls.clientCertificate.map(plan.mayShow) ?? false
            let words = isShown ? "rejected the" : "requires a"
            return transfer.error(
                .clientCertificateFailed, "the server \(words) client certificate (\(text))", cause: cause)
        case .proxy: return transfer.error(.proxyFailed, reason(of: .proxyFailed, text, report), cause: cause)
        case nil: break
        }
        let usesProxy = if case .url = configuration.proxy { plan.mayUseProxy } else { false }
        let code = TransportError.Code(report, of: exchange, usesProxy: usesProxy, hasTimedOut: !hasTimeLeft)
        return transfer.error(code, reason(of: code, text, report), cause: cause)
    }

    private func reason(of code: TransportError.Code, _ message: String, _ report: CurlReport) -> String {
        switch code {
        case .requestTimedOut: return transfer.timeoutReason
        case .stalled:
            let limit = stallLimit ?? .zero
            let least = configuration.minimumThroughput
            let words =
                least > 1 ? "fewer than \(least) bytes a second moved for \(limit)" : "no byte moved for \(limit)"
            return words + movedPart
        default: break
        }
        if let path = plan.unixSocket, let words = code.words(unixSocket: path, report.systemError) { return words }
        let words =
            code.words(
                message, report.systemError, isInTls: report.result == CURLE_SSL_CONNECT_ERROR,
                isOfProxy: report.hasFailedTlsOfProxy(plan))
            + ([.connectionLost, .truncatedResponse].contains(code) ? movedPart : "")
        // libcurl doesn't report which server it connected to.
        guard case .environment = configuration.proxy, plan.mayUseProxy,
            [.cannotConnect, .connectionRefused, .connectTimedOut].contains(code)
        else { return words }
        return words + "; the environment sets a proxy, which may be the cause"
    }

    /// How much of the response's body was received, or before its head is complete, how much of the request's body was
    /// sent; as the end of a sentence, empty where there is no body.
    private var movedPart: String {
        if exchange.hasCompleteHead {
            let whole = exchange.framing?.contentLength.map { " of \($0)" } ?? ""
            return "; \(bytesReceived)\(whole) bytes of the response's body were received"
        }
        if request.body.isEmpty { return "" }
        let whole = request.body.length.map { " of \($0)" } ?? ""
        return "; \(bytesSent)\(whole) bytes of the body were sent"
    }

    var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.total = times.start.duration(to: .now)
        metrics.redirects = transfer.history.redirects
        guard hasBegun else { return metrics }
        // A transfer that failed before it had a connection has opened none, too.
        let hasConnection = times.sendStart != nil || connection.used != nil
        metrics.reusedConnection = hasConnection && easy.long(CURLINFO_NUM_CONNECTS) == 0
        if !metrics.reusedConnection {
            metrics.nameLookup = easy.duration(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connect = easy.duration(CURLINFO_CONNECT_TIME_T)
            metrics.tls = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.requestStart = easy.duration(CURLINFO_PRETRANSFER_TIME_T)
        metrics.firstByte = times.firstByte.map { times.start.duration(to: $0) } ?? .zero
        if !request.body.isEmpty { metrics.bytesSent = bytesSent }
        metrics.bytesReceived = bytesReceived
        metrics.remoteAddress = plan.unixSocket ?? easy.string(CURLINFO_PRIMARY_IP) ?? ""
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
    /// secrets from another origin.
    private func redirect() throws(TransportError) -> HttpRequest? {
        let status = exchange.status
        guard RedirectRule(configuration.redirects).follows(status),
            let target = HttpHeaders(block: headers).locationReference, !target.isEmpty
        else { return nil }
        return try plan.redirected(status, to: target, count: transfer.history.redirects, original: transfer.request)
    }

    private func record(_ result: HopResult, _ trace: HopTrace) {
        var failure: TransportError?
        var response: HttpResponse?
        switch result {
        case .reconnect(nil): return trace.hopLog.discard()
        case .reconnect(let error?): failure = error
        case .failure(let error):
            failure = error
            if exchange.hasCompleteHead { response = self.response }
        case .redirect, .sendAgain: response = self.response
        case .response(let complete): response = complete
        }
        trace.write(response, failure, headerBytes: headers.bytes.count)
    }
}

/// What follows the completion of a hop in libcurl.
enum HopResult {
    case response(HttpResponse)
    case failure(TransportError)
    case redirect(HttpRequest)
    /// The next attempt, after a response that rejects an `Expect` or doesn't fit the partial file.
    case sendAgain(HttpRequest)
    /// The same request over a new connection: nothing was sent. The error says why another connection died; nil where a
    /// kept one can't be used.
    case reconnect(TransportError?)

    /// How the request on the hop's connection ended.
    var requestEnd: Connection.RequestEnd {
        guard case .failure(let error) = self else { return .ended }
        // A connection works whose server has refused the stream.
        if error.hasLostConnection, error.wasProcessed == .no { return .ended }
        return error.code == .requestTimedOut || error.code == .stalled ? .timedOut : .failed
    }

    /// Whether the server may have moved to another address.
    var doubtsAddresses: Bool {
        switch self {
        case .failure(let error):
            requestEnd == .timedOut
                || [.cannotConnect, .connectionRefused, .connectTimedOut].contains(error.code)
                || error.hasLostConnection
        case .reconnect(let error): error != nil
        case .response, .redirect, .sendAgain: false
        }
    }
}

extension CurlReport {
    /// Reads what libcurl knows of a hop.
    init(_ result: CURLcode, _ hop: Hop) {
        let (easy, connection) = (hop.easy, hop.connection)
        let socketError = connection.socketError
        self.init(
            result: result, message: LibcurlWorkarounds.withoutHeader(easy.errorMessage),
            systemError: socketError != 0 ? socketError : Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO)),
            isConnected: hop.hasBegun && easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
            hasCertificateRequest: connection.hasCertificateRequest,
            tunnelStatus: easy.long(CURLINFO_HTTP_CONNECTCODE),
            isProxyUnverified: easy.long(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0,
            writtenHead: easy.long(CURLINFO_REQUEST_SIZE), writtenBody: easy.offset(CURLINFO_SIZE_UPLOAD_T))
    }
}
#endif
