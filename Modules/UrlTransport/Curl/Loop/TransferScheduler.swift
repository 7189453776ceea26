#if os(Linux)
import CNetChainCurl
import HttpMessages
import NodeCore

/// Starts transfers when their origin has capacity and their files are ready, passes them to libcurl, and completes
/// them. Used by the event loop's thread alone.
struct TransferScheduler {
    private let loop: EventLoop
    private let pools: Pools
    private let handles: MultiHandles
    private let connections: ConnectionTable
    private let share: CurlShareHandle
    /// The stored cookies, once a request has a `Cookie` field beside them.
    private var jar: CookieJar?
    private var urls = ParsedUrls()
    var spares = SpareHandles()
    /// The transfers that have not ended, by number.
    private var transfers: [CurlTransfer?] = []
    private var freeNumbers: [Int] = []
    /// When deadlines and stalls are checked; nil if no transfer has a limit.
    private(set) var nextCheck: Moment?
    /// The transfers whose progress is reported later, and when, in the order of time. A check would read all transfers
    /// instead.
    private var reports: [(transfer: CurlTransfer, due: Moment)] = []
    /// The transfers of this iteration that a queue has passed on.
    private var begun = 0
    /// Whether queued transfers may begin that this iteration had no time for.
    private(set) var hasReady = false
    /// Whether libcurl got a transfer since the last call of ``processCompleted()``.
    private var hasStarted = false

    init(
        _ loop: EventLoop, _ pools: Pools, _ handles: MultiHandles, _ connections: ConnectionTable,
        _ share: CurlShareHandle
    ) {
        self.loop = loop
        self.pools = pools
        self.handles = handles
        self.connections = connections
        self.share = share
    }

    var isIdle: Bool { transfers.count == freeNumbers.count }

