#if os(Linux)
import CNetChainCurl

/// Owns one libcurl multi handle, which owns the connections. Used by the event loop's thread alone.
final class CurlMultiHandle: SocketEventHandler {
    /// Whether libcurl visits all transfers in this iteration of the event loop.
    private enum DueVisit {
        case none
        /// Unless a transfer waits for a connection.
        case ifNoneWaits
        case always
    }

    private let raw: UnsafeMutableRawPointer
    private let sockets: EpollSet
    private let pools: Pools
    private let load: MultiLoad
    /// What libcurl's timer callback has reported last.
    private var timeout: Moment?
    private var dueVisit = DueVisit.none
    /// Whether libcurl has not yet started the hop that was added last.
    private(set) var hasNewHop = false
    private var isOpen = true

    /// Returns nil if libcurl can't be initialized or has no memory. Otherwise adds the handle to the pools.
    init?(_ sockets: EpollSet, _ pools: Pools) {
        guard curlSetUp.isReady, let raw = curl_multi_init() else { return nil }
        self.raw = raw
        self.sockets = sockets
        self.pools = pools
        load = pools.addMulti()
        netchain_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        // The server limits the streams of a connection. libcurl's own limit is 100.
        netchain_multi_set_long(raw, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(Int32.max))
        limitConnections()
        setCallbacks()
    }

    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        netchain_multi_set_socket_function(
            raw,
            { _, socket, what, context, _ in
                if let multi = CurlMultiHandle.of(context) { multi.sockets.setInterest(in: socket, what, multi) }
                return 0
            }, context)
        netchain_multi_set_timer_function(
            raw,
            { _, milliseconds, context in
                CurlMultiHandle.of(context)?.timeout =
                    switch milliseconds {
                    case 0: .past
                    case 1...: .now + .milliseconds(milliseconds)
                    default: nil
                    }
                return 0
            }, context)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlMultiHandle? {
        context.map { Unmanaged<CurlMultiHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    deinit {
        close()
    }

    /// Closes all connections. The handle must not be used after that.
    func close() {
        if !isOpen { return }
        isOpen = false
        curl_multi_cleanup(raw)
        sockets.removeSockets(of: self)
    }

    /// The hops that libcurl has not completed.
    var runningHops: Int32 { load.running }

    /// Adds the easy handle of a hop. libcurl starts it with its next timeout, which is due then.
    func add(_ easy: UnsafeMutableRawPointer) -> CURLMcode {
        let result = curl_multi_add_handle(raw, easy)
        if result == CURLM_OK {
            hasNewHop = true
            load.running += 1
            // A transfer that completes within its first call needs the new limit.
            limitConnections()
        }
        return result
    }

    /// - Parameter isCompleted: whether ``nextCompleted()`` has returned the easy handle.
    func remove(_ easy: UnsafeMutableRawPointer, isCompleted: Bool) {
        curl_multi_remove_handle(raw, easy)
        if !isCompleted { load.running -= 1 }
    }

    /// Returns the easy handle of the next transfer that has completed; nil if there is none.
    func nextCompleted() -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            if message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle {
                return (easy, message.pointee.data.result)
            }
        }
        return nil
    }

    // MARK: Processing

    func requestVisit() {
        dueVisit = .always
    }

    /// When libcurl must be called without an event; nil for never.
    var nextTimeout: Moment? { dueVisit == .none ? timeout : .past }

    /// Lets libcurl process events of a socket. In a *visit*, libcurl continues transfers without an event of their socket.
    ///
    /// If half of the transfers or more share the connection, libcurl visits all transfers once instead, after all events
    /// of the iteration. Otherwise each transfer that reads the connection makes libcurl continue the others, piece by
    /// piece. With libcurl 7.88, that takes a quarter of the processor time of responses of 20 KB, 64 at a time, over
    /// HTTP/2. With 8.14 it makes no difference: this can go with 7.88. While a transfer may wait for a connection, there
    /// is no such visit: libcurl 8.14 may forget that transfer in it.
    ///
    /// - Parameter streams: the requests that are in progress on the connection.
    func process(_ socket: Int32, _ events: Int32, streams: Int) {
        if streams > 1, streams * 2 >= Int(runningHops), load.waitingForConnection == 0 {
            if dueVisit == .none { dueVisit = .ifNoneWaits }
            return
        }
        countRunning { curl_multi_socket_action(raw, socket, events, &$0) }
    }

    /// Calls libcurl, and records the transfers in progress.
    private func countRunning(_ body: (inout Int32) -> Void) {
        // Other handles may have more or fewer connections than before.
        limitConnections()
        // A copy, because callbacks may read the count.
        var count = runningHops
        body(&count)
        guard count != runningHops else { return }
        load.running = count
        limitConnections()
    }

    /// Lets libcurl process its timeout and visit its transfers, if that is due.
    func processTimeout(_ now: Moment) {
        hasNewHop = false
        if dueVisit != .none || timeout.map({ $0 <= now }) ?? false {
            timeout = nil
            countRunning { curl_multi_socket_action(raw, CURL_SOCKET_TIMEOUT, 0, &$0) }
        }
        // After the timeouts, because a visit drops those that are due. If a transfer has begun to wait meanwhile, epoll
        // reports the same events in the next wait.
        let isVisitDue = dueVisit == .always || dueVisit == .ifNoneWaits && load.waitingForConnection == 0
        dueVisit = .none
        if isVisitDue { countRunning { netchain_multi_visit_all(raw, &$0) } }
    }

    /// Limits the connections that stay open when the next transfer ends.
    private func limitConnections() {
        if let limit = pools.takeConnectionLimit(of: load) { netchain_multi_set_long(raw, CURLMOPT_MAXCONNECTS, limit) }
    }
}

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

    /// Does what ``Pool/start(mayBeHttp2:shares:hasSlot:)`` decides. Returns nil if libcurl has no memory.
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
        remove { pools.unusedMulti() }
    }

    /// Closes the multi handles without transfers that have no connection for a later request.
    func removeUnused(hasUsableConnection: (MultiLoad) -> Bool) {
        remove {
            pools.multis.firstIndex { $0.hops == 0 && $0.connections > 0 && !hasUsableConnection($0) }
        }
    }

    private func remove(_ nextIndex: () -> Int?) {
        while let index = nextIndex() {
            all.remove(at: index).close()
            pools.removeMulti(at: index)
        }
        // After the closes, which empty pools.
        pools.endIteration()
    }

    /// Closes all connections. The handles must not be used after that.
    func close() {
        for multi in all { multi.close() }
    }
}
#endif
