#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

// The callbacks that libcurl calls on the event loop's thread. A callback converts the arguments, reports an event to
// the exchange, and does what that returns. A data callback that returns neither its byte count nor a pause fails the
// transfer.
extension Hop {
    /// Sets the callbacks that all hops of the handle's kind need.
    func setCallbacks() {
        netchain_set_data_function(easy.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            guard let hop = Hop.of(context), let bytes else { return 0 }
            return hop.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        easy.set(CURLOPT_WRITEDATA, easy.context)
        netchain_set_data_function(easy.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            guard let hop = Hop.of(context), let bytes else { return 0 }
            return hop.receiveLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        easy.set(CURLOPT_HEADERDATA, easy.context)
        netchain_set_open_function(
            easy.raw,
            { context, _, address in
                guard let hop = Hop.of(context), let address else { return CURL_SOCKET_BAD }
                return hop.openSocket(address.pointee)
            }, easy.context)
        table.observeCloses(of: easy.raw)
        netchain_set_prerequest_function(
            easy.raw,
            { context, remoteAddress, _, remotePort, localPort in
                guard let hop = Hop.of(context) else { return CURL_PREREQFUNC_ABORT }
                let addresses = Connection.Addresses(
                    remote: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort,
                    localPort: localPort)
                return hop.willSend(over: addresses) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, easy.context)
        if kind.observesReports { observeReports() }
    }

    func setSendingCallbacks() {
        netchain_set_data_function(easy.raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
            guard let hop = Hop.of(context) else { return Int(CURL_READFUNC_ABORT) }
            return hop.readBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        easy.set(CURLOPT_READDATA, easy.context)
        netchain_set_seek_function(easy.raw) { context, offset, _ in
            guard let hop = Hop.of(context) else { return CURL_SEEKFUNC_FAIL }
            return hop.rewindBody(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
        easy.set(CURLOPT_SEEKDATA, easy.context)
    }

    /// Makes libcurl report what it sends, for a recorder, and streams that a server of HTTP/2 refuses.
    private func observeReports() {
        netchain_set_debug_function(
            easy.raw,
            { _, type, bytes, count, context in
                guard let hop = Hop.of(context) else { return 0 }
                let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
                if type == CURLINFO_TEXT {
                    if let message = LibcurlWorkarounds.StreamMessage(bytes) { hop.receive(message) }
                } else {
                    hop.trace?.didSend(type, bytes)
                }
                return 0
            }, easy.context)
    }

    private func receive(_ message: LibcurlWorkarounds.StreamMessage) {
        if case .opened(let stream) = message { return connection.stream = stream }
        guard let used = connection.used else { return }
        if case .refused = message, !used.hasGoAwayError { exchange.streamWasRefused() }
        // libcurl also reports what it reads on other connections, which it checks or closes: their TLS session differs.
        // Without TLS it can't be told which connection it is.
        if case .goAway(let last, let reason) = message, let session = connection.tlsSession, !used.isClosed,
            session == netchain_tls_session(easy.raw)
        {
            used.didReceiveGoAway(lastStream: last, reason)
        }
    }

    // MARK: Receiving

    private func receiveLine(_ line: UnsafeRawBufferPointer) -> Int {
        if !exchange.hasResponseStarted { times.firstByte = .now }
        do throws(TransferFailure) {
            let kind = try exchange.receive(
                line: line, to: request, limit: configuration.maxHeaderSize, mayBeHttp2: plan.mayBeHttp2)
            switch kind {
            case .statusLine:
                cookies?.responseBegins(on: easy)
                headers = HeaderBlock(capacity: 512)
                trace?.statusLine = Array(line)
                let isHttp1 = exchange.framing?.isHttp1 ?? true
                connection.used?.didReceiveStatusLine(isHttp1: isHttp1)
                if plan.sharesConnections { part.updateAdmission { $0.didReceive(isHttp1: isHttp1) } }
            case .field: headers.append(line)
            case .endOfHead:
                cookies?.store(from: easy)
                if let seconds = exchange.framing?.keepAliveSeconds {
                    connection.used?.didReceiveKeepAlive(seconds: seconds)
                }
                return beginBody() ? line.count : 0
            case .endOfInterim, .trailer: break
            }
        } catch {
            exchange.fail(error)
            return 0
        }
        return line.count
    }

    /// Processes the complete final head. Returns whether the transfer continues.
    private func beginBody() -> Bool {
        guard let framing = exchange.framing else { return false }
        let target = exchange.bodyTarget(
            of: request, transfer.options.destination, isAccepted: { transfer.options.hasDestination($0) },
            resumption: transfer.partialFile?.resumption(
                status: framing.status, HttpHeaders(block: headers), from: plan.origin))
        guard let target else { return false }
        let sink = makeSink(target, framing)
        // The codings are of the whole, so a part can't be decoded (RFC 9110 §14.4). A 205 has no content (§15.3.6).
        let undoesCodings =
            configuration.compression && framing.hasContentEncoding && framing.status != 206 && framing.status != 205
        let onYield = undoesCodings ? transfer.resumeAction : nil
        transfer.responseBody = ResponseBody(
            framing, to: sink,
            contentCodings: undoesCodings ? HttpHeaders(block: headers).values(of: "Content-Encoding") : [],
            overheadLimit: configuration.maxHeaderSize - exchange.headerSize,
            excessLimit: configuration.limits.responseSize, onYield: onYield)
        // The last progress callback comes before libcurl closes the connection, and is the last chance to check.
        if requiresCloseNotify { observeProgress() }
        if case .stream(let buffer) = sink {
            var response = response
            response.bytes = ByteStream(buffer)
            if transfer.options.limitsHeadOnly { endTimeLimits() }
            transfer.settleHead(response)
        }
        return continueAfterResponse()
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        // With `CURLOPT_HEADER`, the lines of a head come here before `receiveLine` gets them.
        if kind.isUsual, LibcurlWorkarounds.keepsLastHeader, !exchange.hasCompleteHead {
            return exchange.admitLine(bytes) ? bytes.count : 0
        }
        connection.used?.didReceive()
        do throws(TransferFailure) {
            switch try transfer.responseBody?.receive(bytes) {
            case true?: return continueAfterResponse() ? bytes.count : 0
            case false?: return Int(CURL_WRITEFUNC_PAUSE)
            case nil: return 0
            }
        } catch {
            exchange.fail(error)
            return 0
        }
    }

    /// Bytes of the response's body that were received. Some versions of libcurl count the chunk framing, too.
    var bytesReceived: Int64 { transfer.responseBody?.size ?? 0 }

    private func makeSink(_ target: Exchange.BodyTarget, _ framing: ResponseFraming) -> ResponseSink {
        switch (target, transfer.options.destination, transfer.partialFile) {
        case (.stream, _, _):
            return .stream(ByteBuffer(onSpace: transfer.resumeAction) { [weak transfer] in transfer?.cancel() })
        case (.file, .file(let url, _), _):
            return .file(FileWriter(TemporaryFile(for: url), onSpace: transfer.resumeAction), isComplete: false)
        case (.partialFile(let isComplete), _, let file?):
            return .file(FileWriter(file, onSpace: transfer.resumeAction), isComplete: isComplete)
        case (.memory, _, _), (.file, _, _), (.partialFile, _, nil):
            let expected = framing.bodyEnd == .noBody || framing.status == 205 ? 0 : framing.contentLength ?? 0
            return .memory(MemorySink(limit: configuration.limits.responseSize, expected: expected))
        }
    }

    // MARK: Progress

    /// Sets the progress callback. libcurl calls it repeatedly, the last time just before it closes the connection.
    func observeProgress() {
        kind.isUsual = false
        netchain_set_progress_function(easy.raw) { context, _, _, _, _ in
            guard let hop = Hop.of(context) else { return 0 }
            hop.checkCloseNotify()
            hop.reportProgress()
            return 0
        }
        easy.set(CURLOPT_XFERINFODATA, easy.context)
        easy.set(CURLOPT_NOPROGRESS, false)
    }

    /// Whether the body ends with the connection and needs a close_notify of TLS (RFC 9112 §9.8).
    var requiresCloseNotify: Bool {
        plan.origin.isHttps && exchange.framing?.bodyEnd == .connection && configuration.tls.requiresCloseNotify
    }

    /// Checks TLS for a close_notify while the connection exists.
    private func checkCloseNotify() {
        guard requiresCloseNotify, !connection.hasCloseNotify else { return }
        connection.hasCloseNotify = netchain_has_close_notify(easy.raw) != 0
    }

    /// The shortest time between two reports, but for the last one.
    static let reportInterval = Duration.milliseconds(50)

    /// Reports the progress to the caller, at most 20 times a second and once at the end of each hop. Bytes within
    /// ``reportInterval`` of a report are reported after it, whether more follow or not.
    private func reportProgress() {
        guard transfer.options.onProgress != nil else { return }
        if mayReportProgress { return reportProgressNow() }
        guard !progress.isDue, progress.sent != bytesSent || progress.received != bytesReceived else { return }
        progress.isDue = true
        transfer.post(.reportLater(transfer))
    }

    /// Reports bytes that were too early. Call it ``reportInterval`` after they moved. If there was another report
    /// meanwhile, a later call follows for what has moved since.
    func reportDueProgress() {
        if progress.isDue, mayReportProgress { reportProgressNow() }
    }

    private var mayReportProgress: Bool { (progress.lastReport ?? times.start) + Self.reportInterval <= .now }

    func reportProgressNow() {
        guard let onProgress = transfer.options.onProgress else { return }
        progress = HopProgress(lastReport: .now, sent: bytesSent, received: bytesReceived)
        // The body of an error response or of a redirect is not part of the file, so its bytes are not reported.
        let isCounted =
            switch (transfer.options.destination, transfer.responseBody?.sink) {
            case (.memory, _), (.stream, _), (.file, .file): true
            case (.file, _): false
            }
        let toReceive = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        onProgress(
            TransferProgress(
                sent: bytesSent,
                totalToSend: request.body.isEmpty ? nil : request.body.length,
                received: isCounted ? bytesReceived : 0,
                totalToReceive: isCounted && toReceive > 0 ? toReceive : nil,
                alreadyReceived: transfer.partialFile?.alreadyReceived ?? 0))
    }
}
#endif
