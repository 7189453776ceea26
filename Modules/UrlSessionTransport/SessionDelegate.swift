import Dispatch
import Foundation
import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Starts tasks, handles the events of the session, and settles the contexts of the requests.
///
/// It follows redirects itself, with one task for each hop. FoundationNetworking loses the body of a redirected
/// request, and the session's rules differ.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private enum SessionLifecycle {
        case open
        /// No more requests are accepted; those in progress continue.
        case finishing
        case closed
    }

    /// The stage of a transfer, which identifies it.
    private enum TransferStage: Hashable {
        /// Its stream is being written to a file.
        case spooling(ObjectIdentifier)
        /// The task with this identifier.
        case task(Int)

        init(_ task: URLSessionTask) {
            self = .task(task.taskIdentifier)
        }
    }

    private struct Transfers {
        /// A transfer stays here until it completes, so that the session is not invalidated while its redirect is
        /// handled.
        var running: [TransferStage: SessionTransfer] = [:]
        var lifecycle = SessionLifecycle.open

        /// Closes a finishing session without transfers. Returns true once.
        mutating func closeIfOver() -> Bool {
            guard lifecycle == .finishing, running.isEmpty else { return false }
            lifecycle = .closed
            return true
        }
    }

    private let transfers = Mutex(Transfers())
    private let configuration: SenderConfiguration
    private let redirects: RedirectRule

    #if canImport(Darwin)
    private let security: SessionSecurity?

    init(configuration: SenderConfiguration, security: SessionSecurity? = nil) {
        self.configuration = configuration
        self.security = security
        redirects = RedirectRule(configuration.redirects)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let security else { return completionHandler(.performDefaultHandling, nil) }
        // The sender was closed. The default handling would ignore the pins.
        guard let transfer = transfer(of: task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        switch security.answer(challenge, to: transfer.request) {
        case .system: completionHandler(.performDefaultHandling, nil)
        case .use(let credential): completionHandler(.useCredential, credential)
        case .reject(let code, let reason):
            transfer.fail(code, reason)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
    #else
    init(configuration: SenderConfiguration) {
        self.configuration = configuration
        redirects = RedirectRule(configuration.redirects)
    }
    #endif

    func send(_ request: HttpRequest, in session: URLSession) -> Observer<HttpResponse> {
        let transfer = SessionTransfer(request)
        // Read before the start: from then on, the head of a stream may replace the transfer's context.
        let context = transfer.context
        do throws(TransportError) {
            try request.validate()
            #if os(Linux)
            guard request.options.unixSocket == nil else {
                throw transfer.error(.invalidRequest, "URLSession can't use Unix domain sockets")
            }
            #endif
            guard request.method != .get || request.body.isEmpty else {
                throw transfer.error(.invalidRequest, "URLSession can't send a GET request with a body")
            }
            try transfer.checkDestination()
            if let stream = request.body.stream {
                try spool(stream, of: transfer, in: session)
            } else {
                try start(request, of: transfer, in: session)
            }
        } catch {
            return .emit(error: error)
        }
        context.onCancel { [weak transfer] in transfer?.stop() }
        setTimeLimits(of: transfer, request.options)
        return context.observer
    }

    private func setTimeLimits(of transfer: SessionTransfer, _ options: RequestOptions) {
        let stall = StallClock.limit(options.stallTimeout, configuration.timeouts.stall)
        let timeout = options.timeout ?? configuration.timeouts.request
        if let stall, !options.limitsHeadOnly { transfer.watchForStalls(stall) }
        // A head that stalls is late: one limit is enough.
        guard let limit = options.limitsHeadOnly ? [timeout, stall].compactMap({ $0 }).min() : timeout else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak transfer] in
            guard let transfer, !options.limitsHeadOnly || !transfer.hasDestination else { return }
            let whole = limit + options.spentTime
            transfer.fail(.requestTimedOut, "the request took longer than its timeout, \(whole)")
        }
    }

    /// Starts the first hop when the whole body is in a file.
    private func spool(
        _ stream: BodyStream, of transfer: SessionTransfer, in session: URLSession
    ) throws(TransportError) {
        let spool = SpooledBody(stream)
        transfer.spool = spool
        let stage = TransferStage.spooling(ObjectIdentifier(transfer))
        let isOpen = transfers.withLock { transfers in
            guard transfers.lifecycle == .open else { return false }
            transfers.running[stage] = transfer
            return true
        }
        guard isOpen else { throw transfer.error(.senderClosed, "the sender was closed") }
        spool.start(CallersValues()) { [self] result in
            do throws(TransportError) {
                switch result {
                case nil: end(stage, in: session)
                case .failure(let failure)?:
                    throw transfer.error(failure.code, failure.message, cause: failure.cause)
                case .success(let body)?:
                    var hop = transfer.request
                    hop.body = body
                    try start(hop, of: transfer, after: stage, in: session)
                }
            } catch {
                end(stage, in: session)
                transfer.fail(error)
            }
        }
    }

    /// Starts the task of a hop, which replaces the previous stage. Fails the request if a gate no longer admits it.
    private func start(
        _ hop: HttpRequest, of transfer: SessionTransfer, after last: TransferStage? = nil, in session: URLSession
    ) throws(TransportError) {
        // The caller's session may have ended since the previous stage began.
        if let last, let refusal = transfer.request.admissions.refusal {
            end(last, in: session)
            transfer.context.emit(error: refusal)
            return
        }
        let redirects = transfer.hops
        let cookies = configuration.cookies == .memory ? session.configuration.httpCookieStorage : nil
        let file = try hop.fileToSend(of: transfer.request, redirects: redirects)
        let request = try URLRequest(
            hop, of: transfer.request, file: file, redirects: redirects, configuration: configuration,
            stored: cookies?.cookies(for: hop.url) ?? [])
        // Under the lock: creating a task in an invalidated session terminates the process.
        let task = transfers.taking { transfers -> URLSessionDataTask? in
            // While the session finishes, only transfers that have started may continue.
            guard transfers.lifecycle == .open || (transfers.lifecycle == .finishing && last != nil) else { return nil }
            let task =
                if let file { session.uploadTask(with: request, fromFile: file) } else {
                    session.dataTask(with: request)
                }
            if let last { transfers.running[last] = nil }
            transfers.running[TransferStage(task)] = transfer
            return task
        }
        guard let task else {
            throw transfer.request.unsent(.senderClosed, redirects: redirects, reason: "the sender was closed")
        }
        transfer.begin(hop, task, on: session.delegateQueue)
        task.resume()
    }

    /// Ends the session when the requests in progress have completed.
    func finish(_ session: URLSession) {
        let isOver = transfers.withLock { transfers in
            if transfers.lifecycle == .open { transfers.lifecycle = .finishing }
            return transfers.closeIfOver()
        }
        if isOver { session.finishTasksAndInvalidate() }
    }

    var isIdle: Bool { transfers.withLock { $0.running.isEmpty } }

    /// Removes a completed transfer. Invalidates a finishing session after its last transfer.
    private func end(_ stage: TransferStage, in session: URLSession) {
        let (_, isOver) = transfers.taking { transfers in
            (transfers.running.removeValue(forKey: stage), transfers.closeIfOver())
        }
        if isOver { session.finishTasksAndInvalidate() }
    }

    /// Fails the requests in progress and invalidates the session.
    func close(_ session: URLSession) {
        let running = transfers.taking { transfers in
            transfers.lifecycle = .closed
            defer { transfers.running = [:] }
            return transfers.running
        }
        for transfer in running.values { transfer.fail(.senderClosed, "the sender was closed") }
        session.invalidateAndCancel()
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        transfers.withLock { $0.running[TransferStage(task)] }
    }

    // MARK: Events of the session

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { transfer(of: dataTask)?.openDestination(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let transfer = transfer(of: dataTask) else { return }
        do throws(TransportError) {
            try transfer.receive(data, limit: configuration.limits.responseSize)
        } catch {
            return transfer.fail(error)
        }
        transfer.tellProgress()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        transfer(of: task)?.tellProgress(sent: totalBytesSent)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfer(of: task) else { return }
        transfer.tellProgress(isLast: true)
        let result: Result<HttpResponse, TransportError>
        do throws(TransportError) {
            if let error { throw transfer.error(error, after: task.response) }
            guard let response = task.response as? HTTPURLResponse else {
                throw transfer.error(.invalidResponse, "the answer is no HTTP answer")
            }
            if let hop = try transfer.redirect(by: redirects, response) {
                transfer.context.observer.journal?.noteRedirect(response.statusCode, to: hop)
                return try start(hop, of: transfer, after: TransferStage(task), in: session)
            }
            result = .success(try transfer.response(response))
        } catch {
            result = .failure(error)
        }
        transfer.complete(result) { [self] in
            // Before the context is settled, so that a `close()` after that doesn't find the transfer.
            end(TransferStage(task), in: session)
        }
    }
}
