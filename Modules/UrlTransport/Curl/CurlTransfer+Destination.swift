#if os(Linux)
import CNetChainCurl
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the body of the answer under way goes when it is not memory.
enum CurlBodySink {
    case file(FileWriter)
    case stream(ByteBuffer)
}

extension RawUrlRequest {
    /// The file that is loaded in several attempts, if there is one.
    var resumedFile: URL? {
        if method == .get, case .file(let url, true) = options.destination { url } else { nil }
    }
}

extension CurlTransfer {
    /// Opens what earlier attempts have left, once, and looks at the body.
    func prepare() throws(TransportError) {
        do throws(CurlBodyError) {
            try bodyReader.skipEmptySegments()
        } catch {
            throw TransportError(error.code, of: request, redirects: redirects, reason: error.message, cause: error)
        }
        guard partial == nil, let url = request.resumedFile else { return }
        do throws(FileWriter.Failure) {
            let partial = try PartialFile(of: url, request: request.url, turn: turn.take())
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
        if case .memory = request.options.destination { return true }
        guard let easy, !isInterim, sink == nil, hop.method != .head else { return true }
        if let partial { return openPartial(partial) }
        guard (200..<300).contains(status) else { return true }
        switch request.options.destination {
        case .memory: break
        case .file(let url, _):
            do throws(FileWriter.Failure) {
                sink = .file(FileWriter(try TemporaryFile(for: url), onRoom: onRoom))
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
                partial.seekToEnd()
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

    /// Takes a piece of the body; what libcurl's write callback returns, nil when it belongs in memory.
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

    /// The answer whose body has come to its end, and the file that it will be in.
    func finished(_ answer: UrlDataResponse) -> UrlDataResponse {
        guard case .file = sink, case .file(let url, _) = request.options.destination else { return answer }
        var answer = answer
        // Nothing was missing. The headers stay those of the 416.
        if answer.statusCode == 416 { answer.statusCode = 206 }
        answer.file = url
        return answer
    }

    /// Settles the request, or ends the stream of one that has been settled with it. A file is whole, or let go of, before
    /// anybody hears of the end.
    func settle(_ result: Result<UrlDataResponse, TransportError>) {
        guard case .stream(let buffer) = sink else {
            // A closure is an allocation, which only those with a file pay.
            if hasFile { endFile(result) { [self] in tell($0) } } else { tell(result) }
            return
        }
        sink = nil
        switch result {
        case .success: buffer.finish(nil)
        case .failure(let error): buffer.finish(error)
        }
    }

    /// Tells who waits for the answer.
    func tell(_ result: Result<UrlDataResponse, TransportError>) {
        context.end(with: result)
    }

    /// Whether a file has to come to its end before the request is settled.
    var hasFile: Bool {
        switch sink {
        case .file: true
        case .stream: false
        case nil: partial != nil
        }
    }

    /// Brings the transfer's file to its end, without waiting for it. `then` is called on the file's queue with what has
    /// become of the result.
    func endFile(
        _ result: Result<UrlDataResponse, TransportError>,
        then: @escaping @Sendable (Result<UrlDataResponse, TransportError>) -> Void
    ) {
        guard case .success(let answer) = result, case .file(let writer) = sink else {
            return letGoOfFile { then(result) }
        }
        sink = nil
        partial = nil
        let (context, request, redirects, hops) = (context, request, redirects, hops)
        writer.finish(isWanted: { !context.isSettled }) { end in
            guard let error = end.error(of: request, redirects: redirects, answer) else { return then(result) }
            hops?.end { $0.failure = error }
            then(.failure(error))
        }
    }

    /// Gives up where the body goes. `then` is called when a file has been let go of, on its queue, and not at all where
    /// there is none.
    func letGoOfFile(then: @escaping @Sendable () -> Void = {}) {
        defer {
            sink = nil
            partial = nil
        }
        if case .file(let writer) = sink {
            writer.abandon(then: then)
        } else if let partial {
            partial.letGo(then: then)
        }
    }
}

extension FileWriter.End {
    /// What an answer whose file came to this end fails with; nil for none.
    fileprivate func error(of request: RawUrlRequest, redirects: Int, _ answer: UrlDataResponse) -> TransportError? {
        var error: TransportError
        switch self {
        // Who doesn't want the file has settled the request.
        case .whole, .unwanted: return nil
        case .failed(let failure):
            error = TransportError(.destinationFailed, of: request, reason: failure.description)
        case .missing(let count):
            error = TransportError(
                .truncatedResponse, of: request, redirects: redirects,
                reason: "the server sent a part of what it announced: \(count) bytes are missing")
        }
        error.metrics = answer.metrics
        return error
    }
}
#endif
