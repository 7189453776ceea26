#if os(Linux)
import HttpMessages

/// The multi handles of an event loop, which share its connections and transfers. Used by the loop's thread alone.
///
/// libcurl searches the connections and addresses of a multi handle, so a request would cost more with each of them.
/// Therefore each has some hundred, and an origin with more of them is in several. With 16,000 connections, a request
/// costs a tenth of what it costs in one multi handle. This can go when libcurl searches no longer.
final class MultiHandles {
    private let sockets: EpollSet
    private let idle: IdleCounter
    @exclusivity(unchecked) private(set) var all: [CurlMultiHandle] = []
    /// The index of the multi handle that was processed last.
    private var last = 0
    /// The origins that have connections or transfers.
    @exclusivity(unchecked) private var origins: [OriginPools.Key: OriginPools] = [:]
    /// Origins for which ``admit(_:waiting:)`` has returned false, and whose requests may start now.
    var ready: [Origin] = []
    /// The servers that have rejected HTTP/2. Requests to them use HTTP/1.1 as long as the event loop exists.
    private var http1Origins: Set<Origin> = []
    /// The number of the last doubt of each server's addresses.
    private var doubts: [Origin: Int] = [:]
    private var lastDoubt = 0
    /// More than the servers that an application talks to at a time.
    private static let mostOrigins = 1_000
    /// Pools that had neither transfers nor connections at some time in this iteration of the event loop.
    var emptied: [OriginPool] = []

    /// Returns nil if libcurl can't be initialized or has no memory.
    ///
    /// - Parameter mostIdle: the most connections that are kept for later requests.
    init?(_ sockets: EpollSet, mostIdle: Int) {
        self.sockets = sockets
        idle = IdleCounter(most: min(mostIdle, Int(Int32.max) / 2))
        guard add() != nil else { return nil }
    }

    private func add() -> CurlMultiHandle? {
        guard let multi = CurlMultiHandle(sockets, idle) else { return nil }
        all.append(multi)
        return multi
    }

    var running: Int32 { all.reduce(0) { $0 + $1.runningHops } }

    /// When libcurl must be called without an event; nil for never.
    var nextTimeout: Moment? { all.lazy.compactMap(\.nextTimeout).min() }

    /// Lets libcurl process its timeouts that are due, and visit the transfers of handles that need it. Many transfers may
    /// time out at once: new transfers start before that, and after the longest time slice, other events come first.
    ///
    /// - Parameter start: when the time slice began.
    func processTimeouts(since start: Moment = .now) {
        let now = Moment.now
        for multi in all where multi.hasNewHop { multi.processTimeout(now) }
        for _ in all where !start.hasUsedTimeSlice {
            last = (last + 1) % all.count
            all[last].processTimeout(now)
        }
    }

    /// Closes all connections. The handles must not be used after that.
    func close() {
        for multi in all { multi.close() }
        removeEmptyPools()
    }

    private func removeEmptyPools() {
        for pool in emptied where pool.isEmpty {
            pool.owner.all.removeAll { $0 === pool }
            if pool.owner.all.isEmpty { origins[pool.owner.key] = nil }
        }
        emptied = []
    }

    /// Forgets empty pools, and closes multi handles without transfers, except the first of each kind: those without
    /// connections, and others while more connections are idle than may be kept.
    ///
    /// Called at the end of each iteration of the event loop: waiting transfers that may start have started, by what the
    /// ``StreamAdmission`` of their pool knew. libcurl closes idle connections only where a transfer starts or ends, and not
    /// the last one of a multi handle: so one a handle is allowed beyond the limit.
    func removeUnused() {
        if all.count > 1 {
            let kept = (all.first { $0.mayBeHttp2 == true }, all.first { $0.mayBeHttp2 != true })
            for multi in all where multi.hops == 0 && multi !== kept.0 && multi !== kept.1 {
                if multi.openConnections == 0 || idle.count > idle.most + all.count { multi.close() }
            }
            all.removeAll { !$0.isOpen }
        }
        // After the closes, which empty pools.
        removeEmptyPools()
    }

