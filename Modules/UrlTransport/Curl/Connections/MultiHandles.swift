#if os(Linux)
/// The multi handles of an event loop, which do what its pools decide. Used by the loop's thread alone.
final class MultiHandles {
    private let sockets: EpollSet
    private let pools: Pools
    /// In the order of ``Pools/multis``.
    @exclusivity(unchecked) private(set) var all: [CurlMultiHandle] = []
    /// The index of the multi handle that was processed last.
    private var last = 0

    /// Returns nil if libcurl can't be initialized or has no memory.
    init?(_ sockets: EpollSet, _ pools: Pools) {
        self.sockets = sockets
        self.pools = pools
        guard add() else { return nil }
    }

    private func add() -> Bool {
        guard let multi = CurlMultiHandle(sockets, pools) else { return false }
        all.append(multi)
        return true
    }

    /// Starts a hop in its pool: see ``Pool/start(mayBeHttp2:shares:hasSlot:)``. Returns nil if libcurl has no memory for another multi handle.
    func start(
        in pool: Pool, mayBeHttp2: Bool, shares: Bool, hasSlot: Bool
    ) -> (part: Pool.Part, multi: CurlMultiHandle)? {
        var part = pool.start(mayBeHttp2: mayBeHttp2, shares: shares, hasSlot: hasSlot)
        if part == nil, add() { part = pool.start(mayBeHttp2: mayBeHttp2, shares: shares, hasSlot: hasSlot) }
        return part.map { ($0, all[$0.load.index]) }
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

    /// Closes the multi handles that the pools need no longer, at the end of each iteration of the event loop.
    func removeUnused() {
        while let index = pools.unusedMulti() { remove(at: index) }
        // After the closes, which empty pools.
        pools.endIteration()
    }

    /// Closes the multi handles without transfers that have no connection for a later request.
    func removeUnused(hasUsableConnection: (MultiLoad) -> Bool) {
        while let index = pools.multis.firstIndex(where: {
            $0.hops == 0 && $0.connections > 0 && !hasUsableConnection($0)
        }) {
            remove(at: index)
        }
        pools.endIteration()
    }

    private func remove(at index: Int) {
        all[index].close()
        all.remove(at: index)
        pools.removeMulti(at: index)
    }

    /// Closes all connections. The handles must not be used after that.
    func close() {
        for multi in all { multi.close() }
    }
}
#endif
