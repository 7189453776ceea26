#if os(Linux)
import HttpMessages

/// One origin: the requests that run and those that wait, its connections, and what is known of its server. Waiting inside
/// libcurl would cost time with every event.
final class Pool {
    let origin: Origin
    private unowned let pools: Pools
    /// Whether the server has rejected HTTP/2: requests use HTTP/1.1 as long as the pool exists.
    var requiresHttp1 = false
    /// The requests that have a slot. After a redirect, a request still counts at its first origin.
    @exclusivity(unchecked) private var running = 0
    /// The queued requests by position, first in, first out.
    @exclusivity(unchecked) private var queue: [Int: (request: Int, shares: Bool)] = [:]
    /// No request at an earlier position is queued.
    @exclusivity(unchecked) private var firstPosition = 0
    private var nextPosition = 0
    @exclusivity(unchecked) private var parts: [Part] = []
    /// Whether ``Pools/takeReady()`` returns it.
    @exclusivity(unchecked) var isReady = false
    /// Counts how often the server's addresses were doubted.
    @exclusivity(unchecked) private var doubts = 0
    private var lastDoubt: Moment?
    /// The start of the last hop that has opened a connection since then.
    private var connectedAnew: Moment?

    init(_ origin: Origin, _ pools: Pools) {
        self.origin = origin
        self.pools = pools
    }

    var isUnused: Bool { running == 0 && queue.isEmpty && parts.allSatisfy(\.isEmpty) }

    func removePart(of load: MultiLoad) {
        parts.removeAll { $0.load === load }
    }

    // MARK: The queue

    /// Returns nil if a new request may start. Otherwise it is queued: returns its position.
    ///
    /// - Parameter shares: whether it may share a connection with others if the server allows HTTP/2.
    func admit(_ request: Int, shares: Bool) -> Int? {
        if running < pools.requestsPerOrigin, queue.isEmpty, mayStart(shares: shares, waiting: 1) {
            running += 1
            return nil
        }
        defer { nextPosition += 1 }
        queue[nextPosition] = (request, shares)
        return nextPosition
    }

    /// Records the end of a request, in its slot or in the queue. ``Pools/takeReady()`` says whether others may start.
    ///
    /// - Parameter position: what ``admit(_:shares:)`` has returned for it.
    func release(position: Int?) {
        if position.flatMap({ queue.removeValue(forKey: $0) }) == nil { running -= 1 }
        // A queued request may have preceded one that needs no capacity of a shared connection.
        mayBeReady()
    }

    /// Makes ``Pools/takeReady()`` return it, if requests are queued.
    func mayBeReady() {
        guard !queue.isEmpty, !isReady else { return }
        isReady = true
        pools.ready.append(self)
    }

    /// Removes and returns a queued request that starts.
    func next() -> Int? {
        let starting = mostStarting
        guard starting > 0 else { return nil }
        while firstPosition < nextPosition, queue[firstPosition] == nil { firstPosition += 1 }
        guard let (request, shares) = queue[firstPosition], mayStart(shares: shares, waiting: starting) else {
            return nil
        }
        queue[firstPosition] = nil
        firstPosition += 1
        running += 1
        return request
    }

    /// How many queued requests have a slot that is free.
    private var mostStarting: Int { min(queue.count, pools.requestsPerOrigin - running) }

    /// Returns whether a request may start, as one of so many that wait. If not, ``Pools/takeReady()`` returns the pool
    /// later. See ``StreamAdmission/mayStart(waiting:)``.
    private func mayStart(shares: Bool, waiting: Int) -> Bool {
        !shares || requiresHttp1 || available(waiting: waiting) != nil
            || exceedsCapacity(mayBeHttp2: true, waiting: waiting)
    }

    // MARK: The connections

    /// Returns where a hop starts: where the origin has a connection for it, or where a new one has capacity. Returns nil
    /// if it needs another multi handle.
    ///
    /// - Parameters:
    ///   - mayBeHttp2: whether it may use HTTP/2.
    ///   - shares: whether it may share a connection with others.
    ///   - hasSlot: whether its request has a slot of this pool. Queued ones may start together with it.
    func start(mayBeHttp2: Bool, shares: Bool, hasSlot: Bool) -> Part? {
        let waiting = 1 + (hasSlot ? mostStarting : 0)
        var part = shares ? available(waiting: waiting) : nil
        if part == nil, !exceedsCapacity(mayBeHttp2: mayBeHttp2, waiting: waiting) {
            part = parts.first { $0.load.mayBeHttp2 == mayBeHttp2 && $0.hasCapacity }
        }
        if part == nil {
            let free = pools.multis.first { load in
                let isOfKind = load.mayBeHttp2 == nil || load.mayBeHttp2 == mayBeHttp2
                return isOfKind && !load.isFull && !parts.contains { $0.load === load }
            }
            guard let free else { return nil }
            free.mayBeHttp2 = mayBeHttp2
            let new = Part(self, free)
            parts.append(new)
            part = new
        }
        part?.didStart(shares: shares)
        return part
    }