    /// Closes the multi handles without transfers that have no connection for a later request.
    func removeUnused(hasUsableConnection: (CurlMultiHandle) -> Bool) {
        for multi in all where multi.hops == 0 && multi.openConnections > 0 && !hasUsableConnection(multi) {
            multi.close()
        }
        all.removeAll { !$0.isOpen }
        removeEmptyPools()
    }

    // MARK: Addresses

    /// Records that the addresses of a server may be out of date: a connection failed, or a request timed out. In each multi
    /// handle, libcurl resolves its name anew for the next request to it.
    func doubtAddresses(of origin: Origin) {
        if doubts.count >= Self.mostOrigins { doubts = [:] }
        lastDoubt += 1
        doubts[origin] = lastDoubt
        for mayBeHttp2 in [false, true] {
            origins[OriginPools.Key(origin: origin, mayBeHttp2: mayBeHttp2)]?.doubtAddresses()
        }
    }

    /// Returns whether libcurl must resolve the name anew for the next request in a multi handle, which settles the doubt
    /// there.
    func settleDoubt(of origin: Origin, in multi: CurlMultiHandle) -> Bool {
        guard let doubt = doubts[origin], multi.settledDoubts[origin] != doubt else { return false }
        if multi.settledDoubts.count >= Self.mostOrigins { multi.settledDoubts = [:] }
        multi.settledDoubts[origin] = doubt
        return true
    }

    // MARK: Origins

    func requireHttp1(for origin: Origin) {
        if http1Origins.count >= Self.mostOrigins { http1Origins = [] }
        http1Origins.insert(origin)
    }

    /// Records in a plan whether its server has rejected HTTP/2.
    func updateHttpVersion(of plan: inout HopPlan) {
        plan.requiresHttp1 = http1Origins.contains(plan.origin)
    }

    /// Returns whether a request that may share a connection with others may start. If not, ``takeReady()`` returns its
    /// origin later. See ``StreamAdmission/mayStart(waiting:)``.
    ///
    /// - Parameter waiting: the requests that wait, this one included.
    func admit(_ origin: Origin, waiting: Int) -> Bool {
        guard let pools = origins[OriginPools.Key(origin: origin, mayBeHttp2: true)] else { return true }
        if pools.available(waiting: waiting) != nil || pools.exceedsCapacity(waiting: waiting) { return true }
        pools.isAwaited = true
        return false
    }

    func takeReady() -> [Origin] {
        defer { ready = [] }
        return ready
    }

    /// Returns the pool of a transfer that starts: where its origin has a connection for it, or where a new one has
    /// capacity. Returns nil if libcurl has no memory for another multi handle.
    ///
    /// - Parameters:
    ///   - mayBeHttp2: whether it may use HTTP/2.
    ///   - shares: whether it may share a connection with others.
    ///   - waiting: the requests that waited with it.
    func acquirePool(_ origin: Origin, mayBeHttp2: Bool, shares: Bool, waiting: Int) -> OriginPool? {
        let key = OriginPools.Key(origin: origin, mayBeHttp2: mayBeHttp2)
        let pools = origins[key] ?? OriginPools(key, self)
        var pool = shares ? pools.available(waiting: waiting) : nil
        if pool == nil, !pools.exceedsCapacity(waiting: waiting) {
            pool = pools.all.first(where: \.hasCapacity)
        }
        if pool == nil {
            let free = all.first { multi in
                let isOfKind = multi.mayBeHttp2 == nil || multi.mayBeHttp2 == mayBeHttp2
                return isOfKind && !multi.isFull && !pools.all.contains { $0.multi === multi }
            }
            guard let multi = free ?? add() else { return nil }
            multi.mayBeHttp2 = mayBeHttp2
            let new = OriginPool(pools, multi)
            pools.all.append(new)
            origins[key] = pools
            pool = new
        }
        pool?.didStart(shares: shares)
        return pool
    }
}
#endif
