import Foundation
import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request, over all its hops.
final class SessionTransfer: Sendable {
    private struct State {
        var hop: HttpRequest
        /// Whether a redirect has led to another origin.
        var hasLeftOrigin = false
        /// The caller's context. The head of a stream completes it, and a new context replaces it. Otherwise the
        /// transfer would retain the response, and the caller could not release the stream.
        var context = Context<HttpResponse>()
        var task: URLSessionTask?
        /// The body, if its destination is memory.
        var body = Data()
        /// The file or stream that the body is written to; nil for a body in memory.
        var sink: SessionSink?
        /// The last head, while the destination of its body is not opened.
        var heldHead: HTTPURLResponse?
        var received: Int64 = 0
        /// Whether the task was suspended for a slow reader or disk. Each suspension needs a resumption of its own.
        var isPaused = false
        /// Whether the body was received completely and is being completed in its file.
        var isCompletingFile = false
        var hops = 0
        var sent: Int64 = 0
        /// The time of the last progress call; nil before the first one, which is never delayed. URLSession reports
        /// progress only when bytes move.
        var lastProgress: ContinuousClock.Instant?
        /// Whether bytes are reported later that came too soon after the last call.
        var isProgressDue = false
        /// The session's delegate queue, which the sink is used on.
        var queue: OperationQueue?
    }

