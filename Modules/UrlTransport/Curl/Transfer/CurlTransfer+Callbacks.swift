#if os(Linux)
import CNetChainCurl
import FoundationEssentials

// The callbacks that libcurl calls on the event loop's thread. A callback converts the arguments, reports an event to
// the phase, and does what the phase returns. A data callback that returns neither its byte count nor a pause fails the
// transfer.
extension CurlTransfer {
    func setCallbacks(of easy: CurlEasyHandle) {
        let context = easy.context
        netchain_set_data_function(easy.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let easy = CurlEasyHandle.of(context: context), let bytes else { return 0 }
            return easy.transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count), easy)
        }
        easy.set(CURLOPT_WRITEDATA, context)
        netchain_set_data_function(easy.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let easy = CurlEasyHandle.of(context: context), let bytes else { return 0 }
            return easy.transfer.receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count), easy)
        }
        easy.set(CURLOPT_HEADERDATA, context)
        if !hop.request.body.isEmpty { setSendingCallbacks(of: easy) }
        netchain_set_open_function(
            easy.raw,
            { context, _, address in
                guard let easy = CurlEasyHandle.of(context: context), let address else { return CURL_SOCKET_BAD }
                return easy.transfer.openSocket(address.pointee, easy)
            }, context)
        easy.connections.observeCloses(of: easy.raw)
        netchain_set_prerequest_function(
            easy.raw,
            { context, remoteAddress, _, remotePort, localPort in
                guard let easy = CurlEasyHandle.of(context: context) else { return CURL_PREREQFUNC_ABORT }
                let addresses = Connection.Addresses(
                    remote: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort,
                    localPort: localPort)
                return easy.transfer.willSend(over: addresses, easy) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
        // Without this callback (before libcurl 7.80), a reused connection can't be checked, and libcurl would send the
        // request again by itself.
        hop.phase.isSentUnannounced = !LibcurlWorkarounds.asksBeforeSending
        if mayBeHttp2, !hop.request.mayBeSentTwice { easy.connections.observesStreams = true }
        if hop.trace != nil || mayBeHttp2 && easy.connections.observesStreams { observeReports(of: easy) }
        if request.options.onProgress != nil { observeProgress(of: easy) }
    }

    private func setSendingCallbacks(of easy: CurlEasyHandle) {
        netchain_set_data_function(easy.raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let easy = CurlEasyHandle.of(context: context) else { return Int(CURL_READFUNC_ABORT) }
            return easy.transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count), easy)
        }
        easy.set(CURLOPT_READDATA, easy.context)
        netchain_set_seek_function(easy.raw) { context, offset, _ in
            guard let easy = CurlEasyHandle.of(context: context) else { return CURL_SEEKFUNC_FAIL }
            return easy.transfer.rewindBody(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
        easy.set(CURLOPT_SEEKDATA, easy.context)
    }

    /// Has libcurl report what it sends, for a recorder, and streams that a server of HTTP/2 refuses.
    private func observeReports(of easy: CurlEasyHandle) {
        netchain_set_debug_function(
            easy.raw,
            { _, type, bytes, count, context in
                guard let easy = CurlEasyHandle.of(context: context) else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                if type == CURLINFO_TEXT {
                    if let message = LibcurlWorkarounds.StreamMessage(bytes) { easy.transfer.receive(message, easy) }
                } else {
                    easy.transfer.hop.trace?.didSend(type, bytes)
                }
                return 0
            }, easy.context)
    }

    private func receive(_ message: LibcurlWorkarounds.StreamMessage, _ easy: CurlEasyHandle) {
        if case .opened(let stream) = message { hop.connection.stream = stream }
        guard let connection = hop.connection.used, let session = hop.connection.tlsSession else { return }
        switch message {
        case .opened: break
        case .goAway(let lastStream, let isError):
            // libcurl also attaches a transfer to connections that it checks or closes, and reports what it reads there.
            if !connection.isClosed, session == netchain_tls_session(easy.raw) {
                connection.didReceiveGoAway(lastStream: lastStream, isError: isError)
            }
        case .refused: if !connection.hasGoAwayError { hop.phase.isUnprocessed = true }
        }
    }

    // MARK: Receiving

    private func receive(line: UnsafeRawBufferPointer, _ easy: CurlEasyHandle) -> Int {
        if !hop.phase.hasResponseStarted { hop.times.firstByte = .now }
        do throws(TransferFailure) {
            let kind = try hop.phase.receive(
                line: line, to: hop.request, limit: configuration.maxHeaderSize, mayBeHttp2: mayBeHttp2)
            switch kind {
            case .statusLine:
                hop.headers = HeaderBlock(capacity: 512)
                hop.trace?.statusLine = Array(line)
                let isHttp1 = hop.phase.framing?.isHttp1 ?? true
                hop.connection.used?.didReceiveStatusLine(isHttp1: isHttp1)
                if sharesConnections { easy.pool.update { $0.didReceive(isHttp1: isHttp1) } }
            case .field: hop.headers.append(line)
            case .endOfHead:
                if let seconds = hop.phase.framing?.keepAliveSeconds {
                    hop.connection.used?.didReceiveKeepAlive(seconds: seconds)
                }
                return beginBody(easy) ? line.count : 0
            case .endOfInterim, .trailer: break
            }
        } catch {
            hop.phase.fail(error)
            return 0
        }
        return line.count
    }

    /// Processes the complete final head. Returns whether the transfer continues.
    private func beginBody(_ easy: CurlEasyHandle) -> Bool {
        guard let framing = hop.phase.framing else { return false }
        // libcurl would send the request again with its `Expect`, over the same connection. The server may still wait
        // for the body there (RFC 9110 §10.1.1).
        if framing.status == 417, hop.request.headers["Expect"]?.lowercased().contains("100-continue") == true {
            hop.phase.abort(.expectationRejected)
            return false
        }
        guard let sink = makeSink(framing) else {
            hop.phase.abort(.partialFileRejected)
            return false
        }
        let undoesCodings = configuration.compression && framing.hasContentEncoding
        hop.responseBody = ResponseBody(
            framing, to: sink,
            contentCodings: undoesCodings ? HttpHeaders(block: hop.headers).values(of: "Content-Encoding") : [],
            overheadLimit: configuration.maxHeaderSize - hop.phase.headerSize)
        if requiresCloseNotify { observeProgress(of: easy) }
        if case .stream(let buffer) = sink {
            var response = response(easy)
            response.bytes = ByteStream(buffer)
            settleHead(response)
        }
        if hasWholeResponse, !didReceiveWholeResponse() { return false }
        stopSendingIfRejected(easy)
        return true
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ easy: CurlEasyHandle) -> Int {
        hop.connection.used?.didReceive()
        do throws(TransferFailure) {
            switch try hop.responseBody?.receive(bytes) {
            case .taken:
                if hasWholeResponse, !didReceiveWholeResponse() { return 0 }
                stopSendingIfRejected(easy)
                return bytes.count
            case .paused: return Int(CURL_WRITEFUNC_PAUSE)
            case .yielded:
                post(.resume(self))
                return Int(CURL_WRITEFUNC_PAUSE)
            case nil: return 0
            }
        } catch {
            hop.phase.fail(error)
            return 0
        }
    }

    /// Bytes of the response's body that were received. Some versions of libcurl count the chunk framing, too.
    func bytesReceived(_ counted: Int64) -> Int64 {
        hop.responseBody.flatMap { $0.isChunked ? $0.size : nil } ?? counted
    }

    /// Returns the sink for a response with a complete head. It is the request's destination for a success, and memory
    /// for other responses.
    ///
    /// Returns nil if the response doesn't fit the partial file.
    private func makeSink(_ framing: ResponseFraming) -> ResponseSink? {
        switch request.options.destination {
        case .memory: return memory(framing)
        case _ where hop.request.method == .head: return memory(framing)
        case .file(let url, _):
            guard let partial = partialFile else {
                // 204 and 205 have no content (RFC 9110 §15.3.5), so the file stays as it is.
                guard hop.isSuccess, hop.phase.status != 204, hop.phase.status != 205 else { return memory(framing) }
                return .file(FileWriter(TemporaryFile(for: url), onRoom: resumeAction), isComplete: false)
            }
            switch partial.verdict(status: hop.phase.status, HttpHeaders(block: hop.headers), from: hop.origin) {
            case .refused: return memory(framing)
            case .write, .whole:
                return .file(FileWriter(partial, onRoom: resumeAction), isComplete: hop.phase.status == 416)
            case .startAgain: return nil
            }
        case .stream:
            guard hop.isSuccess else { return memory(framing) }
            let buffer = ByteBuffer(
                onRoom: resumeAction,
                onAbandon: { [weak self, post] in
                    if let self { post(.cancel(self)) }
                })
            return .stream(buffer)
        }
    }

    private func memory(_ framing: ResponseFraming) -> ResponseSink {
        let expected = framing.bodyEnd == .noBody ? 0 : framing.contentLength ?? 0
        return .memory(MemorySink(limit: configuration.limits.responseSize, expected: expected))
    }

    // MARK: Progress

    /// Sets the progress callback. libcurl calls it repeatedly, the last time just before it closes the connection.
    private func observeProgress(of easy: CurlEasyHandle) {
        netchain_set_progress_function(easy.raw) { context, _, _, _, _ in
            guard let easy = CurlEasyHandle.of(context: context) else { return 0 }
            easy.transfer.checkCloseNotify(easy)
            easy.transfer.reportProgress(easy, isLast: false)
            return 0
        }
        easy.set(CURLOPT_XFERINFODATA, easy.context)
        easy.set(CURLOPT_NOPROGRESS, false)
    }

    /// Whether the body ends with the connection and needs a close_notify of TLS (RFC 9112 §9.8).
    var requiresCloseNotify: Bool {
        hop.isHttps && hop.phase.framing?.bodyEnd == .connection && configuration.tls.requiresCloseNotify
    }

    /// Checks TLS for a close_notify while the connection exists.
    private func checkCloseNotify(_ easy: CurlEasyHandle) {
        if requiresCloseNotify, !hop.hasCloseNotify { hop.hasCloseNotify = netchain_has_close_notify(easy.raw) != 0 }
    }

    /// Reports the progress to the caller, at most 20 times a second and once at the end of each hop.
    func reportProgress(_ easy: CurlEasyHandle, isLast: Bool) {
        guard let onProgress = request.options.onProgress else { return }
        let now = Moment.now
        let last = hop.times.lastProgress ?? hop.times.start
        guard isLast || last.duration(to: now) >= .milliseconds(50) else { return }
        hop.times.lastProgress = now
        // The body of an error response or of a redirect is not part of the file, so its bytes are not reported.
        let isCounted =
            switch (request.options.destination, hop.responseBody?.sink) {
            case (.memory, _), (.stream, _), (.file, .file): true
            case (.file, _): false
            }
        let toReceive = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        onProgress(
            TransferProgress(
                sent: bytesSent(easy.offset(CURLINFO_SIZE_UPLOAD_T)),
                totalToSend: hop.request.body.isEmpty ? nil : hop.request.body.length,
                received: isCounted ? bytesReceived(easy.offset(CURLINFO_SIZE_DOWNLOAD_T)) : 0,
                totalToReceive: isCounted && toReceive > 0 ? toReceive : nil,
                alreadyReceived: partialFile?.alreadyReceived ?? 0))
    }
}
#endif
