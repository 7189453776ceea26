#if os(Linux)
import CNetChainCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// What libcurl calls while it works, on the loop's thread. Returning another count than asked for ends the transfer.
extension CurlTransfer {
    func setCallbacks(of easy: CurlEasyHandle) {
        let context = Unmanaged.passUnretained(easy).toOpaque()
        netchain_set_data_function(easy.raw, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlEasyHandle.withTransfer(of: context, else: 0) { $0.receive(bytes, size * count) }
        }
        easy.set(CURLOPT_WRITEDATA, context)
        netchain_set_data_function(easy.raw, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            CurlEasyHandle.withTransfer(of: context, else: 0) { $0.receiveHeader(bytes, size * count) }
        }
        easy.set(CURLOPT_HEADERDATA, context)
        if !hop.body.isEmpty {
            netchain_set_data_function(easy.raw, CURLOPT_READFUNCTION) { bytes, size, count, context in
                CurlEasyHandle.withTransfer(of: context, else: Int(CURL_READFUNC_ABORT)) {
                    $0.send(bytes, size * count)
                }
            }
            easy.set(CURLOPT_READDATA, context)
            netchain_set_seek_function(easy.raw) { context, offset, _ in
                CurlEasyHandle.withTransfer(of: context, else: CURL_SEEKFUNC_FAIL) {
                    $0.rewindBody(to: Int64(offset)) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
                }
            }
            easy.set(CURLOPT_SEEKDATA, context)
        }
        netchain_set_open_function(
            easy.raw,
            { context, _, address in
                guard let address else { return CURL_SOCKET_BAD }
                return CurlEasyHandle.withTransfer(of: context, else: CURL_SOCKET_BAD) {
                    $0.openSocket(address.pointee)
                }
            }, context)
        let canWatch = netchain_set_prerequest_function(
            easy.raw,
            { context, remoteAddress, _, remotePort, localPort in
                let connection = CurlSockets.Connection(
                    remoteAddress: remoteAddress, remotePort: remotePort, localPort: localPort)
                return CurlEasyHandle.withTransfer(of: context, else: CURL_PREREQFUNC_ABORT) {
                    $0.mayBeSentNow(over: connection, at: remoteAddress) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
                }
            }, context)
        // Where libcurl doesn't ask, a connection that has served nobody keeps it from sending twice.
        if isSecondTry || canWatch != CURLE_OK && !mayBeSentAgain { easy.set(CURLOPT_FRESH_CONNECT, true) }
        if hops != nil { watchSending(of: easy, context) }
        if request.options.onProgress != nil { watchProgress(of: easy) }
    }

