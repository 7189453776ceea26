#if os(Linux)
import CNetChainCurl
import NodeCore

/// Where the body of the answer under way goes when it is not memory.
enum CurlBodySink {
    case file(FileWriter)
    case stream(ByteBuffer)
}

extension CurlTransfer {
    /// Opens what earlier attempts have left, once, and looks at the body.
    func prepare() throws(TransportError) {
        do throws(CurlBodyError) {
            try bodyReader.skipEmptySegments()
        } catch {
            throw TransportError(error.code, of: request, redirects: redirects, reason: error.message, cause: error)
        }
        guard partial == nil, request.method == .get, case .file(let url, true) = request.options.destination else {
            return
        }
        do throws(FileWriter.Failure) {
            let partial = try PartialFile(of: url, request: request.url)
            for (name, value) in partial.headers { hop.headers[name] = value }
            self.partial = partial
        } catch {
            throw TransportError(.destinationFailed, of: request, reason: error.description)
        }
    }

    /// The request without a range, after an answer that doesn't fit what there is of the file.
    var hopWithoutRange: RawUrlRequest {
        var next = hop
        next.headers["Range"] = nil
        next.headers["If-Range"] = nil
        return next
    }

    /// Looks at a whole head that is final: a successful answer's body goes where the request asked for. Returns
    /// whether the transfer may go on.
    func openDestination() -> Bool {
        guard let easy, !isInterim, sink == nil, hop.method != .head else { return true }
        if let partial { return openPartial(partial) }
        guard (200..<300).contains(status) else { return true }
        switch request.options.destination {
        case .memory: break
        case .file(let url, _):
            do throws(FileWriter.Failure) {
                sink = .file(try FileWriter(url, onRoom: onRoom))
            } catch {
                failure = (.destinationFailed, error.description)
                return false
            }
        case .stream:
            let buffer = ByteBuffer(
                onRoom: onRoom,
                onAbandon: { [weak self, loop] in
                    if let self { loop?.cancel(self) }
                })
            sink = .stream(buffer)
            var answer = answer(easy)
            answer.bytes = ByteStream(buffer)
            context.emit(data: answer)
            forgetAnswer()
        }
        return true
    }

    /// Goes on after a piece of the body that there was no room for.
    private var onRoom: @Sendable () -> Void {
        { [weak self, loop] in
            if let self { loop?.resume(self) }
        }
    }

    private func openPartial(_ partial: PartialFile) -> Bool {
        do throws(FileWriter.Failure) {
            let headers = HttpHeaders(block: headerBlock)
            switch try partial.verdict(status: status, headers) {
            case .refused: return true
            case .write, .whole:
                sink = .file(FileWriter(partial, onRoom: onRoom))
                return true
            case .startAgain: mustStartAgain = true
            case .unasked:
                failure = (.invalidResponse, "the server sent a part of the file without being asked for one")
            }
        } catch {
            failure = (.destinationFailed, error.description)
        }
        return false
    }

    /// Takes a piece of the body; what libcurl's write callback returns, nil when it belongs into memory.
    func divert(_ bytes: UnsafeRawBufferPointer) -> Int? {
        switch sink {
        case nil: return nil
        case .stream(let buffer): return buffer.write(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
        // What comes with a 416 is no part of the file.
        case .file where partial != nil && status == 416: return bytes.count
        case .file(let writer):
            do throws(FileWriter.Failure) {
                return try writer.write(bytes) ? bytes.count : Int(CURL_WRITEFUNC_PAUSE)
            } catch {
                failure = (.destinationFailed, error.description)
                return 0
            }
        }
    }

    /// The answer whose body has come to its end.
    func finished(_ answer: UrlDataResponse) throws(TransportError) -> UrlDataResponse {
        guard case .file(let writer) = sink, case .file(let url, _) = request.options.destination else { return answer }
        do throws(FileWriter.Failure) {
            try writer.flush()
        } catch {
            throw TransportError(.destinationFailed, of: request, reason: error.description)
        }
        if let missing = partial?.missing {
            throw TransportError(
                .truncatedResponse, of: request, redirects: redirects,
                reason: "the server sent a part of what it announced: \(missing) bytes are missing")
        }
        do throws(FileWriter.Failure) {
            try writer.complete()
        } catch {
            throw TransportError(.destinationFailed, of: request, reason: error.description)
        }
        sink = nil
        var answer = answer
        // Nothing was missing.
        if answer.statusCode == 416 { answer.statusCode = 206 }
        answer.file = url
        return answer
    }

    /// Settles the request, or ends the stream of one that has been settled with it. A file that isn't complete is gone
    /// before anybody hears of the failure.
    func settle(_ result: Result<UrlDataResponse, TransportError>) {
        var stream: ByteBuffer?
        if case .stream(let buffer) = sink { stream = buffer }
        sink = nil
        partial = nil
        switch (stream, result) {
        case (let buffer?, .success): buffer.finish(nil)
        case (let buffer?, .failure(let error)): buffer.finish(error)
        case (_, .success(let answer)): context.emit(data: answer)
        case (_, .failure(let error)): context.emit(error: error)
        }
    }
}
#endif
