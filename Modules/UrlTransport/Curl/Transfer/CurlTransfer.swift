#if os(Linux)
import HttpMessages
import NodeCore
import Synchronization

/// What other threads make the event loop do.
enum TransferCommand: Sendable {
    case start(CurlTransfer)
    /// The caller has canceled the request, or has released the stream of its response.
    case cancel(CurlTransfer)
    /// Ends a pause: the request's body has bytes, the sink has space, or other transfers have run.
    case resume(CurlTransfer)
    /// Reports the progress of the hop after ``Hop/reportInterval``.
    case reportLater(CurlTransfer)
    /// Starts a transfer whose files are ready, or fails it.
    case filesReady(CurlTransfer, Result<PartialFile?, BodyFailure>)
    /// Settles a transfer whose file is complete or removed.
    indirect case fileCompleted(CurlTransfer, Result<HttpResponse, TransportError>)
    /// The application says that the network has changed, for all transfers.
    case networkChanged

    /// Ends the transfer, or its use of a file, because the event loop is closed.
    func reject() {
        switch self {
        case .start(let transfer): transfer.fail(transfer.error(.senderClosed, "the sender was closed"))
        case .filesReady(_, .success(let file?)): file.release {}
        case .fileCompleted(let transfer, let result): transfer.reply.settle(result.mapError { $0 })
        case .cancel, .resume, .reportLater, .networkChanged, .filesReady(_, .failure), .filesReady(_, .success(nil)):
            break
        }
    }
}

/// One request, from `send` to its response.
///
/// The caller's thread creates it. After its submission, only the event loop's thread changes it. A file's queue reads
/// what was set before that. Any thread may call ``cancel()``.
final class CurlTransfer: @unchecked Sendable {  // changed by the event loop's thread after its submission
    enum Stage {
        /// It needs a request slot of its origin, or has one and has not begun.
        case queued
        /// Dispatch queues check and open its files.
        case openingFiles
        /// libcurl performs a hop, from the name lookup to the end of the response.
        case running(Hop)
        /// A hop was detached, and the next one has not begun, or the transfer ends.
        case betweenHops
        /// libcurl has completed the last hop, and the file is being completed or removed.
        case completingFile
        case ended
    }

    /// What has happened in earlier hops.
    struct History {
        var redirects = 0
        /// Whether a server may have processed the request in an earlier hop.
        var mayBeProcessed = false
        /// Whether a connection has died before anything was sent.
        var hasReconnected = false
    }

    /// The caller's request, which errors describe, with the number of its attempt. The plan has the request of the hop.
    private(set) var request: HttpRequest
    /// The options of ``request``: reading one of the request's copies all of them.
    let options: RequestOptions
    /// Gets the response. Replaced after it got the head of a streamed response.
    @exclusivity(unchecked) private(set) var reply: TransferReply
    /// When the request times out; nil for no limit.
    var deadline: Moment?
    /// Makes the event loop's thread execute a command, or rejects it if the loop is closed. Any thread may call it.
    let post: @Sendable (TransferCommand) -> Void
    @exclusivity(unchecked) var stage = Stage.queued
    /// The plan of the hop that libcurl performs, or of the next one.
    @exclusivity(unchecked) var plan: HopPlan
    /// Reads the body of the hop's request.
    @exclusivity(unchecked) var requestBody: RequestBodyReader
    /// Receives the body of the response; nil before the final head.
    @exclusivity(unchecked) var responseBody: ResponseBody?
    private(set) var history = History()
    @exclusivity(unchecked) var files = Files.unchecked
    /// The use of a file that is downloaded in several attempts. Any thread may read it.
    private(set) var fileUse: PartialFileUse?
    /// Its number in the scheduler and its pool; nil before its start and after its end.
    @exclusivity(unchecked) var number: Int?
    /// The pool of its first origin, where it has a slot or is queued.
    @exclusivity(unchecked) var pool: Pool?
    /// Its position if it was queued.
    @exclusivity(unchecked) var queuePosition: Int?

    /// - Parameter plainOrigin: that of a URL of the plain form (``Origin/init(plain:)``); nil if it has another one, or if
    ///   that isn't known.
    init(
        _ request: HttpRequest, plainOrigin: Origin? = nil, settings: CurlSettings,
        post: @escaping @Sendable (TransferCommand) -> Void
    ) {
        var request = request
        var options = request.options
        let hopLog = options.hopLog.take()
        if hopLog != nil { request.options = options }
        self.request = request
        self.options = options
        self.post = post
        plan = HopPlan(request, settings, plainOrigin: plainOrigin, hopLog: hopLog)
        plan.needsNewConnection = self.options.needsNewConnection
        reply = TransferReply(values: request.body.stream == nil ? nil : CallersValues())
        requestBody = RequestBodyReader(request.body, values: reply.values)
        deadline = (self.options.timeout ?? settings.configuration.timeouts.request).map { Moment.now + $0 }
        // A download in several attempts.
        if request.method == .get, case .file(let file, true) = self.options.destination { fileUse = use(of: file) }
    }

    /// The hop that libcurl performs.
    var hop: Hop? {
        if case .running(let hop) = stage { hop } else { nil }
    }

    var configuration: CurlConfiguration { plan.settings.configuration }

    var remainingTime: Duration? { deadline?.distance }

