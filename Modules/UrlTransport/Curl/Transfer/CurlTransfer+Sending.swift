#if os(Linux)
import CNetChainCurl
import Glibc

// Sends a request. The transfer pauses while a file or a stream has no bytes yet.
extension CurlTransfer {
    /// Decides whether libcurl may send the request over the connection that it has chosen.
    func willSend(over addresses: Connection.Addresses, _ easy: CurlEasyHandle) -> Bool {
        guard hop.phase.admitSending() else { return false }
        // libcurl tries several addresses. One of them has connected.
        hop.connection.socketError = 0
        // A request over a Unix domain socket has a new connection, which libcurl identifies by no port.
        if unixSocket == nil, !mayUse(addresses, easy) { return false }
        hop.phase.hasStartedSending = true
        hop.times.sendStart = .now
        return true
    }

    private func mayUse(_ addresses: Connection.Addresses, _ easy: CurlEasyHandle) -> Bool {
        let (connection, verdict) = easy.connections.willSend(
            over: addresses, isNew: easy.long(CURLINFO_NUM_CONNECTS) > 0,
            openedSocket: hop.connection.openedSocket, expectsSilence: isServerSilentAtFirst,
            hasDecryptedBytes: easy.hasDecryptedBytes)
        hop.connection.used = connection
        switch verdict {
        case .send:
            if mayBeHttp2, easy.connections.observesStreams {
                hop.connection.tlsSession = netchain_tls_session(easy.raw).map { UnsafeRawPointer($0) }
            }
            if sharesConnections {
                let isFirst = connection.map { !$0.mayBeShared } ?? false
                connection?.mayBeShared = true
                easy.pool.update { $0.didStartSending(isFirst: isFirst, streams: connection?.streams ?? 1) }
            }
            return true
        case .reconnect: hop.phase.abort(.staleConnection)
        case .closed: hop.phase.abort(.lostConnection)
        case .unsolicitedData:
            hop.phase.fail(TransferFailure(.invalidResponse, "the server sent data before the first request"))
        }
        return false
    }

    /// Whether the server sends nothing on a new connection before the first request.
    private var isServerSilentAtFirst: Bool {
        !hop.isHttps && !mayUseProxy && configuration.httpVersion != .http2PriorKnowledge
    }

    /// Opens a socket for libcurl, unless libcurl would send the request again by itself.
    func openSocket(_ address: curl_sockaddr, _ easy: CurlEasyHandle) -> Int32 {
        guard hop.phase.admitSending() else { return CURL_SOCKET_BAD }
        let socket = easy.connections.open(address, in: easy.pool)
        hop.connection.socketError = socket < 0 ? errno : 0
        if sharesConnections, !hop.connection.needsNew, hop.connection.openedSocket == nil {
            easy.pool.update { $0.didFindNoConnection() }
        }
        hop.connection.openedSocket = socket
        return socket
    }

    /// Reads a piece of the body. Returns the result of libcurl's read callback.
    func send(into buffer: UnsafeMutableRawBufferPointer, _ easy: CurlEasyHandle) -> Int {
        if hop.phase.isRejected {
            if hasWholeResponse { return Int(CURL_READFUNC_ABORT) }
            // Without a length, the end of the response is no event here. Sending ends now, and libcurl waits only for
            // the response. A libcurl that rejects a short body ends a paused one with the connection.
            let mayEnd = LibcurlWorkarounds.acceptsShortBodies || hop.request.body.length == nil
            let isResponseLengthKnown = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0
            return isResponseLengthKnown || !mayEnd ? Int(CURL_READFUNC_PAUSE) : 0
        }
        do throws(BodyFailure) {
            let count = try hop.requestBody.read(into: buffer, onReady: resumeAction)
            hop.requestBody.isWaiting = count == nil
            if let count { return count }
            // libcurl counts a pause of sending as a stall, unlike a pause of receiving.
            setStallLimit(of: easy, isOn: false)
            return Int(CURL_READFUNC_PAUSE)
        } catch {
            hop.phase.fail(TransferFailure(error))
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Bytes of the body that were sent. libcurl counts the chunk framing, too.
    func bytesSent(_ counted: Int64) -> Int64 {
        hop.request.body.length == nil ? hop.requestBody.streamed : counted
    }

    /// Ends a pause of sending, receiving, or both.
    func resume(_ easy: CurlEasyHandle) -> CURLcode {
        if hop.requestBody.mayWait { setStallLimit(of: easy, isOn: true) }
        return curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    /// Stops sending to a server that has rejected the request before the end of its body. The server reads no more.
    ///
    /// libcurl stops by itself unless the server closes the connection. While sending is paused, libcurl waits for the
    /// read callback even then. So each piece of the response makes libcurl call it.
    func stopSendingIfRejected(_ easy: CurlEasyHandle) {
        guard !hop.request.body.isEmpty, hop.phase.isRejected else { return }
        // The stall timeout is disabled while the body has no bytes. The transfer no longer waits for the body.
        if hop.requestBody.mayWait { setStallLimit(of: easy, isOn: true) }
        curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    /// Whether the final response was received to its end, whatever became of the request's body.
    var hasWholeResponse: Bool { hop.responseBody?.isWhole ?? false }

    /// Records a response that was received to its end. Returns false to end the hop: the server has responded, and the
    /// request's body has no bytes yet. After a status of 300 or more, sending ends in another way.
    func didReceiveWholeResponse() -> Bool {
        hop.connection.used?.hasWholeResponse = true
        return hop.phase.isRejected || !hop.requestBody.isWaiting
    }

    /// Continues the body at an offset, because libcurl sends it again. Returns false for a stream that was read.
    func rewindBody(to offset: Int64) -> Bool {
        if hop.requestBody.seek(to: offset) { return true }
        hop.phase.rewindFailed()
        return false
    }
}
#endif
