#if os(Linux)
import CNetChainCurl
import NodeCore

/// Starts transfers when their origin has capacity and their files are ready, passes them to libcurl, and completes
/// them. Used by the event loop's thread alone.
struct TransferScheduler {
    private let loop: EventLoop
    private let handles: MultiHandles
    private let connections: ConnectionTable
    private let share: CurlShareHandle
    /// Transfers that libcurl performs.
    private var running: [ObjectIdentifier: CurlTransfer] = [:]
    /// Transfers that wait for their files.
    private var opening: [ObjectIdentifier: CurlTransfer] = [:]
    private var queues: OriginQueues
    /// When running transfers are ended that libcurl has not ended; nil if none has a deadline.
    private var nextRunningEnd: Moment?
    /// The number of transfers whose file is being completed or removed.
    private var completingFiles = 0

    init(
        _ loop: EventLoop, _ handles: MultiHandles, _ connections: ConnectionTable,
        _ share: CurlShareHandle, _ configuration: CurlConfiguration
    ) {
        self.loop = loop
        self.handles = handles
        self.connections = connections
        self.share = share
        queues = OriginQueues(limit: configuration.limits.requestsPerOrigin, handles)
    }

    /// Whether no transfer is in progress.
    var isIdle: Bool { running.isEmpty && opening.isEmpty && completingFiles == 0 }

    mutating func execute(_ command: TransferCommand) {
        switch command {
        case .start(let transfer):
            if queues.admit(transfer) { begin(transfer) }
        case .cancel(let transfer): cancel(transfer)
        case .resume(let transfer): resume(transfer)
        case .filesReady(let transfer, let result): filesReady(of: transfer, result)
        case .fileCompleted(let transfer, let result):
            completingFiles -= 1
            transfer.files.stage = .unused
            release(transfer)
            transfer.context.settle(result)
        case .networkChanged: connections.networkDidChange()
        }
    }

    // MARK: Starting

    /// Starts a transfer that has a request slot of its origin. If it fails at once, the next queued transfer starts.
    private mutating func begin(_ transfer: CurlTransfer) {
        var next: CurlTransfer? = transfer
        while let transfer = next, !start(transfer) { next = queues.release(transfer) }
    }

    /// Starts a transfer. Returns whether it is in progress; otherwise it has ended.
    private mutating func start(_ transfer: CurlTransfer) -> Bool {
        if transfer.context.isSettled {
            transfer.releaseFile()
            return false
        }
        // The caller's session may have ended while the transfer was queued, or during a redirect.
        if let rejection = transfer.request.admissions.refusal {
            transfer.fail(rejection)
            return false
        }
        if transfer.needsFiles {
            opening[ObjectIdentifier(transfer)] = transfer
            transfer.prepareFiles()
            return true
        }
        guard
            let pool = handles.acquirePool(
                transfer.hop.origin, shares: transfer.sharesConnections,
                waiting: transfer.slot.takeWaiting())
        else {
            transfer.fail(.internalFailure, "libcurl has no memory for a multi handle")
            return false
        }
        guard passToLibcurl(transfer, pool) else {
            pool.didEnd(shares: transfer.sharesConnections, hasStartedSending: false, hasFailed: false)
            return false
        }
        return true
    }

    /// Passes a transfer to libcurl. Returns false if that fails; then the transfer has ended.
    private mutating func passToLibcurl(_ transfer: CurlTransfer, _ pool: OriginPool) -> Bool {
        guard let easy = CurlEasyHandle(transfer, connections, pool) else {
            transfer.fail(.internalFailure, "libcurl has no memory for a transfer")
            return false
        }
        transfer.setOptions(of: easy)
        easy.set(CURLOPT_SHARE, share.raw)
        if let rejection = easy.rejection {
            let reason = String(cString: curl_easy_strerror(rejection))
            transfer.fail(.internalFailure, "libcurl rejects a setting: \(reason)")
            return false
        }
        let result = pool.multi.add(easy.raw)
        guard result == CURLM_OK else {
            transfer.fail(.internalFailure, String(cString: curl_multi_strerror(result)))
            return false
        }
        transfer.hop.trace?.recorder.begin(transfer.hop.request)
        transfer.easy = easy
        running[ObjectIdentifier(transfer)] = transfer
        nextRunningEnd = .earliest(nextRunningEnd, transfer.deadline.map { $0 + Self.grace })
        return true
    }

    private mutating func filesReady(of transfer: CurlTransfer, _ result: Result<PartialFile?, BodyFailure>) {
        guard transfer.files.stage == .opening else {
            // The transfer was canceled or has failed.
            if case .success(let file?) = result { file.release {} }
            return
        }
        opening[ObjectIdentifier(transfer)] = nil
        switch result {
        case .success(let file):
            transfer.files.stage = .ready
            transfer.files.partial = file ?? transfer.files.partial
            begin(transfer)
        case .failure(let failure):
            close(transfer)
            transfer.fail(failure.code, failure.message)
        }
    }

    private mutating func resume(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        let result = transfer.resume(easy)
        let isStopped = transfer.hop.phase.abortReason != nil
        // A hop without a connection can't be paused, so the command was meant for the previous hop.
        if result == CURLE_BAD_FUNCTION_ARGUMENT, !isStopped { return }
        // libcurl delivers the paused data, and reports only here that a callback rejected it.
        if result != CURLE_OK || isStopped { _ = end(transfer, easy, result) }
    }

    // MARK: Completion

    /// Processes the transfers that libcurl has completed. Returns whether another transfer may have started.
    mutating func endCompleted() -> Bool {
        var hasStarted = false
        for multi in handles.all {
            while let (raw, result) = multi.nextCompleted() {
                guard let easy = CurlEasyHandle.of(raw) else { continue }
                easy.isCompleted = true
                if end(easy.transfer, easy, result) { hasStarted = true }
            }
        }
        for origin in handles.takeReady() {
            while let next = queues.next(of: origin) {
                begin(next)
                hasStarted = true
            }
        }
        return hasStarted
    }