    /// Resumes the transfer after a pause. Any thread may call it.
    var resumeAction: @Sendable () -> Void {
        { [weak self, post] in
            if let self { post(.resume(self)) }
        }
    }

    /// The time limit of the request; zero for none.
    var timeLimit: Duration { options.timeout ?? configuration.timeouts.request ?? .zero }

    var timeoutReason: String {
        let limit = timeLimit
        let wait =
            switch stage {
            case _ where limit <= .zero: ""
            case .queued where queuePosition != nil: ": it waited for other requests to its origin"
            case .openingFiles: ": it waited for its file"
            case .queued, .running, .betweenHops, .completingFile, .ended: ""
            }
        return "the request took longer than its timeout, \(limit + options.spentTime)\(wait)"
    }

    // MARK: Hops

    func follow(_ next: HttpRequest, _ status: Int) {
        reply.journal?.noteRedirect(status, to: next)
        history.redirects += 1
        history.mayBeProcessed = true
        history.hasReconnected = false
        planHop(for: next)
    }

    /// Begins the next attempt, after a response that can't be used.
    func sendAgain(_ next: HttpRequest, after status: Int) {
        reply.journal?.noteResending(of: plan.request, after: status)
        request.attempt += 1
        var next = next
        next.attempt += 1
        planHop(for: next)
        history.mayBeProcessed = true
    }

    /// Restarts the hop over a new connection. Nothing was sent.
    ///
    /// - Parameter error: why another connection died; nil where a kept one can't be used.
    func reconnect(after error: TransportError?) {
        if let error {
            reply.journal?.noteReconnection(of: plan.request, after: error)
            history.hasReconnected = true
        }
        planHop(for: plan.request)
        plan.needsNewConnection = true
    }

    private func planHop(for next: HttpRequest) {
        plan = plan.nextPlan(for: next)
        requestBody = RequestBodyReader(next.body, values: reply.values)
        responseBody = nil
    }

    // MARK: Completion

    /// Makes the event loop's thread end the transfer (``TransferScheduler/execute(_:)``): the caller has canceled, or has
    /// released the stream of the response. Nothing is delivered after that. Any thread may call it.
    func cancel() {
        fileUse?.leave()
        post(.cancel(self))
    }

    /// Returns an error of the request in its current state, with metrics while libcurl performs it.
    func error(_ code: TransportError.Code, _ reason: String, cause: (any Error)? = nil) -> TransportError {
        let exchange = hop?.exchange ?? Exchange()
        let wasProcessed: TransportError.Processing =
            exchange.hasCompleteHead ? .yes : exchange.mayBeProcessed || history.mayBeProcessed ? .unknown : .no
        return TransportError(
            code, of: request, redirects: history.redirects, reason: reason, wasProcessed: wasProcessed, cause: cause,
            metrics: hop?.metrics)
    }

    var timeout: TransportError { error(.requestTimedOut, timeoutReason) }

    func fail(_ error: any Error) {
        settle(Result<HttpResponse, any Error>.failure(error))
    }

    /// Delivers the result: finishes the stream of a response whose head was delivered, or settles the request, after its
    /// file was released.
    func settle<Failure>(_ result: Result<HttpResponse, Failure>) {
        if case .stream(let buffer) = responseBody?.sink {
            responseBody = nil
            switch result {
            case .success(let response): buffer.finish(nil, metrics: response.metrics)
            case .failure(let error): buffer.finish(error, metrics: (error as? TransportError)?.metrics)
            }
        } else if hasFile {
            releaseFile { [reply] in reply.settle(result.mapError { $0 }) }
        } else {
            reply.settle(result.mapError { $0 })
        }
        // Last, because `prepareDestination` may request the file until the reply has settled.
        fileUse?.leave()
    }

    /// Settles the request with the head of a response whose body is a stream.
    func settleHead(_ response: HttpResponse) {
        reply.settle(.success(response))
        reply = TransferReply()
    }
}

/// The task that waits for a transfer. It is resumed once, from whatever thread settles.
final class TransferReply: Sendable {
    private struct State {
        var task: UnsafeContinuation<HttpResponse, any Error>?
        var isSettled = false
    }

    private let state = Mutex(State())
    let journal = Journal.current
    /// The task-local values for a body that is a stream.
    let values: CallersValues?

    init(values: CallersValues? = nil) {
        self.values = values
    }

    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Resumes the task. Only the first call has an effect.
    func settle(_ result: Result<HttpResponse, any Error>) {
        end().task?.resume(with: result)
    }

    /// Returns the task to resume, and whether this is the first end.
    private func end() -> (task: UnsafeContinuation<HttpResponse, any Error>?, isFirst: Bool) {
        state.withLock { state in
            defer { (state.task, state.isSettled) = (nil, true) }
            return (state.task, !state.isSettled)
        }
    }

    /// Suspends the current task, then calls `start`. A task that was canceled before starts nothing.
    func response(start: () -> Void, cancel: @escaping @Sendable () -> Void) async throws -> HttpResponse {
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                let mayStart = state.withLock { state in
                    if !state.isSettled { state.task = continuation }
                    return !state.isSettled
                }
                if mayStart { start() } else { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let (task, isFirst) = end()
            if isFirst { cancel() }
            // Last: an executor may run the task within this call, and the task releases what `cancel` uses.
            task?.resume(throwing: CancellationError())
        }
    }
}
#endif
