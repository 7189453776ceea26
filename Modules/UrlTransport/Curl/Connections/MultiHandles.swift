#if os(Linux)
/// The multi handles of an event loop, which share its connections and transfers. Used by the loop's thread alone.
///
/// libcurl searches the connections and addresses of a multi handle, so a request would cost more with each of them.
/// Therefore each has some hundred, and an origin with more of them is in several. With 16,000 connections, a request
/// costs a tenth of what it costs in one multi handle. This can go when libcurl searches no longer.
final class MultiHandles {
    private let sockets: EpollSet
    private let idle: IdleConnections
    private(set) var all: [CurlMultiHandle] = []
    /// The multi handle whose timeout was processed last.
    private var turn = 0
    /// The origins that have connections or transfers.
    private var origins: [Origin: OriginConnections] = [:]
    /// Origins whose waiting requests may start, since ``mayStart(_:waiting:)`` has returned false.
    fileprivate var ready: [Origin] = []
    /// Places that had neither transfers nor connections at some time in this iteration of the event loop.
    fileprivate var emptied: [OriginPlace] = []

    /// Returns nil if libcurl can't be initialized or has no memory.
    ///
    /// - Parameter mostIdle: the most connections that are kept for later requests.
    init?(_ sockets: EpollSet, mostIdle: Int) {
        self.sockets = sockets
        idle = IdleConnections(most: min(mostIdle, Int(Int32.max) / 2))
        guard add() != nil else { return nil }
    }

    private func add() -> CurlMultiHandle? {
        guard let multi = CurlMultiHandle(sockets, idle) else { return nil }
        all.append(multi)
        return multi
    }

    /// The number of transfers in progress.
    var running: Int32 { all.count == 1 ? all[0].running : all.reduce(0) { $0 + $1.running } }

    /// When libcurl must be called without an event; nil for never.
    var nextTimeout: Moment? { all.lazy.compactMap(\.nextTimeout).min() }

    /// Has libcurl process its timeouts that are due. Many transfers may time out at once: after the longest turn, other
    /// events come first.
    func processTimeouts() {
        let start = Moment.now
        for _ in all where !start.isTurnOver {
            turn = (turn + 1) % all.count
            all[turn].processTimeout(start)
        }
    }

    /// Closes all connections. The handles must not be used after that.
    func close() {
        for multi in all { multi.close() }
        removeEmptyPlaces()
    }

    private func removeEmptyPlaces() {
        for place in emptied where place.isEmpty {
            place.owner.places.removeAll { $0 === place }
            if place.owner.places.isEmpty { origins[place.owner.origin] = nil }
        }
        emptied = []
    }

    /// Forgets empty places, and closes multi handles without transfers, except the first: those without connections,
    /// and others while more connections are idle than may be kept.
    ///
    /// Called at the end of each iteration of the event loop: waiting transfers that may start have started, by what the
    /// ``StreamSharing`` of their place knew. libcurl closes idle connections only where a transfer ends, and not the
    /// last one of a multi handle.
    func removeUnused() {
        if all.count > 1 {
            for multi in all[1...] where multi.transfers == 0 {
                if multi.openConnections == 0 || idle.count > idle.most + all.count { multi.close() }
            }
            all.removeAll { !$0.isOpen }
        }
        // After the closes, which empty places.
        if !emptied.isEmpty { removeEmptyPlaces() }
    }

    /// Records that the addresses of a server may be out of date: a connection failed, or a request timed out.
    ///
    /// - Parameter server: its host and port.
    func doubtAddresses(of server: String) {
        for multi in all { multi.doubts.add(server) }
    }

    // MARK: Origins

    /// Whether a request that may share a connection with others may start now; otherwise ``takeReady()`` will have its
    /// origin. See ``StreamSharing/mayStart(waiting:)``.
    ///
    /// - Parameter waiting: the requests that wait, this one included.
    func mayStart(_ origin: Origin, waiting: Int) -> Bool {
        guard let connections = origins[origin], connections.place(waiting: waiting) == nil,
            !connections.needsPlace(waiting: waiting)
        else { return true }
        connections.isAwaited = true
        return false
    }