    /// Has libcurl call this transfer again and again, the last time just before it closes the connection.
    private func watchProgress(of easy: CurlEasyHandle) {
        netchain_set_progress_function(easy.raw) { context, total, done, uploadTotal, uploaded in
            CurlEasyHandle.withTransfer(of: context, else: 0) {
                $0.noteCloseNotify()
                $0.tellProgress(
                    sent: Int64(uploaded), of: Int64(uploadTotal), received: Int64(done), of: Int64(total),
                    isLast: false)
                return 0
            }
        }
        easy.set(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(easy).toOpaque())
        easy.set(CURLOPT_NOPROGRESS, false)
    }

    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes else { return 0 }
        defer {
            if !hop.body.isEmpty { stopSending() }
        }
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        return chunks == nil ? receiveBody(raw) : receiveChunks(raw)
    }

    /// Bytes of memory that are set aside for an announced body; a server may announce what it likes.
    private static let mostReserved: Int64 = 1 << 30

    /// Takes a piece of the body as it is meant; what libcurl's write callback returns.
    func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        if let result = divert(bytes) { return result }
        let limit = configuration.limits.responseSize
        if body.isEmpty, let easy {
            let expected = easy.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
            sender.noteBody(max(expected, Int64(bytes.count)))
            if expected == Int64(bytes.count), bytes.count <= limit {
                // All of it at once, as small ones come.
                body.takeWhole(bytes)
                // libcurl is done with the connection, and may give it to the next one before it tells of this one's end.
                if decoding == nil, let descriptor { sockets?.noteFree(descriptor, by: self) }
                return bytes.count
            }
            if expected > 0 { body.reserveCapacity(Int(min(expected, Int64(limit), Self.mostReserved))) }
        }
        guard bytes.count <= limit - body.count else {
            failure = (.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
            return 0
        }
        guard let start = bytes.baseAddress else { return 0 }
        body.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        return bytes.count
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes else { return 0 }
        let limit = configuration.limits.headerSize
        guard count <= limit - headerSize else {
            failure = (.headersTooLarge, "the headers are larger than limits.headerSize, \(limit) bytes")
            return 0
        }
        if headerSize == 0 { moments?.firstByte = .now }
        headerSize += count
        // Fields after the body (trailers, RFC 9110 §6.5) are not headers.
        if hasWholeHead, !isInterim { return count }
        let line = UnsafeRawBufferPointer(start: bytes, count: count)
        do throws(ResponseFraming.Violation) {
            if framing == nil || hasWholeHead {
                try beginHead(line)
            } else if line.first == 0x0D || line.first == 0x0A {
                hasWholeHead = true
                try framing?.end()
                if isExpectationRejected { return 0 }
                if framing?.bodyEnd == .lastChunk {
                    chunks = ChunkedBody(overheadLimit: limit - headerSize)
                }
                if needsCloseNotify, let easy {
                    watchProgress(of: easy)
                }
                openDecoding()
                if !openDestination() { return 0 }
                if !hop.body.isEmpty { stopSending() }
            } else {
                headerBlock.append(line)
                try framing?.take(line)
            }
        } catch {
            failure = (error.code, error.reason)
            return 0
        }
        return count
    }

    /// Takes a status line: the first one, or that after an interim response, like `HTTP/1.1 103 …`.
    private func beginHead(_ line: UnsafeRawBufferPointer) throws(ResponseFraming.Violation) {
        let new = try ResponseFraming(statusLine: line, of: hop, mayBeHttp2: mayBeHttp2)
        framing = new
        if hops != nil { statusLine = Array(line) }
        headerBlock.bytes.removeAll(keepingCapacity: true)
        hasWholeHead = false
        // Noted while the connection is surely open: its descriptor may be another's by the end of the transfer.
        if let descriptor { sockets?.noteAnswer(on: descriptor, isHttp1: new.isHttp1) }
    }

    /// Whether the connection may speak HTTP/2.
    private var mayBeHttp2: Bool {
        switch configuration.httpVersion {
        case .automatic: hop.isHttps
        case .http1: false
        case .http2PriorKnowledge: true
        }
    }

    /// Asked before the request goes out, also when libcurl wants to send it again by itself.
    ///
    /// libcurl does that, whatever the method, when a connection that it used before dies without a byte of an answer:
    /// what the server made of the request is not known then. The loop decides about a second sending, not libcurl.
    private func mayBeSentNow(
        over connection: CurlSockets.Connection, at address: UnsafePointer<CChar>?
    ) -> Bool {
        let isNewConnection = easy.map { $0.long(CURLINFO_NUM_CONNECTS) > 0 } ?? true
        descriptor = sockets?.descriptor(of: connection, at: address, likely: openedDescriptor)
        remoteAddress = descriptor.flatMap { sockets?.remoteAddress(of: $0) }
        let isSilent = descriptor.flatMap { sockets?.use($0, by: self) } ?? false
        if !wasSent, !isSilent, let descriptor, let sockets {
            if !isNewConnection, sockets.discardIfSpoiled(descriptor) {
                isConnectionSpoiled = true
                return false
            }
            if isNewConnection, isServerSilentAtFirst, sockets.discardIfSpoken(descriptor) {
                failure = (.invalidResponse, "the server sent something before it was asked")
                return false
            }
        }
        if wasSent {
            hasLostConnection = true
            return false
        }
        wasSent = true
        return true
    }

    /// Whether the server of a new connection has nothing to say before the first request. With TLS and with HTTP/2 it
    /// has, and a proxy may.
    private var isServerSilentAtFirst: Bool {
        !hop.isHttps && !hasProxy && configuration.httpVersion != .http2PriorKnowledge
    }

    /// No new connection is made for a second sending by libcurl.
    private func openSocket(_ address: curl_sockaddr) -> Int32 {
        if wasSent {
            hasLostConnection = true
            return CURL_SOCKET_BAD
        }
        openedDescriptor = sockets?.open(address)
        return openedDescriptor ?? CURL_SOCKET_BAD
    }

    private func send(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        if isRefused {
            if isAnswerWhole { return Int(CURL_READFUNC_ABORT) }
            // Where nothing tells how long the answer is, its end is no event here: what is left to send ends now, and
            // libcurl waits for the answer alone.
            return hasAnswerLength ? Int(CURL_READFUNC_PAUSE) : 0
        }
        let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
        do throws(BodyFailure) {
            return try sendBody(into: buffer)
        } catch {
            failure = (error.code, error.message)
            failureCause = error.cause
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Tells the caller how far it is, at most twenty times a second and once at the end.
    func tellProgress(sent: Int64, of toSend: Int64, received: Int64, of toReceive: Int64, isLast: Bool) {
        guard let onProgress = request.options.onProgress else { return }
        let now = Moment.now
        let last = moments?.lastProgress ?? moments?.start ?? now
        guard isLast || last.duration(to: now) >= .milliseconds(50) else { return }
        moments?.lastProgress = now
        let isBodyKnown = !hop.body.isEmpty
        // The body of a refusal or of a redirect is no part of the file, and would look like its end.
        let isCounted = if case .file = request.options.destination { sink != nil } else { true }
        // Whoever is told may take his time.
        sockets?.uncork()
        onProgress(
            TransferProgress(
                sent: bytesSent(sent), totalToSend: toSend > 0 ? toSend : isBodyKnown ? hop.body.length : nil,
                received: isCounted ? bytesReceived(received) : 0,
                totalToReceive: isCounted && toReceive > 0 ? toReceive : nil,
                alreadyReceived: partial?.alreadyReceived ?? 0))
    }
}
#endif