    let request: HttpRequest
    /// The file of a stream, retained while it may be sent. Set before the transfer starts and not changed after that.
    nonisolated(unsafe) var spool: SpooledBody?
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ request: HttpRequest) {
        self.request = request
        state = Mutex(State(hop: request))
    }

    var context: Context<HttpResponse> {
        state.withLock { $0.context }
    }

    /// The number of hops that have started: one more than the redirects that were followed.
    var hops: Int {
        state.withLock { $0.hops }
    }

    /// Starts the next hop with its task, and discards the body of the previous one.
    func begin(_ hop: HttpRequest, _ task: URLSessionTask, on queue: OperationQueue) {
        state.taking { state in
            defer { (state.hop, state.task) = (hop, task) }
            if Origin(hop.url) != Origin(state.hop.url) { state.hasLeftOrigin = true }
            state.isPaused = false
            state.queue = queue
            state.body = Data()
            state.received = 0
            state.sent = 0
            state.hops += 1
            return (state.hop, state.task)
        }
        if context.isSettled { task.cancel() }
    }

    /// Cancels the task of the current hop, and the reading of a stream.
    func stop() {
        spool?.cancel()
        state.withLock { $0.task }?.cancel()
    }

    func fail(_ code: TransportError.Code, _ reason: String) {
        fail(error(code, reason))
    }

    /// Fails the request, unless its file is being completed.
    func fail(_ error: TransportError) {
        guard !state.withLock({ $0.isCompletingFile }), context.emit(error: error) else { return }
        state.withLock { $0.sink }?.failStream(error)
        stop()
        continueReceiving()
    }

    func error(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) -> TransportError {
        let (hops, task) = state.withLock { ($0.hops, $0.task) }
        let head = (task?.response as? HTTPURLResponse).flatMap { mayBeOfProxy($0) ? nil : $0 }
        let status = head?.statusCode ?? 0
        // After the start and before a response, the code decides. The response to CONNECT of a proxy is none.
        let wasSent = status >= 200 && code.processing != .no
        let wasProcessed: TransportError.Processing? = hops == 0 ? .no : wasSent ? .yes : nil
        return TransportError(
            code, of: request, redirects: max(0, hops - 1), reason: reason, wasProcessed: wasProcessed, cause: cause)
    }

    /// Returns the error for a failure of the session.
    func error(_ error: any Error, after response: URLResponse?) -> TransportError {
        let response = response.flatMap { mayBeOfProxy($0) ? nil : $0 }
        let (code, words) = (TransportError.Code(error, after: response), error.localizedDescription)
        // FoundationNetworking passes libcurl's messages on.
        let masked = ProxyText.masked(words)
        guard masked != words else { return self.error(code, words, cause: error) }
        let cause = URLError(
            (error as? URLError)?.code ?? .unknown, userInfo: [NSLocalizedDescriptionKey: masked])
        return self.error(code, masked, cause: cause)
    }

    /// Checks the file that the body is to be written to.
    func checkDestination() throws(TransportError) {
        guard case .file(let url, _) = request.options.destination else { return }
        do throws(BodyFailure) {
            try FileWriter.check(url)
        } catch {
            throw self.error(.destinationFailed, error.description, cause: error)
        }
    }

    /// Whether a head may be the response of a proxy to CONNECT, which FoundationNetworking reports, too, and which another
    /// head follows: it says nothing about a body.
    private func mayBeOfProxy(_ response: URLResponse) -> Bool {
        #if canImport(FoundationNetworking)
        guard let response = response as? HTTPURLResponse, (200..<300).contains(response.statusCode),
            state.withLock({ $0.received == 0 && $0.hop.isHttps })
        else { return false }
        return response.value(forHTTPHeaderField: "Content-Type") == nil
            && response.value(forHTTPHeaderField: "Transfer-Encoding") == nil
            && ["0", nil].contains(response.value(forHTTPHeaderField: "Content-Length"))
        #else
        return false
        #endif
    }

    /// Opens the destination when the head of a response arrives. Only the body of an accepted 2xx response goes to a file
    /// or a stream.
    ///
    /// A head that may be of a proxy waits for the next one, or for the body. So does any head of a file.
    func openDestination(_ response: HTTPURLResponse) {
        _ = state.taking { $0.heldHead.take() }
        guard !state.withLock({ $0.received > 0 || $0.sink?.isStream == true }) else {
            return fail(.invalidResponse, "the body has a second head, as in multipart/x-mixed-replace")
        }
        guard request.options.hasDestination(status(response)), request.method != .head else { return }
        do throws(TransportError) { try checkPart(response) } catch { return fail(error) }
        switch request.options.destination {
        case .memory: return
        case .file where response.statusCode == 204 || response.statusCode == 205: return
        case .stream where !mayBeOfProxy(response): open(response)
        case .file, .stream: state.withLock { $0.heldHead = response }
        }
    }

    /// Opens the destination of the last head, which is that of the response: its body has begun, or is empty.
    private func openHeldDestination() {
        if let head = state.taking({ $0.heldHead.take() }) { open(head) }
    }

    private func open(_ response: HTTPURLResponse) {
        switch request.options.destination {
        case .memory: return
        case .file(let url, _):
            let sink = SessionSink(file: url) { [weak self] in self?.continueReceiving() }
            state.withLock { $0.sink = sink }
        case .stream:
            let (sink, stream) = SessionSink.stream(
                onSpace: { [weak self] in self?.continueReceiving() },
                onAbandon: { [weak self] in
                    self?.stop()
                    self?.continueReceiving()
                })
            state.withLock { $0.sink = sink }
            var head = receivedResponse(response)
            head.bytes = stream
            let context = state.taking { state in
                defer { state.context = Context() }
                return state.context
            }
            context.emit(data: head)
        }
    }

    func receive(_ data: Data, limit: Int) throws(TransportError) {
        openHeldDestination()
        let (sink, task, received) = state.withLock { state in
            state.received += Int64(data.count)
            return (state.sink, state.task, state.received)
        }
        if (task?.response as? HTTPURLResponse)?.statusCode == 205 {
            // It has no content (RFC 9110 §15.3.6). What a server sends is dropped.
            guard received > limit else { return }
            throw tooLarge(limit)
        }
        guard let sink else {
            if context.isSettled { return }
            let fits = state.withLock { state in
                guard data.count <= limit - state.body.count else { return false }
                state.body.append(data)
                return true
            }
            guard !fits else { return }
            throw tooLarge(limit)
        }
        do throws(BodyFailure) {
            sink.write(data)
            if try !sink.hasSpace() { setPaused(true) }
        } catch {
            throw self.error(.destinationFailed, error.description, cause: error)
        }
    }

    private func tooLarge(_ limit: Int) -> TransportError {
        error(.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
    }

    /// Resumes the task when the reader or the disk has capacity again.
    private func continueReceiving() {
        state.withLock { $0.queue }?.addOperation { [self] in
            guard let sink = state.withLock({ $0.sink }) else { return }
            do throws(BodyFailure) {
                if try sink.hasSpace() { setPaused(false) }
            } catch {
                fail(.destinationFailed, error.description)
            }
        }
    }

    /// Whether the body has a file or a stream: the head of a success has arrived.
    var hasDestination: Bool { state.withLock { $0.sink != nil } }

    /// Suspends or resumes the task. FoundationNetworking delivers nothing after a resume, so there the task continues, and
    /// data that the reader or the disk has not taken wait in memory.
    private func setPaused(_ isPaused: Bool) {
        let task = state.withLock { state -> URLSessionTask? in
            guard state.isPaused != isPaused else { return nil }
            state.isPaused = isPaused
            #if canImport(FoundationNetworking)
            return nil
            #else
            return state.task
            #endif
        }
        if isPaused { task?.suspend() } else { task?.resume() }
    }

    /// Fails the request when it stalls, where the session doesn't.
    func watchForStalls(_ limit: Duration) {
        if let clock = limit.stallClock { scheduleStallCheck(clock, limit, since: .now) }
    }

    private func scheduleStallCheck(_ clock: StallClock, _ limit: Duration, since start: SuspendingClock.Instant) {
        DispatchQueue.global().asyncAfter(deadline: .now() + clock.interval / .seconds(1)) { [weak self] in
            guard let self, !context.isSettled else { return }
            var clock = clock
            let (bytes, waits) = state.withLock { state in
                // A new hop and the head of a response are moves, too.
                let heads = Int64(state.hops) + (state.task?.response == nil ? 0 : 1)
                return (state.received + state.sent + heads, state.task == nil || state.isPaused)
            }
            guard clock.isStalled(bytes: bytes, waits: waits, after: .now - start) else {
                return scheduleStallCheck(clock, limit, since: start)
            }
            fail(.stalled, "no byte moved for \(limit)")
        }
    }

    /// Completes the body at its destination, calls `willSettle`, and settles the request.
    func complete(_ result: Result<HttpResponse, TransportError>, willSettle: @escaping @Sendable () -> Void) {
        guard let sink = state.withLock({ $0.sink }) else {
            willSettle()
            context.settle(result)
            return
        }
        if case .success = result { state.withLock { $0.isCompletingFile = !sink.isStream } }
        sink.complete(result, isWanted: { [context] in !context.isSettled }) { [self] failure in
            willSettle()
            context.settle(failure.map { .failure(error(.destinationFailed, $0.description, cause: $0)) } ?? result)
        }
    }

    /// Reports the progress of the hop to the caller, at most twenty times a second and once at its completion. Bytes
    /// within 50 ms of a report are reported after them, whether more follow or not.
    func tellProgress(sent: Int64? = nil, isLast: Bool = false) {
        if let sent { state.withLock { $0.sent = sent } }
        guard let onProgress = request.options.onProgress, !context.isSettled else { return }
        let now = ContinuousClock.now
        let (progress, isNewlyDue) = state.withLock { state -> (TransferProgress?, Bool) in
            let isEarly = state.lastProgress.map { now - $0 < .milliseconds(50) } ?? false
            if isEarly, !isLast {
                defer { state.isProgressDue = true }
                return (nil, !state.isProgressDue)
            }
            (state.lastProgress, state.isProgressDue) = (now, false)
            let body = state.hop.body
            // The body of an error response or of a redirect is not part of the file.
            let isCounted = if case .file = request.options.destination { state.sink != nil } else { true }
            let progress = TransferProgress(
                sent: state.sent, totalToSend: body.isEmpty ? nil : body.length,
                received: isCounted ? state.received : 0,
                totalToReceive: isCounted ? state.task?.response?.decodedLength : nil)
            return (progress, false)
        }
        if let progress { onProgress(progress) }
        if isNewlyDue { reportDueProgress() }
    }

    /// Reports the progress 50 ms from now on the session's queue, unless another report comes before.
    private func reportDueProgress() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.queue }?.addOperation { [self] in
                if state.withLock({ $0.isProgressDue }) { tellProgress() }
            }
        }
    }

    /// Returns the next request, if the response is a redirect to follow.
    func redirect(by rule: RedirectRule, _ response: HTTPURLResponse) throws(TransportError) -> HttpRequest? {
        guard rule.follows(response.statusCode), let location = response.value(forHTTPHeaderField: "Location"),
            !location.isEmpty
        else { return nil }
        let (hop, hops) = state.withLock { ($0.hop, $0.hops) }
        return try rule.next(
            after: hop, status: response.statusCode, to: location, count: hops - 1, original: request)
    }

    /// Checks whether the response is the part that was requested, or the whole.
    private func checkPart(_ response: HTTPURLResponse) throws(TransportError) {
        let hop = state.withLock { $0.hop }
        if response.statusCode == 206 {
            guard hop.headers["Range"] != nil else {
                throw error(.invalidResponse, "the server sent a part, and the request has no Range")
            }
        } else if undeclaredPart(response)?.isRequested == false {
            throw error(.invalidResponse, UndeclaredPart.reason)
        }
        guard status(response) == 206, let coding = response.value(forHTTPHeaderField: "Content-Encoding"),
            coding.lowercased() != "identity"
        else { return }
        // The codings are of the whole (RFC 9110 §14.4), and the session decodes the part as if it were one.
        throw error(.invalidContentEncoding, "URLSession can't receive a part of a compressed body as it is")
    }

    private func undeclaredPart(_ response: HTTPURLResponse) -> UndeclaredPart? {
        guard (200..<300).contains(response.statusCode), ![204, 205, 206].contains(response.statusCode) else {
            return nil
        }
        return state.withLock { $0.hop }.undeclaredPart(response.value(forHTTPHeaderField: "Content-Range"))
    }

    /// The status: 206 for a part, whatever the server says.
    private func status(_ response: HTTPURLResponse) -> Int {
        undeclaredPart(response) == nil ? response.statusCode : 206
    }

    /// Returns the complete response, and opens its destination where the body is empty.
    ///
    /// - Throws: ``TransportError/Code/truncatedResponse`` when the body is shorter than its `Content-Length`, or than an
    ///   undeclared part.
    func response(_ response: HTTPURLResponse) throws(TransportError) -> HttpResponse {
        openHeldDestination()
        let (hop, received) = state.withLock { ($0.hop, $0.received) }
        // These have no body, whatever their `Content-Length` is (RFC 9110 §6.4.1).
        let hasBody = hop.method != .head && response.statusCode != 204 && response.statusCode != 304
        if hasBody, response.value(forHTTPHeaderField: "Content-Encoding") == nil,
            let length = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int64($0) }), received < length
        {
            throw error(
                .truncatedResponse,
                "the connection ended before the whole response was received: \(received) of \(length) bytes")
        }
        if hop.method != .head, let size = undeclaredPart(response)?.size, received != size {
            let isCut = received < size && response.value(forHTTPHeaderField: "Transfer-Encoding") == nil
            throw error(
                isCut ? .truncatedResponse : .invalidResponse,
                "the body has \(received) bytes, and its Content-Range says \(size)")
        }
        return receivedResponse(response)
    }

    /// Returns the response with the data that have arrived.
    private func receivedResponse(_ response: HTTPURLResponse) -> HttpResponse {
        let state = self.state.withLock { $0 }
        var metrics = TransferMetrics()
        metrics.total = .now - start
        metrics.bytesSent = state.sent
        metrics.bytesReceived = state.received
        metrics.redirects = state.hops - 1
        let fields = response.allHeaderFields.map { HttpHeaders.Field(name: "\($0.key)", value: "\($0.value)") }
        var file: URL?
        if state.sink?.isStream == false, case .file(let url, _) = request.options.destination { file = url }
        var result = HttpResponse(
            request: request, url: state.hop.url, status: status(response),
            headers: HttpHeaders(fields.sorted { $0.name < $1.name }), data: state.body, file: file, metrics: metrics)
        if state.hasLeftOrigin { result.hasLeftOrigin = true }
        if state.hop.method != request.method { result.hasChangedMethod = true }
        return result
    }
}

extension URLResponse {
    /// The number of body bytes that the session will deliver; nil where it is not known. The session delivers
    /// decompressed bytes, but for a compressed body `expectedContentLength` is the compressed size.
    fileprivate var decodedLength: Int64? {
        let isPlain = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Encoding") == nil
        return isPlain && expectedContentLength > 0 ? expectedContentLength : nil
    }
}
