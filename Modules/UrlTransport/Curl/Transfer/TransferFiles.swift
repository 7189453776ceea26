#if os(Linux)
import Dispatch
import FoundationEssentials
import HttpMessages

extension CurlTransfer {
    /// The files of the request's body and of its destination.
    enum Files {
        case unchecked
        /// They were checked, and opened where that is needed. With the partial file of a download in several attempts.
        case ready(PartialFile?)
    }

    var partialFile: PartialFile? {
        if case .ready(let file) = files { file } else { nil }
    }

    private var isDestinationUnchecked: Bool {
        if case .unchecked = files, case .file = options.destination { true } else { false }
    }

    /// Whether files must be checked or opened before anything is sent.
    var needsFiles: Bool { isDestinationUnchecked || requestBody.uncheckedFiles != nil }

    /// Checks and opens the files on their queues, then notifies the event loop.
    func prepareFiles() {
        let needsDestination = isDestinationUnchecked
        guard let bodyFiles = requestBody.uncheckedFiles else { return prepareDestination() }
        bodyFiles.begin { [weak self, post] failure in
            guard let self else { return }
            if failure == nil, needsDestination { return prepareDestination() }
            post(.filesReady(self, failure.map { .failure($0) } ?? .success(nil)))
        }
    }

    /// Checks the destination file, or requests the partial file, if there is one. Any thread may call it.
    private func prepareDestination() {
        if let use = fileUse {
            use.ask()
            // A cancellation before that had no effect.
            if reply.isSettled { use.leave() }
            return
        }
        guard case .file(let url, _) = options.destination else {
            return post(.filesReady(self, .success(nil)))
        }
        DispatchQueue(label: "netchain.file").async { [weak self, post] in
            var result = Result<PartialFile?, BodyFailure>.success(nil)
            do throws(BodyFailure) { try FileWriter.check(url) } catch { result = .failure(error) }
            if let self { post(.filesReady(self, result)) }
        }
    }

    /// Creates the use of a partial file. Once access is granted, it opens the file on a queue and notifies the event loop.
    func use(of url: URL) -> PartialFileUse {
        PartialFileUse(at: url.path) { [weak self, post, request = request.url] use, isGranted in
            guard isGranted else {
                if let self { post(.filesReady(self, .failure(PartialFile.isInUse(url.path)))) }
                return
            }
            let queue = DispatchQueue(label: "netchain.file")
            queue.async { [weak self] in
                // The transfer was canceled and released.
                if self == nil { return use.close() }
                do throws(BodyFailure) {
                    let file = try PartialFile(of: url, request: request, queue: queue) { use.close() }
                    if let self { post(.filesReady(self, .success(file))) } else { file.release() }
                } catch {
                    use.close()
                    if let self { post(.filesReady(self, .failure(error))) }
                }
            }
        }
    }

    func setRangeHeaders() {
        // Where a part is not accepted, the download begins from the start.
        guard let partial = partialFile, options.hasDestination(206) else { return }
        let fields = partial.headers(for: plan.origin)
        let names = ["Range", "If-Range"] + fields.map(\.name)
        let others = plan.request.headers.fields.filter { field in
            !names.contains { $0.equalsIgnoringCase(field.name) }
        }
        plan.request.headers = HttpHeaders(others + fields)
    }

    /// Whether a file has to be completed or removed before the request is settled.
    var hasFile: Bool {
        switch responseBody?.sink {
        case .file: true
        case .stream: false
        case .memory, nil: partialFile != nil
        }
    }

    /// Completes or removes the transfer's file, without waiting for it. `then` is called on the file's queue with the
    /// result, which is a failure if the file could not be completed.
    func completeFile(
        _ result: Result<HttpResponse, TransportError>,
        then: @escaping @Sendable (Result<HttpResponse, TransportError>) -> Void
    ) {
        guard case .success(let response) = result, case .file(let writer, _) = responseBody?.sink else {
            return releaseFile { [partialFile] in
                then(result.mapError { $0.withProgress(of: partialFile) })
            }
        }
        let partial = partialFile
        responseBody = nil
        files = .ready(nil)
        let (reply, request, redirects, hopLog) = (reply, request, history.redirects, plan.hopLog)
        writer.finish(isWanted: { !reply.isSettled }) { end in
            guard let error = end.error(of: request, redirects: redirects, response)?.withProgress(of: partial) else {
                return then(result)
            }
            hopLog?.end { $0.failure = error }
            then(.failure(error))
        }
    }

    /// Abandons the file. `then` is called on its queue after its release, and never if there is no file.
    func releaseFile(then: @escaping @Sendable () -> Void = {}) {
        let (sink, partial) = (responseBody?.sink, partialFile)
        responseBody = nil
        files = .ready(nil)
        if case .file(let writer, _) = sink {
            writer.abandon(then: then)
        } else if let partial {
            partial.release(then: then)
        }
    }
}

extension TransportError {
    fileprivate func withProgress(of file: PartialFile?) -> TransportError {
        guard let file, file.hasProgressed else { return self }
        var error = self
        error.hasProgressed = true
        return error
    }
}

extension FileWriter.Completion {
    /// Returns the error of a response whose file has this result; nil for none.
    fileprivate func error(of request: HttpRequest, redirects: Int, _ response: HttpResponse) -> TransportError? {
        var error: TransportError
        switch self {
        // The request of an unwanted file has settled already.
        case .whole, .unwanted: return nil
        case .failed(let failure):
            error = TransportError(.destinationFailed, of: request, reason: failure.description)
        case .wrongSize(let missing):
            error = TransportError(
                .truncatedResponse, of: request, redirects: redirects,
                reason: missing > 0
                    ? "the server sent a part of what it announced: \(missing) bytes are missing"
                    : "the server sent \(-missing) bytes more than it announced")
        }
        error.metrics = response.metrics
        return error
    }
}
#endif
