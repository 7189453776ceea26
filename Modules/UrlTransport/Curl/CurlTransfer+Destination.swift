#if os(Linux)
import CNetChainCurl
import Dispatch
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far a transfer is with its files, if it has any: those of its body, and its destination.
enum CurlFileStage {
    /// Nothing has been done.
    case closed
    /// They are made ready, on their queues.
    case opening
    case ready
    /// The body is complete, and the destination is completed or removed on its queue.
    case ending
}

/// Where the body of the answer under way goes when it is not memory.
enum CurlBodySink {
    case file(FileWriter)
    case stream(ByteBuffer)
}

extension HttpRequest {
    /// The file that is loaded in several attempts, if there is one.
    var resumedFile: URL? {
        if method == .get, case .file(let url, true) = options.destination { url } else { nil }
    }
}

extension CurlTransfer {
    /// Whether files have to be made ready before anything is sent.
    var needsFiles: Bool {
        fileStage == .closed && hasDestinationFile || bodyReader.uncheckedFiles != nil
    }

    private var hasDestinationFile: Bool {
        if case .file = request.options.destination { true } else { false }
    }

    /// Makes the files of the body and of the destination ready, on their queues. The loop is notified.
    func makeFilesReady() {
        let needsDestination = fileStage == .closed && hasDestinationFile
        fileStage = .opening
        guard let files = bodyReader.uncheckedFiles else { return makeDestinationReady() }
        files.begin { [weak self, loop] failure in
            guard let self else { return }
            if let failure {
                loop?.fileReady(self, .failure(failure))
            } else if needsDestination {
                makeDestinationReady()
            } else {
                loop?.fileReady(self, .success(nil))
            }
        }
    }

    /// Checks the place of the destination, and opens what earlier attempts have left. May be called by any thread.
    private func makeDestinationReady() {
        if let fileUse {
            fileUse.ask()
            // A cancel before that had no effect.
            if context.isSettled { fileUse.leave() }
            return
        }
        guard case .file(let url, _) = request.options.destination else { return }
        DispatchQueue(label: "netchain.file").async { [weak self, loop] in
            var result = Result<PartialFile?, BodyFailure>.success(nil)
            do throws(FileWriter.Failure) { try FileWriter.check(url) } catch { result = .failure(BodyFailure(error)) }
            if let self { loop?.fileReady(self, result) }
        }
    }

    /// The use of a file that is loaded in several attempts. Its callback opens the file on a queue, and notifies the loop.
    func use(of url: URL) -> PartialFileUse {
        PartialFileUse(at: url.path) { [weak self, loop, request = request.url] use, isGranted in
            guard isGranted else {
                if let self { loop?.fileReady(self, .failure(BodyFailure(PartialFile.isInUse(url.path)))) }
                return
            }
            let queue = DispatchQueue(label: "netchain.file")
            queue.async { [weak self] in
                // A transfer that is canceled meanwhile is not kept.
                if self == nil { return use.close() }
                do throws(FileWriter.Failure) {
                    let file = try PartialFile(of: url, request: request, queue: queue) { use.close() }
                    if let self { loop?.fileReady(self, .success(file)) } else { file.letGo() }
                } catch {
                    use.close()
                    if let self { loop?.fileReady(self, .failure(BodyFailure(error))) }
                }
            }
        }
    }

    /// Completes the hop's headers by what there is of the file.
    func askForRest() {
        guard let partial else { return }
        for name in ["Range", "If-Range"] { hop.headers[name] = nil }
        for (name, value) in partial.headers(for: hopOrigin) { hop.headers[name] = value }
    }

    private var hopOrigin: Origin {
        redirects == 0 ? origin : Origin(asLibcurlReads: hop.url.absoluteString) ?? Origin(hop.url)
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
        // 204 and 205 bring no content (RFC 9110 §15.3.5), so a file is left as it is.
        case .file(let url, _):
            if status != 204, status != 205 { sink = .file(FileWriter(TemporaryFile(for: url), onRoom: resumes)) }
        case .stream:
            let buffer = ByteBuffer(
                onRoom: resumes,
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

    private func openPartial(_ partial: PartialFile) -> Bool {
        switch partial.verdict(status: status, HttpHeaders(block: headerBlock), from: hopOrigin) {
        case .refused: return true
        case .write, .whole:
            sink = .file(FileWriter(partial, onRoom: resumes))
            return true
        case .startAgain: mustStartAgain = true
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
    func finished(_ answer: HttpResponse) -> HttpResponse {
        guard case .file = sink, case .file(let url, _) = request.options.destination else { return answer }
        var answer = answer
        // Nothing was missing. The headers stay those of the 416.
        if answer.statusCode == 416 { answer.statusCode = 206 }
        answer.file = url
        return answer
    }

    /// Settles the request, or ends the stream of one that has been settled with it. A file is whole, or let go of, before
    /// anybody hears of the end.
    func settle(_ result: Result<HttpResponse, TransportError>) {
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
    func tell(_ result: Result<HttpResponse, TransportError>) {
        context.settle(result)
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
        _ result: Result<HttpResponse, TransportError>,
        then: @escaping @Sendable (Result<HttpResponse, TransportError>) -> Void
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

extension BodyFailure {
    fileprivate init(_ failure: FileWriter.Failure) {
        self.init(message: failure.description, kind: .unwritable)
    }
}

extension FileWriter.End {
    /// What an answer whose file came to this end fails with; nil for none.
    fileprivate func error(of request: HttpRequest, redirects: Int, _ answer: HttpResponse) -> TransportError? {
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
