#if os(Linux)
import CNetChainCurl
import Glibc
import HttpMessages

// Sends a request. The hop pauses while a file or a stream has no bytes yet.
extension Hop {
    /// Returns whether libcurl may send the request over the connection that it has chosen.
    func willSend(over addresses: Connection.Addresses) -> Bool {
        guard admitSending() else { return false }
        // libcurl tries several addresses. One of them has connected.
        connection.socketError = 0
        // A request over a Unix domain socket has a new connection, which libcurl identifies by no port.
        guard exchange.didCheck(plan.unixSocket == nil ? check(addresses) : .send) else { return false }
        times.sendStart = .now
        return true
    }

    private func admitSending() -> Bool {
        exchange.admitSending(
            fallsBackToHttp1: plan.mayBeHttp2 && LibcurlWorkarounds.fallsBackToHttp1(easy.errorMessage))
    }

    /// Checks a connection, and records that the request is sent over it.
    private func check(_ addresses: Connection.Addresses) -> Connection.Check {
        let isNew = easy.long(CURLINFO_NUM_CONNECTS) > 0
        if isNew {
            connection.hasCertificateRequest = netchain_has_certificate_request(easy.raw) != 0
        }
        let (used, check) = table.willSend(
            over: addresses, isNew: isNew,
            openedSocket: connection.openedSocket, expectsSilence: isServerSilentAtFirst,
            hasDecryptedBytes: easy.hasDecryptedBytes)
        connection.used = used
        guard check == .send else { return check }
        if isNew { part.pool.didConnect(started: times.start) }
        if plan.mayBeHttp2, table.observesStreams {
            connection.tlsSession = netchain_tls_session(easy.raw).map { UnsafeRawPointer($0) }
        }
        if plan.sharesConnections {
            // A connection counts from its first request on.
            let isFirst = used?.isCounted == false
            used?.isCounted = true
            part.updateAdmission { $0.didStartSending(isFirst: isFirst, streams: used?.streams ?? 1) }
        }
        return .send
    }

    /// Whether the server sends nothing on a new connection before the first request.
    private var isServerSilentAtFirst: Bool {
        !plan.origin.isHttps && !plan.mayUseProxy && configuration.httpVersion != .http2PriorKnowledge
    }

    /// Opens a socket for libcurl, unless libcurl would send the request again by itself.
    func openSocket(_ address: curl_sockaddr) -> Int32 {
        guard admitSending() else { return CURL_SOCKET_BAD }
        let socket = table.open(address, for: part)
        connection.socketError = socket < 0 ? errno : 0
        if plan.sharesConnections, !plan.needsNewConnection, connection.openedSocket == nil {
            part.updateAdmission { $0.didFindNoConnection() }
        }
        connection.openedSocket = socket
        return socket
    }

    /// Reads a piece of the body. Returns the result of libcurl's read callback.
    func readBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let step = exchange.stepOfReading(
            hasWholeResponse: hasWholeResponse, knowsLength: easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0,
            mayEndEarly: LibcurlWorkarounds.acceptsShortBodies || request.body.length == nil)
        switch step {
        case .proceed: break
        case .pause: return Int(CURL_READFUNC_PAUSE)
        case .end: return 0
        case .abort: return Int(CURL_READFUNC_ABORT)
        }
        do throws(BodyFailure) {
            let count = try transfer.requestBody.read(into: buffer, onReady: transfer.resumeAction)
            transfer.requestBody.isWaiting = count == nil
            if let count { return count }
            if hasWholeResponse { return Int(CURL_READFUNC_ABORT) }
            return Int(CURL_READFUNC_PAUSE)
        } catch {
            exchange.fail(TransferFailure(error))
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Bytes of the body that were sent. libcurl counts the chunk framing, too.
    var bytesSent: Int64 {
        request.body.length == nil ? transfer.requestBody.streamed : easy.offset(CURLINFO_SIZE_UPLOAD_T)
    }

    /// Continues after a pause of sending, receiving, or both. Returns libcurl's result if the hop ends.
    func resume() -> CURLcode? {
        let mayReceive: Bool
        do throws(TransferFailure) {
            mayReceive = try transfer.responseBody?.decodeRest() ?? true
        } catch {
            exchange.fail(error)
            return result ?? CURLE_WRITE_ERROR
        }
        if result != nil { return mayReceive ? result : nil }
        if mayReceive {
            if stepAfterResponse == .abort { return CURLE_WRITE_ERROR }
        }
        // If receiving stays paused, libcurl is called only to resume sending.
        guard mayReceive || transfer.requestBody.isWaiting else { return nil }
        let code = unpause(receiving: mayReceive)
        // libcurl may report only here, or nowhere, that a callback rejected data that it had kept.
        if exchange.abortReason != nil { return code }
        // A hop without a connection can't be paused: the command was for the previous hop.
        return code == CURLE_OK || code == CURLE_BAD_FUNCTION_ARGUMENT ? nil : code
    }

    /// Ends a pause of sending, and one of receiving, too. libcurl calls the callbacks.
    ///
    /// - Parameter receiving: whether receiving continues. That lets the server of HTTP/2 send a full window more, even
    ///   if libcurl still holds bytes. So all of them are taken, and must be decoded before the next call.
    private func unpause(receiving: Bool = true) -> CURLcode {
        // A callback may call this within the same call of libcurl.
        let wasResuming = transfer.responseBody?.isResuming ?? false
        transfer.responseBody?.isResuming = receiving
        defer { transfer.responseBody?.isResuming = wasResuming }
        return curl_easy_pause(easy.raw, receiving ? CURLPAUSE_CONT : CURLPAUSE_RECV)
    }

    /// Updates sending after a piece of the response. Returns false to end the hop.
    func continueAfterResponse() -> Bool {
        let step = stepAfterResponse
        if step == .resume { _ = unpause() }
        return step != .abort
    }

    private var stepAfterResponse: Exchange.ResponseStep {
        let isWhole = hasWholeResponse
        if isWhole { connection.used?.lastResponseIsWhole = true }
        return exchange.stepAfterResponse(
            isWhole: isWhole, hasBody: !request.body.isEmpty,
            isBodyWaiting: transfer.requestBody.isWaiting || awaitsContinue)
    }

    private var awaitsContinue: Bool {
        !request.body.isEmpty && !transfer.requestBody.hasBegun && request.expectsContinue
    }

    /// Continues the body at an offset, because libcurl sends it again. Returns false for a stream that was read.
    func rewindBody(to offset: Int64) -> Bool {
        if transfer.requestBody.seek(to: offset) { return true }
        exchange.rewindFailed()
        return false
    }
}
#endif