    /// Where one of the waiting requests that may share a connection may start.
    private func available(waiting: Int) -> Part? {
        parts.first { $0.load.mayBeHttp2 == true && $0.hasCapacity && $0.admission.mayStart(waiting: waiting) }
    }

    /// Whether so many requests wait that another multi handle opens connections at the same time.
    private func exceedsCapacity(mayBeHttp2: Bool, waiting: Int) -> Bool {
        waiting > parts.count { $0.load.mayBeHttp2 == mayBeHttp2 && $0.hasCapacity } * MultiLoad.capacity
    }

    // MARK: The addresses

    /// Records that the addresses of the server may be out of date: a connection failed, or a request timed out. In each
    /// multi handle, libcurl resolves its name anew for the next request to it.
    func doubtAddresses(_ now: Moment = .now) {
        doubts += 1
        lastDoubt = now
    }

    /// A hop that started at this time has opened a connection.
    func didConnect(started: Moment) {
        if let lastDoubt, started >= lastDoubt { connectedAnew = started }
    }

    /// Whether a failed connect is worth another attempt: the addresses were doubted, and a hop that started after this
    /// one has connected since, maybe to another address.
    func mayHaveMoved(since started: Moment) -> Bool {
        connectedAnew.map { $0 > started } ?? false
    }

    /// The hops and connections of an origin in one multi handle.
    final class Part {
        unowned let pool: Pool
        let load: MultiLoad
        @exclusivity(unchecked) private var hops = 0
        @exclusivity(unchecked) private var connections = 0
        @exclusivity(unchecked) private(set) var admission = StreamAdmission()
        @exclusivity(unchecked) private var settledDoubts = 0

        fileprivate init(_ pool: Pool, _ load: MultiLoad) {
            self.pool = pool
            self.load = load
        }

        fileprivate var isEmpty: Bool { hops == 0 && connections == 0 }

        /// Forgets what was known of connections, if all are closed.
        func resetIfEmpty() {
            if isEmpty { admission = StreamAdmission() }
        }

        /// Whether another hop may start: there are fewer hops than connections, or the multi handle may open a connection.
        fileprivate var hasCapacity: Bool { hops < connections || !load.isFull }

        fileprivate func didStart(shares: Bool) {
            hops += 1
            load.hops += 1
            if shares { updateAdmission { $0.didStartSearch() } }
        }

        /// Returns whether libcurl must resolve the name anew for the next request, which settles the doubt here.
        func settleDoubt() -> Bool {
            defer { settledDoubts = pool.doubts }
            return settledDoubts != pool.doubts
        }

        /// Whether a request may wait inside libcurl for a connection that another one opens. Without TLS, libcurl would let it
        /// wait until its timeout (``LibcurlWorkarounds``).
        var mayWaitForConnection: Bool { pool.origin.isHttps && admission.sharing != .unshared }

        func didEnd(shares: Bool, hasStartedSending: Bool, hasFailed: Bool) {
            hops -= 1
            load.hops -= 1
            if shares { updateAdmission { $0.didEnd(hasStartedSending: hasStartedSending, hasFailed: hasFailed) } }
            if isEmpty { pool.pools.emptied.append(self) }
        }

        func didOpenConnection() {
            connections += 1
            load.connections += 1
        }

        func didCloseConnection(isCounted: Bool) {
            connections -= 1
            load.connections -= 1
            if isCounted { updateAdmission { $0.didCloseConnection() } }
            if isEmpty { pool.pools.emptied.append(self) }
        }

        /// Changes what is known about requests that may share a connection.
        func updateAdmission(_ change: (inout StreamAdmission) -> Void) {
            let before = waitingInLibcurl
            change(&admission)
            load.waitingForConnection += waitingInLibcurl - before
            pool.mayBeReady()
        }

        /// The most requests that wait inside libcurl for a connection.
        private var waitingInLibcurl: Int { mayWaitForConnection ? admission.starting : 0 }
    }
}
#endif