    mutating func execute(_ command: TransferCommand) {
        switch command {
        case .start(let transfer): admit(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .resume(let transfer): resume(transfer)
        case .reportLater(let transfer): reports.append((transfer, .now + Hop.reportInterval))
        case .filesReady(let transfer, let result): filesReady(of: transfer, result)
        case .fileCompleted(let transfer, let result):
            remove(transfer)
            transfer.reply.settle(result.mapError { $0 })
        case .networkChanged: connections.networkDidChange()
        }
    }

    // MARK: Starting

    /// Starts a transfer, or queues it at its origin. Another thread may have canceled it before the start was posted.
    private mutating func admit(_ transfer: CurlTransfer) {
        guard case .queued = transfer.stage else { return }
        let number = freeNumbers.popLast() ?? transfers.count
        if number == transfers.count { transfers.append(transfer) } else { transfers[number] = transfer }
        nextCheck = .earliest(nextCheck, transfer.deadline.map { $0 + Self.grace })
        let pool = pools.pool(of: transfer.plan.origin)
        (transfer.number, transfer.pool) = (number, pool)
        transfer.queuePosition = pool.admit(number, shares: transfer.plan.sharesConnections)
        if transfer.queuePosition == nil { begin(transfer) }
    }

    /// Starts a transfer that has a request slot of its origin, or fails it.
    private mutating func begin(_ transfer: CurlTransfer) {
        do {
            try start(transfer)
        } catch {
            remove(transfer)
            transfer.fail(error)
        }
    }

    /// Starts the queued transfers for which there are request slots now. After ``mostBegun`` of them, the rest waits for the
    /// next iteration of the event loop, which follows at once.
    private mutating func beginQueued() {
        hasReady = false
        for pool in pools.takeReady() {
            while begun < Self.mostBegun, let next = pool.next().flatMap({ transfers[$0] }) {
                begun += 1
                begin(next)
            }
            guard begun >= Self.mostBegun else { continue }
            pool.mayBeReady()
            hasReady = true
        }
    }

    /// Passes a transfer to libcurl, or opens its files first.
    private mutating func start(_ transfer: CurlTransfer) throws {
        if transfer.reply.isSettled { throw CancellationError() }
        if let remaining = transfer.remainingTime, remaining <= .zero { throw transfer.timeout }
        // The caller's session may have ended while the transfer was queued, or during a redirect.
        if let refusal = transfer.request.admissions.refusal { throw refusal }
        if transfer.needsFiles {
            transfer.stage = .openingFiles
            return transfer.prepareFiles()
        }
        let pool = pools.pool(of: transfer.plan.origin, likely: transfer.pool)
        // Another request, or the previous hop, may have found out that the server rejects HTTP/2.
        transfer.plan.requiresHttp1 = pool.requiresHttp1
        transfer.setRangeHeaders()
        let plan = transfer.plan
        let shares = plan.sharesConnections
        let place = handles.start(
            in: pool, mayBeHttp2: plan.mayBeHttp2, shares: shares, hasSlot: pool === transfer.pool)
        guard let (part, multi) = place else {
            throw transfer.error(.internalFailure, "libcurl has no memory for a multi handle")
        }
        do {
            // A copy would retain a dozen references.
            try passToLibcurl(transfer, consume plan, part, multi)
        } catch {
            part.didEnd(shares: shares, hasStartedSending: false, hasFailed: false)
            throw error
        }
    }

    private mutating func passToLibcurl(
        _ transfer: CurlTransfer, _ plan: consuming HopPlan, _ part: Pool.Part, _ multi: CurlMultiHandle
    ) throws {
        guard let hop = Hop(transfer, plan, connections, part, multi, &spares) else {
            throw transfer.error(.internalFailure, "libcurl has no memory for a transfer")
        }
        try hop.setUp(&urls, share, &jar)
        let result = multi.add(hop.easy.raw)
        guard result == CURLM_OK else {
            throw transfer.error(.internalFailure, String(cString: curl_multi_strerror(result)))
        }
        hop.trace?.hopLog.begin(hop.request)
        transfer.stage = .running(hop)
        nextCheck = .earliest(nextCheck, hop.nextStallCheck)
        hasStarted = true
    }

    private mutating func filesReady(of transfer: CurlTransfer, _ result: Result<PartialFile?, BodyFailure>) {
        guard case .openingFiles = transfer.stage else {
            // The transfer was canceled or has failed.
            if case .success(let file?) = result { file.release {} }
            return
        }
        switch result {
        case .success(let file):
            transfer.files = .ready(file ?? transfer.partialFile)
            begin(transfer)
        case .failure(let failure):
            remove(transfer)
            transfer.fail(transfer.error(failure.code, failure.message))
        }
    }

    private mutating func resume(_ transfer: CurlTransfer) {
        guard let hop = transfer.hop, let result = hop.resume() else { return }
        complete(hop, result)
    }

    // MARK: Completion

    /// Processes the transfers that libcurl has completed. Returns whether libcurl got another one: it may be complete
    /// at once.
    mutating func processCompleted() -> Bool {
        hasStarted = false
        for multi in handles.all {
            while let (easy, result) = multi.nextCompleted() {
                guard let hop = Hop.of(easy: easy) else { continue }
                hop.result = result
                if hop.transfer.responseBody?.isDecoded != false {
                    complete(hop, result)
                } else {
                    // `resume` completes it.
                    hop.releaseConnection(.ended)
                }
            }
        }
        beginQueued()
        return hasStarted
    }

    private mutating func complete(_ hop: Hop, _ result: CURLcode) {
        let transfer = hop.transfer
        let hopResult = hop.conclude(result)
        // A response that has arrived and is decoded too slowly says nothing of the addresses.
        if hopResult.doubtsAddresses, hop.result != CURLE_OK { hop.part.pool.doubtAddresses() }
        if hop.exchange.requiresHttp1, hop.configuration.httpVersion == .automatic {
            hop.part.pool.requiresHttp1 = true
        }
        hop.detach(hopResult.requestEnd)
        if hop.mayHandleBeUsedAgain(result) { spares.add(hop.easy, hop.kind, lastUse: hop.times.start) }
        switch hopResult {
        case .response(let response): return finish(transfer, .success(response))
        case .failure(let error): return finish(transfer, .failure(error))
        case .redirect(let request): transfer.follow(request, hop.exchange.status)
        case .sendAgain(let request): transfer.sendAgain(request, after: hop.exchange.status)
        case .reconnect(let error): transfer.reconnect(after: error)
        }
        begin(transfer)
    }

    /// Finishes a transfer after its last hop: releases its request slot, then settles its request. With a file, both
    /// happen after the file is completed or removed.
    private mutating func finish(_ transfer: CurlTransfer, _ result: Result<HttpResponse, TransportError>) {
        guard transfer.hasFile else {
            remove(transfer)
            return transfer.settle(result)
        }
        transfer.stage = .completingFile
        transfer.completeFile(result) { [loop] in loop.post(.fileCompleted(transfer, $0)) }
    }

    /// Removes a transfer that is to be settled, and releases its request slot.
    private mutating func remove(_ transfer: CurlTransfer) {
        transfer.stage = .ended
        transfer.requestBody.close()
        // A cancellation may come before the start.
        guard let number = transfer.number.take() else { return }
        transfers[number] = nil
        freeNumbers.append(number)
        transfer.pool.take()?.release(position: transfer.queuePosition)
    }

    /// Ends a transfer, in whatever stage it is. It was canceled, or the stream of its response was released.
    private mutating func cancel(_ transfer: CurlTransfer) {
        switch transfer.stage {
        case .completingFile, .ended: return
        case .queued, .openingFiles, .betweenHops: break
        case .running(let hop): hop.cancel()
        }
        transfer.releaseFile()
        remove(transfer)
    }

    // MARK: Deadlines and closing

    /// How long after its deadline a transfer fails. libcurl fails a running one in time, unless it waits for a connection
    /// (``LibcurlWorkarounds``).
    private static let grace = Duration.milliseconds(50)
    /// The most transfers that fail in an iteration of the event loop because their time is over or they have stalled. A
    /// thousand at the same time don't delay other requests.
    static let mostOverdue = 64
    /// The most transfers that queues pass on in an iteration of the event loop.
    static let mostBegun = 128

    /// Fails the transfers that are past their deadline or have stalled. Call it in each iteration of the event loop.
    mutating func failOverdue(_ now: Moment = .now) {
        begun = 0
        guard let check = nextCheck, check <= now else { return }
        nextCheck = nil
        var overdue: [CurlTransfer] = []
        for case let transfer? in transfers {
            if case .completingFile = transfer.stage { continue }
            let (limit, hop) = (transfer.deadline.map { $0 + Self.grace }, transfer.hop)
            if limit.map({ $0 <= now }) == true || hop?.hasStalled(now) == true {
                overdue.append(transfer)
                if overdue.count == Self.mostOverdue { break }
            } else {
                nextCheck = .earliest(nextCheck, .earliest(limit, hop?.nextStallCheck))
            }
        }
        // A check may read all transfers.
        nextCheck = overdue.count == Self.mostOverdue ? now : nextCheck.map { max($0, now + Self.grace) }
        for transfer in overdue { failOverdue(transfer) }
    }

    private mutating func failOverdue(_ transfer: CurlTransfer) {
        switch transfer.stage {
        case .betweenHops, .completingFile, .ended: return
        case .running(let hop): complete(hop, CURLE_OPERATION_TIMEDOUT)
        case .queued, .openingFiles:
            let timeout = transfer.timeout
            remove(transfer)
            transfer.fail(timeout)
        }
    }

    var nextReport: Moment? { reports.first?.due }

    /// Reports progress that is due. Call it in each iteration of the event loop.
    mutating func reportProgress(_ now: Moment) {
        var count = 0
        // The handlers are the application's. Those that take long leave the others to the next iteration.
        while count < reports.count, reports[count].due <= now, count == 0 || !now.hasUsedTimeSlice {
            reports[count].transfer.hop?.reportDueProgress()
            count += 1
        }
        if count > 0 { reports.removeFirst(count) }
    }

    /// Fails all transfers, and those of commands that were not executed.
    mutating func failAll(and commands: [TransferCommand]) {
        for case let transfer? in transfers {
            if case .completingFile = transfer.stage { continue }
            // Before libcurl releases the hop, which knows whether the request was sent.
            let when = transfer.hop == nil ? "" : " before the whole response was received"
            let error = transfer.error(.senderClosed, "the sender was closed\(when)")
            if let hop = transfer.hop { hop.detach(.canceled) }
            transfer.fail(error)
        }
        (transfers, freeNumbers, reports) = ([], [], [])
        for command in commands { command.reject() }
    }
}
#endif
