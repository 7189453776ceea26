#if os(Linux)
import CNetChainCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What comes after libcurl is done with a hop.
enum CurlEnding {
    /// The answer or the error: settle the context with it.
    case response(HttpResponse)
    case failure(TransportError)
    /// A redirect to follow.
    case redirect(HttpRequest)
    /// The connection was closed before anything was sent: the same over another one.
    case reconnect
    /// The connection broke before a response came: the request is sent again, over a new one.
    case resend(after: TransportError)
    /// The request once more without what the server didn't take: a range of a file that changed, or an `Expect`.
    case startAgain(HttpRequest)
}

extension CurlTransfer {
    /// Tells what libcurl's end of this hop means.
    func ending(_ result: CURLcode, _ easy: CurlEasyHandle) -> CurlEnding {
        var ending = meaning(of: result, easy)
        switch ending {
        case .failure(var error):
            error.metrics = metrics(easy)
            ending = .failure(error)
        case .resend(var error):
            error.metrics = metrics(easy)
            ending = .resend(after: error)
        default: break
        }
        if let hops { tell(hops, ending, result, easy) }
        return ending
    }

    private func meaning(of result: CURLcode, _ easy: CurlEasyHandle) -> CurlEnding {
        if request.options.onProgress != nil {
            tellProgress(
                sent: easy.offset(CURLINFO_SIZE_UPLOAD_T), of: 0, received: easy.offset(CURLINFO_SIZE_DOWNLOAD_T),
                of: easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), isLast: true)
        }
        guard result == CURLE_OK || wasRefused(result), failure == nil else {
            if mustStartAgain { return .startAgain(hop) }
            if isExpectationRejected { return afterRejectedExpectation }
            if isConnectionSpoiled { return .reconnect }
            let error = error(result, easy)
            return hasLostConnection && mayBeSentAgain && !isSecondTry ? .resend(after: error) : .failure(error)
        }
        guard hasWholeHead else {
            return .failure(
                TransportError(
                    .truncatedResponse, of: request, redirects: redirects,
                    reason: "the connection ended in the middle of the answer's headers"))
        }
        do throws(TransportError) {
            if let next = try redirect(easy) { return .redirect(next) }
        } catch {
            return .failure(error)
        }
        if let (code, reason) = incompleteness {
            return .failure(TransportError(code, of: request, redirects: redirects, reason: reason))
        }
        return .response(finished(answer(easy)))
    }

    /// Whether the server rejected the request's `Expect: 100-continue`. Such a transfer ends with the head: libcurl would
    /// send the request again, with its `Expect`, over the connection on which the server may still wait for the body.
    var isExpectationRejected: Bool {
        status == 417 && hasWholeHead && !isInterim
            && hop.headers["Expect"]?.lowercased().contains("100-continue") == true
    }

    /// The same request once more without `Expect` (RFC 9110 §10.1.1); a 417 to that is the response.
    private var afterRejectedExpectation: CurlEnding {
        var next = hop
        next.headers["Expect"] = nil
        guard next.body.canBeSent else {
            let reason = "the server rejected `Expect`, and the body is a stream that was read"
            return .failure(TransportError(.bodyAlreadySent, of: request, redirects: redirects, reason: reason))
        }
        return .startAgain(next)
    }

    /// Whether the sending was ended, from here or by the server, with the whole of a refusal at hand.
    private func wasRefused(_ result: CURLcode) -> Bool {
        switch result {
        case CURLE_ABORTED_BY_CALLBACK, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2_STREAM:
            isAnswerWhole && failure == nil
        default: false
        }
    }

    /// What came, whole or not.
    func answer(_ easy: CurlEasyHandle) -> HttpResponse {
        var answer = emptyAnswer.take() ?? HttpResponse(request: request, statusCode: 0)
        answer.fill(
            url: hop.url, statusCode: status, headers: HttpHeaders(block: headerBlock), data: body.data
        ) { measure(easy, into: &$0) }
        return answer
    }

    func error(_ result: CURLcode, _ easy: CurlEasyHandle) -> TransportError {
        let systemError = Int32(truncatingIfNeeded: easy.long(CURLINFO_OS_ERRNO))
        let message = easy.errorMessage.isEmpty ? String(cString: curl_easy_strerror(result)) : easy.errorMessage
        let cause = CurlError(code: Int(result.rawValue), message: message, systemError: systemError)
        if let failure {
            return TransportError(
                failure.code, of: request, redirects: redirects, reason: failure.reason, cause: failureCause ?? cause)
        }
        if hasLostConnection {
            let rule = hop.mayBeSentTwice ? "" : "a \(hop.method) request is not sent twice, because "
            let reason =
                "the connection broke before an answer came; "
                + (hop.body.canBeSent
                    ? "\(rule)the server may have got it" : "the body is a stream, which can't be sent again")
            return TransportError(.connectionLost, of: request, redirects: redirects, reason: reason, cause: cause)
        }
        let progress = CurlProgressAtFailure(
            isConnected: easy.offset(CURLINFO_PRETRANSFER_TIME_T) > 0,
            hasAnswerStarted: headerSize > 0, hasWholeHead: hasWholeHead,
            hasRequestTimedOut: remainingTime.map { $0 <= .milliseconds(5) } ?? false,
            proxyRefused: easy.long(CURLINFO_HTTP_CONNECTCODE) >= 400,
            usesProxy: { if case .url = configuration.proxy { true } else { false } }())
        let code = TransportError.Code(result, systemError: systemError, message: message, at: progress)
        return TransportError(
            code, of: request, redirects: redirects, reason: code.words(message, systemError), cause: cause)
    }

    func metrics(_ easy: CurlEasyHandle) -> TransferMetrics {
        var metrics = TransferMetrics()
        measure(easy, into: &metrics)
        return metrics
    }

    /// Fills in what the hop took. What is empty before stays so where there is nothing to tell.
    private func measure(_ easy: CurlEasyHandle, into metrics: inout TransferMetrics) {
        metrics.reusedConnection = easy.long(CURLINFO_NUM_CONNECTS) == 0
        if !metrics.reusedConnection {
            metrics.nameLookup = easy.duration(CURLINFO_NAMELOOKUP_TIME_T)
            metrics.connect = easy.duration(CURLINFO_CONNECT_TIME_T)
            metrics.tls = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        }
        metrics.requestStart = easy.duration(CURLINFO_PRETRANSFER_TIME_T)
        if let moments, !hop.body.isEmpty {
            // libcurl's figure for it is, where a body is sent, when that began.
            metrics.firstByte = moments.firstByte.map { moments.start.duration(to: $0) } ?? .zero
        } else if headerSize > 0 {
            metrics.firstByte = easy.duration(CURLINFO_STARTTRANSFER_TIME_T)
        }
        metrics.total = moments?.start.duration(to: .now) ?? easy.duration(CURLINFO_TOTAL_TIME_T)
        if !hop.body.isEmpty { metrics.bytesSent = bytesSent(easy.offset(CURLINFO_SIZE_UPLOAD_T)) }
        metrics.bytesReceived = bytesReceived(easy.offset(CURLINFO_SIZE_DOWNLOAD_T))
        metrics.remoteAddress = remoteAddress ?? easy.string(CURLINFO_PRIMARY_IP) ?? ""
        metrics.redirects = redirects
        switch easy.long(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): metrics.httpVersion = "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_1_1): metrics.httpVersion = "HTTP/1.1"
        case Int(CURL_HTTP_VERSION_2_0): metrics.httpVersion = "HTTP/2"
        default: break
        }
    }

    /// The next hop, when the answer is a redirect to follow.
    ///
    /// It's followed here and not by libcurl, because there the method of a custom request stays what it was, and only
    /// some of the secrets are kept from other origins.
    private func redirect(_ easy: CurlEasyHandle) throws(TransportError) -> HttpRequest? {
        guard RedirectRule(configuration.redirects).follows(status),
            let target = easy.string(CURLINFO_REDIRECT_URL)
        else { return nil }
        return try nextHop(status, to: target)
    }

    /// What a redirect makes of this hop. Where a URL leads is what libcurl reads in it: an origin that another parser
    /// reads could be another one.
    func nextHop(_ status: Int, to target: String) throws(TransportError) -> HttpRequest {
        guard let url = URL(string: target) else {
            throw TransportError(
                .invalidResponse, of: request, redirects: redirects, reason: "a redirect leads to what is no URL")
        }
        return try RedirectRule(configuration.redirects).next(
            after: hop, status: status, to: url, count: redirects, original: request
        ) { Origin(asLibcurlReads: $0.absoluteString) }
    }
}
#endif
