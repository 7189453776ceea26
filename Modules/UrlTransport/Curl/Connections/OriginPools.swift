#if os(Linux)
import HttpMessages

/// The connections and transfers of an origin. They are in several multi handles, in a pool each.
final class OriginPools {
    struct Key: Hashable {
        let origin: Origin
        /// Whether the transfers may use HTTP/2.
        let mayBeHttp2: Bool
    }

    let key: Key
    unowned let handles: MultiHandles
    var all: [OriginPool] = []
    /// Whether a request waits until a ``StreamAdmission`` changes.
    var isAwaited = false
    /// When the addresses of the server were doubted last (``MultiHandles/doubtAddresses(of:)``).
    private var doubted: Moment?
    /// The start of the last hop that has opened a connection since then.
    private var connectedAnew: Moment?

    init(_ key: Key, _ handles: MultiHandles) {
        self.key = key
        self.handles = handles
    }

    /// Where one of the waiting requests that may share a connection may start.
    func available(waiting: Int) -> OriginPool? {
        all.first { $0.hasCapacity && $0.admission.mayStart(waiting: waiting) }
    }

    /// Whether so many requests wait that another multi handle opens connections at the same time.
    func exceedsCapacity(waiting: Int) -> Bool {
        waiting > all.count { $0.hasCapacity } * CurlMultiHandle.capacity
    }

    func doubtAddresses(_ now: Moment = .now) {
        doubted = now
    }

    /// A hop that started at this time has opened a connection.
    func didConnect(started: Moment) {
        if let doubted, started >= doubted { connectedAnew = started }
    }

    /// Whether a failed connect is worth another attempt: the addresses were doubted, and a hop that started after this
    /// one has connected since, maybe to another address.
    func mayHaveMoved(since started: Moment) -> Bool {
        connectedAnew.map { $0 > started } ?? false
    }

    func didUpdate() {
        guard isAwaited else { return }
        isAwaited = false
        handles.ready.append(key.origin)
    }
}

/// The connections and transfers of an origin in a multi handle.
final class OriginPool {
    let owner: OriginPools
    let multi: CurlMultiHandle
    private var hops = 0
    private var connections = 0
    private(set) var admission = StreamAdmission()

    init(_ owner: OriginPools, _ multi: CurlMultiHandle) {
        self.owner = owner
        self.multi = multi
    }

    var isEmpty: Bool { hops == 0 && connections == 0 }

    /// Whether another hop may start: there are fewer hops than connections, or the multi handle may open a connection.
    var hasCapacity: Bool { hops < connections || !multi.isFull }

    func didStart(shares: Bool) {
        hops += 1
        if shares { updateAdmission { $0.didStartSearch() } }
    }

    /// Whether a request waits for a connection that another one opens.
    var mayWaitForConnection: Bool { admission.sharing != .unshared }

    func didEnd(shares: Bool, hasStartedSending: Bool, hasFailed: Bool) {
        hops -= 1
        if shares { updateAdmission { $0.didEnd(hasStartedSending: hasStartedSending, hasFailed: hasFailed) } }
        if isEmpty { owner.handles.emptied.append(self) }
    }

    func didOpenConnection() {
        connections += 1
        multi.openConnections += 1
    }

    func didCloseConnection(isCounted: Bool) {
        connections -= 1
        multi.openConnections -= 1
        if isCounted { updateAdmission { $0.didCloseConnection() } }
        if isEmpty { owner.handles.emptied.append(self) }
    }

    /// Changes what is known about requests that may share a connection.
    func updateAdmission(_ change: (inout StreamAdmission) -> Void) {
        let before = waitingInLibcurl
        change(&admission)
        multi.waitingForConnection += waitingInLibcurl - before
        owner.didUpdate()
    }

    /// The most requests that wait inside libcurl for a connection.
    private var waitingInLibcurl: Int { mayWaitForConnection ? admission.starting : 0 }
}
#endif