    /// Processes libcurl's result of a transfer. Returns whether another transfer may have started.
    private mutating func end(_ transfer: CurlTransfer, _ easy: CurlEasyHandle, _ result: CURLcode) -> Bool {
        let hopResult = transfer.hopResult(result, easy)
        if hopResult.doubtsAddresses { handles.doubtAddresses(of: transfer.hop.server) }
        detach(transfer, easy, hopResult.isTimeout ? .timedOut : .ended, hasFailed: hopResult.isFailure)
        switch hopResult {
        case .response(let response): return settle(transfer, .success(response))
        case .failure(let error): return settle(transfer, .failure(error))
        case .redirect(let request): transfer.follow(request)
        case .sendAgain(let request, let error): transfer.sendAgain(request, after: error)
        case .reconnect: transfer.reconnect()
        }
        if let remaining = transfer.remainingTime, remaining <= .zero {
            return settle(transfer, .failure(transfer.error(.requestTimedOut, transfer.timeoutReason())))
        }
        begin(transfer)
        return true
    }

    private mutating func detach(
        _ transfer: CurlTransfer, _ easy: CurlEasyHandle, _ end: Connection.RequestEnd, hasFailed: Bool = false
    ) {
        easy.pool.multi.remove(easy.raw, isCompleted: easy.isCompleted)
        easy.pool.didEnd(
            shares: transfer.sharesConnections, hasStartedSending: transfer.hop.times.sendStart != nil,
            hasFailed: hasFailed && end != .timedOut)
        running[ObjectIdentifier(transfer)] = nil
        transfer.easy = nil
        if let sent = transfer.hop.times.sendStart { transfer.hop.connection.used?.didEnd(end, sent: sent) }
        transfer.hop.requestBody.close()
    }

    /// Settles the request of a transfer that libcurl no longer performs, after its slot was passed on. With a file,
    /// both happen after the file is completed or removed. Returns whether a transfer was started.
    private mutating func settle(_ transfer: CurlTransfer, _ result: Result<HttpResponse, TransportError>) -> Bool {
        guard transfer.hasFile else {
            let hasStarted = release(transfer)
            transfer.settle(result)
            return hasStarted
        }
        transfer.files.stage = .completing
        completingFiles += 1
        transfer.completeFile(result) { [loop] in loop.post(.fileCompleted(transfer, $0)) }
        return false
    }

    /// Passes the transfer's request slot to the next queued transfer. Returns whether there was one.
    @discardableResult
    private mutating func release(_ transfer: CurlTransfer) -> Bool {
        guard let next = queues.release(transfer) else { return false }
        begin(next)
        return true
    }

    /// Closes a transfer that waited for its files, and passes its slot on.
    private mutating func close(_ transfer: CurlTransfer) {
        transfer.files.stage = .unused
        transfer.hop.requestBody.close()
        release(transfer)
    }

    /// Ends a transfer, in whatever stage it is. Without its easy handle, libcurl closes a connection that is being opened
    /// for it; the thread of a name lookup ends by itself.
    private mutating func cancel(_ transfer: CurlTransfer) {
        switch transfer.files.stage {
        case .completing: return
        case .opening:
            opening[ObjectIdentifier(transfer)] = nil
            transfer.releaseFile()
            close(transfer)
        case .unused, .ready:
            guard let easy = transfer.easy else { return queues.remove(transfer) }
            transfer.releaseFile()
            detach(transfer, easy, .canceled)
            release(transfer)
        }
    }

    // MARK: Deadlines and closing

    /// How long after its deadline a running transfer ends that libcurl has not ended.
    private static let grace = Duration.milliseconds(50)

    /// When transfers are checked for a deadline that has passed; nil if none has one.
    var nextDeadline: Moment? {
        var next = Moment.earliest(queues.nextDeadline, nextRunningEnd)
        for transfer in opening.values { next = .earliest(next, transfer.deadline) }
        return next
    }

    /// Ends running transfers that libcurl has not ended at their deadline: those that wait for a connection
    /// (``LibcurlWorkarounds``).
    private mutating func endForgotten() {
        guard let next = nextRunningEnd, next <= .now else { return }
        let now = Moment.now
        for transfer in Array(running.values) {
            guard let deadline = transfer.deadline, deadline + Self.grace <= now, let easy = transfer.easy else {
                continue
            }
            _ = end(transfer, easy, CURLE_OPERATION_TIMEDOUT)
        }
        nextRunningEnd = running.values.lazy.compactMap(\.deadline).min().map { $0 + Self.grace }
    }

    mutating func failOverdue() {
        endForgotten()
        for transfer in queues.removeOverdue() {
            transfer.fail(.requestTimedOut, transfer.timeoutReason(waitingFor: "other requests to its origin"))
        }
        if opening.isEmpty { return }
        let now = Moment.now
        for transfer in opening.values where transfer.deadline.map({ $0 <= now }) ?? false {
            opening[ObjectIdentifier(transfer)] = nil
            close(transfer)
            transfer.fail(.requestTimedOut, transfer.timeoutReason(waitingFor: "its file"))
        }
    }

    /// Fails all transfers, and those of commands that were not executed.
    mutating func failAll(and commands: [TransferCommand]) {
        for transfer in Array(running.values) + Array(opening.values) + queues.removeAll() {
            if let easy = transfer.easy { detach(transfer, easy, .canceled) }
            transfer.fail(.senderClosed, "the sender was closed")
        }
        opening = [:]
        for command in commands { command.reject() }
    }
}
#endif
