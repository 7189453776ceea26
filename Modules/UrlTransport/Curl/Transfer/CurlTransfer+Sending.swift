#if os(Linux)
import CNetChainCurl

// How a request is sent. The transfer pauses while a file or a sequence has nothing yet.
extension CurlTransfer {
    /// libcurl has chosen a connection and is about to send. Returns whether it may.
    func willSend(
        over addresses: Connection.Addresses, _ easy: CurlEasyHandle
    ) -> Bool {
        guard hop.phase.willSend() else { return false }
        hop.times.sent = .now
        let (connection, verdict) = easy.connections.willSend(
            ConnectionTable.Use(
                addresses: addresses, origin: origin, isNew: easy.long(CURLINFO_NUM_CONNECTS) > 0,
                openedSocket: hop.connection.openedSocket, expectsSilence: isServerSilentAtFirst))
        hop.connection.used = connection
        hop.connection.remoteAddress = addresses.remote
        switch verdict {
        case .send: return true
        case .reconnect(let needsNew): hop.phase.end(.staleConnection(needsNew: needsNew))
        case .unsolicitedData:
            hop.phase.fail(TransferFailure(.invalidResponse, "the server sent something before it was asked"))
        }
        return false
    }

    /// Whether the server of a new connection has nothing to say before the first request.
    private var isServerSilentAtFirst: Bool {
        !hop.isHttps && !settings.hasProxy && configuration.httpVersion != .http2PriorKnowledge
    }

    /// Opens a socket for libcurl, unless it is for a second sending of libcurl's own.
    func openSocket(_ address: curl_sockaddr, _ easy: CurlEasyHandle) -> Int32 {
        guard hop.phase.willOpenSocket() else { return CURL_SOCKET_BAD }
        let socket = easy.connections.open(address)
        hop.connection.openedSocket = socket
        return socket
    }

    /// Reads a piece of the body; what libcurl's read callback returns.
    func send(into buffer: UnsafeMutableRawBufferPointer, _ easy: CurlEasyHandle) -> Int {
        if hop.phase.isRejected {
            if hop.phase.isEarlyResponseComplete { return Int(CURL_READFUNC_ABORT) }
            // Where the response has no length, its end is no event here: sending ends now, and libcurl waits for the
            // response alone.
            return easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0 ? Int(CURL_READFUNC_PAUSE) : 0
        }
        do throws(BodyFailure) {
            if let count = try hop.requestBody.read(into: buffer, onReady: resumes) { return count }
            // libcurl counts a pause of the sending as a stall, unlike one of the receiving.
            setStallLimit(of: easy, isOn: false)
            return Int(CURL_READFUNC_PAUSE)
        } catch {
            hop.phase.fail(TransferFailure(error))
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Bytes of the body that were sent. libcurl counts the frames of chunks, too.
    func bytesSent(_ counted: Int64) -> Int64 {
        hop.request.body.length == nil ? hop.requestBody.streamed : counted
    }

    /// Ends a pause, which waited for a piece of the request's body or for the reader of the response's.
    func resume(_ easy: CurlEasyHandle) -> CURLcode {
        if hop.requestBody.mayWait { setStallLimit(of: easy, isOn: true) }
        return curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    /// Stops sending to a server that has rejected the request before the end of its body: it reads no more.
    ///
    /// libcurl stops by itself, unless the server closes the connection; and while sending is paused it waits for the read
    /// callback even then. So it is made to call that with each piece of the response.
    func stopSendingIfRejected(_ easy: CurlEasyHandle) {
        guard !hop.request.body.isEmpty, hop.phase.isRejected else { return }
        // It was off while the body had nothing. The body is not waited for any more.
        if hop.requestBody.mayWait { setStallLimit(of: easy, isOn: true) }
        let length = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        if length >= 0, easy.offset(CURLINFO_SIZE_DOWNLOAD_T) >= length { hop.phase.didReceiveWholeResponse() }
        curl_easy_pause(easy.raw, CURLPAUSE_CONT)
    }

    /// Continues the body at an offset, where libcurl wants to send it again; false for a stream that was read.
    func rewindBody(to offset: Int64) -> Bool {
        if hop.requestBody.seek(to: offset) { return true }
        hop.phase.rewindFailed()
        return false
    }
}
#endif
