#if os(Linux)
import HttpMessages

/// The pools of an event loop. They decide when a request, which is a number here, starts and in which multi handle.
///
/// They have no I/O: ``TransferScheduler``, ``MultiHandles`` and libcurl's callbacks report events to them, and do what
/// they return. Used by the event loop's thread alone.
///
/// libcurl searches the connections and addresses of a multi handle, so a request would cost more with each of them.
/// Therefore each has some hundred, and an origin with more of them is in several. With 16,000 connections, a request
/// costs a tenth of what it costs in one multi handle. This can go when libcurl searches no longer.
final class Pools {
    /// With this many, the unused ones are removed. More than the servers that an application talks to at a time.
    private static let mostPools = 1_000

    /// The most requests to an origin that run at a time.
    let requestsPerOrigin: Int
    /// The most idle connections that are kept for later requests.
    private let mostIdle: Int
    /// The idle connections of all multi handles.
    private var idle: Int { multis.reduce(0) { $0 + $1.idle } }
    private var all: [Origin: Pool] = [:]
    /// When ``all`` has this many, the unused ones are removed.
    private var mostBeforeRemoval = Pools.mostPools
    /// The pool that was found last. Comparing its origin costs less than hashing another one.
    @exclusivity(unchecked) private var last: Pool?
    /// In the order of ``MultiHandles/all``.
    @exclusivity(unchecked) private(set) var multis: [MultiLoad] = []
    /// The pools whose queued requests may start now.
    @exclusivity(unchecked) var ready: [Pool] = []
    /// The parts that had neither hops nor connections at some time in this iteration of the event loop.
    @exclusivity(unchecked) var emptied: [Pool.Part] = []

    init(requestsPerOrigin: Int, mostIdle: Int) {
        self.requestsPerOrigin = requestsPerOrigin
        self.mostIdle = min(mostIdle, Int(Int32.max) / 2)
    }

    /// - Parameter likely: a pool that is often the origin's.
    func pool(of origin: Origin, likely: Pool? = nil) -> Pool {
        if let likely, likely.origin == origin { return likely }
        if let last, last.origin == origin { return last }
        let pool = all[origin] ?? add(origin)
        last = pool
        return pool
    }

    private func add(_ origin: Origin) -> Pool {
        if all.count >= mostBeforeRemoval {
            all = all.filter { !$0.value.isUnused }
            mostBeforeRemoval = max(Self.mostPools, 2 * all.count)
        }
        let pool = Pool(origin, self)
        all[origin] = pool
        return pool
    }

    /// Returns the pools that may have become able to start a queued request. ``Pool/next()`` says which.
    func takeReady() -> [Pool] {
        if ready.isEmpty { return [] }
        for pool in ready { pool.isReady = false }
        defer { ready = [] }
        return ready
    }

    /// Forgets what was known of connections that are closed, at the end of each iteration of the event loop. Before that,
    /// the queued requests that may start have started, by what was known.
    func endIteration() {
        if emptied.isEmpty { return }
        for part in emptied { part.resetIfEmpty() }
        emptied = []
    }

    // MARK: Multi handles

    func addMulti() -> MultiLoad {
        let load = MultiLoad(index: multis.count)
        multis.append(load)
        return load
    }

    /// Removes a multi handle that was closed.
    func removeMulti(at index: Int) {
        let closed = multis.remove(at: index)
        for (index, load) in multis.enumerated() { load.index = index }
        for pool in all.values { pool.removePart(of: closed) }
    }

    /// Returns the next multi handle to close: not the first of its kind, without transfers, and without connections,
    /// or with idle ones while more are idle than may be kept.
    ///
    /// libcurl closes idle connections only where a transfer starts or ends, and not the last one of a multi handle: so
    /// one a handle is allowed beyond the limit.
    func unusedMulti() -> Int? {
        guard multis.count > 1 else { return nil }
        let hasTooManyIdle = idle > mostIdle + multis.count
        var found = (http1: false, http2: false)
        for (index, load) in multis.enumerated() {
            let isFirst = load.mayBeHttp2 == true ? !found.http2 : !found.http1
            if load.mayBeHttp2 == true { found.http2 = true } else { found.http1 = true }
            if !isFirst, load.hops == 0, load.connections == 0 || hasTooManyIdle { return index }
        }
        return nil
    }

    /// Returns the most connections that libcurl has to keep in a multi handle when its next transfer ends; nil if that is
    /// libcurl's limit already.
    ///
    /// libcurl's limit includes the connections in use. With a constant limit, libcurl would close each connection that
    /// becomes idle while many are in use.
    func takeConnectionLimit(of load: MultiLoad) -> Int? {
        let kept = max(0, mostIdle - (idle - load.idle))
        let limit = max(1, max(0, Int(load.running) - 1) + kept)
        guard limit != load.limit else { return nil }
        load.limit = limit
        return limit
    }
}

/// What a multi handle has, as its pools know it.
final class MultiLoad {
    /// A multi handle with this many connections or transfers gets no new connection. With HTTP/2 that is nearly the
    /// capacity of two connections to a server that allows 128 streams.
    static let capacity = 240

    /// The index in ``Pools/multis``.
    @exclusivity(unchecked) var index: Int
    /// Whether its transfers may use HTTP/2; nil before the first one (``LibcurlWorkarounds``).
    @exclusivity(unchecked) var mayBeHttp2: Bool?
    /// The hops that have started in it and not ended, completed ones included.
    @exclusivity(unchecked) var hops = 0
    /// The transfers in progress: what libcurl reported last, with those that were added and removed since.
    @exclusivity(unchecked) var running: Int32 = 0
    /// The connections that libcurl has opened and not closed.
    @exclusivity(unchecked) var connections = 0
    /// The transfers for which libcurl may wait for a connection that another one opens.
    @exclusivity(unchecked) var waitingForConnection = 0
    /// Connections minus transfers, not below 0: too few if transfers share one.
    var idle: Int { max(0, connections - Int(running)) }
    /// The limit of connections that libcurl has.
    @exclusivity(unchecked) var limit = -1

    init(index: Int) {
        self.index = index
    }

    /// Whether no further connection is opened.
    var isFull: Bool { max(connections, Int(running)) >= Self.capacity }
}
#endif