    /// Returns origins whose requests may start now.
    func takeReady() -> [Origin] {
        defer { ready = [] }
        return ready
    }

    /// Returns the place of a transfer that starts: where its origin has a connection for it, or where a new one has
    /// room. Returns nil if libcurl has no memory for another multi handle.
    ///
    /// - Parameters:
    ///   - shares: whether it may share a connection with others.
    ///   - waiting: the requests that waited with it.
    func enter(_ origin: Origin, shares: Bool, waiting: Int) -> OriginPlace? {
        let connections = origins[origin] ?? OriginConnections(origin, self)
        var place = shares ? connections.place(waiting: waiting) : nil
        if place == nil, !connections.needsPlace(waiting: waiting) {
            place = connections.places.first(where: \.hasRoom)
        }
        if place == nil {
            let used = connections.places
            let free = all.first { multi in !multi.isFull && !used.contains { $0.multi === multi } }
            guard let multi = free ?? add() else { return nil }
            place = OriginPlace(connections, multi)
            place.map { connections.places.append($0) }
            origins[origin] = connections
        }
        place?.didStart(shares: shares)
        return place
    }
}

/// The connections and transfers of an origin. The multi handles of an event loop have a place each for them.
private final class OriginConnections {
    let origin: Origin
    unowned let handles: MultiHandles
    var places: [OriginPlace] = []
    /// Whether a request waits until a ``StreamSharing`` changes.
    var isAwaited = false

    init(_ origin: Origin, _ handles: MultiHandles) {
        self.origin = origin
        self.handles = handles
    }

    /// Where one of the waiting requests that may share a connection may start.
    func place(waiting: Int) -> OriginPlace? {
        places.first { $0.hasRoom && $0.sharing.mayStart(waiting: waiting) }
    }

    /// Whether so many requests wait that another multi handle opens connections at the same time.
    func needsPlace(waiting: Int) -> Bool {
        waiting > places.count { $0.hasRoom } * CurlMultiHandle.capacity
    }

    func didUpdate() {
        guard isAwaited else { return }
        isAwaited = false
        handles.ready.append(origin)
    }
}

/// The connections and transfers of an origin in a multi handle.
final class OriginPlace {
    fileprivate let owner: OriginConnections
    let multi: CurlMultiHandle
    private var transfers = 0
    private var connections = 0
    fileprivate private(set) var sharing = StreamSharing()

    fileprivate init(_ owner: OriginConnections, _ multi: CurlMultiHandle) {
        self.owner = owner
        self.multi = multi
    }

    fileprivate var isEmpty: Bool { transfers == 0 && connections == 0 }

    /// Whether another transfer may start: a connection has none, or another one may be opened.
    fileprivate var hasRoom: Bool { transfers < connections || !multi.isFull }

    fileprivate func didStart(shares: Bool) {
        transfers += 1
        if shares { update { $0.didStart() } }
    }

    /// Whether a request waits for a connection that another one opens.
    var mayWaitForConnection: Bool { sharing.kind != .unshared }

    /// A transfer has ended.
    func didEnd(shares: Bool, wasSent: Bool, hasFailed: Bool) {
        transfers -= 1
        if shares { update { $0.didEnd(wasSent: wasSent, hasFailed: hasFailed) } }
        if isEmpty { owner.handles.emptied.append(self) }
    }

    func didOpenConnection() {
        connections += 1
        multi.openConnections += 1
    }

    func didCloseConnection(_ connection: Connection) {
        connections -= 1
        multi.openConnections -= 1
        if connection.isShared { update { $0.didCloseConnection() } }
        if isEmpty { owner.handles.emptied.append(self) }
    }

    /// Changes what is known about requests that may share a connection.
    func update(_ change: (inout StreamSharing) -> Void) {
        change(&sharing)
        owner.didUpdate()
    }
}
#endif
