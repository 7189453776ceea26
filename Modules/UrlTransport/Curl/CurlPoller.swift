#if os(Linux)
import CNetChainCurl
import Glibc
import NodeCore

/// Waits for what one multi handle waits for: its sockets, its next timeout, and a wake from another thread.
///
/// There are two ways. While most of its transfers are busy, libcurl takes the least time when it polls all sockets itself
/// and looks at each transfer in every turn. With many that are idle these looks would cost the busy ones; then libcurl
/// tells which sockets it is interested in, and hears of those alone on which something happened. It begins with the first
/// way, goes over to the second once too many looks were in vain, and back when no transfer is left: before that libcurl
/// could take a socket for one of an older transfer that had the same number. With more connections than may be kept it is
/// the second as well: libcurl closes one at most when one comes free, by a limit that has to be told between two ends.
///
/// All but `wakeUp` is for the loop's thread alone.
final class CurlPoller: @unchecked Sendable {  // the loop's thread only; other threads only write to `wake`
    private static let room = 256
    /// So many transfers are looked at whatever they do: it costs less than to hear of each.
    private static let alwaysLookedAt: Int32 = 8
    /// After so many looks it is seen how many of them were in vain: more than `mostLooks` for a transfer that ended.
    private static let looksToJudge = 4096
    private static let mostLooks = 16

    /// A socket that libcurl has told of.
    private struct Socket {
        /// What libcurl wants to hear of, and what the kernel tells. They may differ for the connections of the loop: one
        /// that is between two requests stays as it is, which spares two calls a request.
        var wanted: UInt32 = 0
        var registered: UInt32 = 0
        /// Whether `forget` tells of its end. libcurl has others, which it opens and closes by itself.
        var isConnection = false
        /// Whether several transfers may be under way on it at a time.
        var isShared = false
    }

    private let idleConnections: Int
    private let epoll: Int32
    private let wake: Int32
    private var eventCount = 0
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: CurlPoller.room)
    /// By descriptor.
    @exclusivity(unchecked) private var sockets: [Socket] = []
    /// How many transfers are under way, as far as libcurl has told since the last start.
    @exclusivity(unchecked) private var running: Int32 = 0
    /// Whether libcurl tells of its sockets and hears of what happened on them.
    private var hearsEvents = false
    /// Looks at transfers since they were judged last, and transfers that have ended since.
    private var looks = 0
    private var ended = 0
    private var openConnections = 0
    /// What libcurl was told last.
    private var connectionLimit = 0
    /// The connections that several transfers may share.
    private var shared: [Int32] = []

    private enum Look {
        case none
        /// To be made before anything is waited for.
        case owed
        /// To be made in this turn, for nothing has happened; alone, or with other work, which may bring bytes itself.
        case due(isAlone: Bool)

        var isDue: Bool {
            if case .due = self { true } else { false }
        }
    }

    /// A look at the transfers on those connections.
    private var look = Look.none

    /// Whether libcurl wants to be called now, without an event.
    private(set) var isTimeoutDue = false
    /// When it does later; nil for never.
    private var deadline: UInt64?
    /// In how many milliseconds it does, told since the last look at the clock, which is not free everywhere.
    private var newTimeout: UInt64?

    /// nil when the system has no descriptor for it.
    init?(idleConnections: Int) {
        self.idleConnections = min(idleConnections, Int(Int32.max) / 2)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wake))
        guard epoll >= 0, wake >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) == 0 else { return nil }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        if wake >= 0 { close(wake) }
        events.deallocate()
    }

    /// Has libcurl tell what it waits for, and hear of what happens, from now on.
    private func hearEvents(_ multi: UnsafeMutableRawPointer) {
        hearsEvents = true
        let context = Unmanaged.passUnretained(self).toOpaque()
        netchain_multi_set_socket_function(
            multi,
            { _, descriptor, what, context, _ in
                CurlPoller.of(context)?.note(descriptor, what)
                return 0
            }, context)
        netchain_multi_set_timer_function(
            multi,
            { _, milliseconds, context in
                CurlPoller.of(context)?.noteTimeout(milliseconds)
                return 0
            }, context)
        netchain_multi_tell_sockets(multi, &running)
        limitConnections(of: multi)
        // It tells a timeout only when that changes, and some may have come before it was asked to tell.
        var milliseconds = -1
        curl_multi_timeout(multi, &milliseconds)
        noteTimeout(milliseconds)
        // All that has just happened is to be looked at, before anything is waited for.
        isTimeoutDue = true
    }

    private func stopHearing(_ multi: UnsafeMutableRawPointer) {
        hearsEvents = false
        netchain_multi_set_socket_function(multi, nil, nil)
        netchain_multi_set_timer_function(multi, nil, nil)
        deadline = nil
        newTimeout = nil
        looks = 0
        ended = 0
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlPoller? {
        context.map { Unmanaged<CurlPoller>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Ends the wait under way, or the next one. May be called from any thread.
    func wakeUp() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    /// Calls libcurl for its timeout, or for whatever there is.
    func tellTimeout(_ multi: UnsafeMutableRawPointer) {
        isTimeoutDue = false
        act(multi, CURL_SOCKET_TIMEOUT, 0)
        endLook()
    }

    /// Waits for what `tellEvents` and `tellTimeout` tell then.
    ///
    /// - Parameter longest: milliseconds.
    func wait(_ multi: UnsafeMutableRawPointer, longest: Int32) {
        if hearsEvents {
            if running > 0 || hasManyConnections { return waitForEvents(longest) }
            stopHearing(multi)
        } else if hasManyConnections || areLooksInVain {
            return hearEvents(multi)
        }
        var extra = curl_waitfd(fd: wake, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        var count: Int32 = 0
        let longest = isTimeoutDue || mayHoldBytes ? 0 : longest
        // `curl_multi_poll` would look at one more socket, for wakes of libcurl's own that nobody here uses.
        _ = ProcessExit.wait { curl_multi_wait(multi, &extra, 1, longest, &count) }
        if extra.revents != 0 { drainWake() }
        if count == 0, mayHoldBytes { look = .due(isAlone: true) }
        // Not for a wake alone. With nothing at all a timeout has come.
        if extra.revents == 0 || count > 1 { isTimeoutDue = true }
    }

    /// Whether libcurl may have bytes of a transfer that it doesn't go on with by itself: what comes over a connection of
    /// HTTP/2 is read for all of its transfers by one of them, and not always are the others told (as of 7.88). Then
    /// nothing more comes from the server, and they would wait for the next timeout. So before anything is waited for
    /// they are looked at until that ends none of them.
    private var mayHoldBytes: Bool {
        if case .owed = look { running > 0 } else { false }
    }

    /// Something else is done in this turn.
    func beginWork() {
        if look.isDue { look = .due(isAlone: false) }
    }

    private func endLook() {
        if case .due(let isAlone) = look { look = isAlone ? .none : .owed }
    }

    private var hasManyConnections: Bool {
        openConnections > idleConnections
    }

    private var areLooksInVain: Bool {
        guard looks >= Self.looksToJudge else { return false }
        defer {
            looks = 0
            ended = 0
        }
        return looks > ended * Self.mostLooks
    }

    private func drainWake() {
        var number: UInt64 = 0
        _ = read(wake, &number, 8)
    }

    private func waitForEvents(_ longest: Int32) {
        var longest = longest
        var endsWithTimeout = false
        if newTimeout != nil || deadline != nil {
            let now = Moment.now.nanoseconds
            if let newTimeout { deadline = now + newTimeout * 1_000_000 }
            newTimeout = nil
            // Rounded up, so that the time has come when the wait is over.
            let rest = deadline.map { $0 > now ? ($0 - now + 999_999) / 1_000_000 : 0 } ?? 0
            endsWithTimeout = rest <= UInt64(max(0, longest))
            if endsWithTimeout { longest = Int32(rest) }
            if rest == 0 { timeoutCame() }
        }
        // Nothing to wait for when libcurl is to be called anyway; what has happened is told with that.
        if isTimeoutDue || mayHoldBytes {
            longest = 0
            endsWithTimeout = false
        }
        let count = ProcessExit.wait { epoll_wait(epoll, events, Int32(Self.room), longest) }
        if count == 0, endsWithTimeout { timeoutCame() }
        if count == 0, mayHoldBytes { look = .due(isAlone: true) }
        eventCount = Int(max(0, count))
    }

    private func timeoutCame() {
        isTimeoutDue = true
        deadline = nil
    }

    private func noteTimeout(_ milliseconds: Int) {
        isTimeoutDue = milliseconds == 0
        deadline = nil
        newTimeout = milliseconds > 0 ? UInt64(milliseconds) : nil
    }

    /// Calls libcurl for what happened.
    func tellEvents(_ multi: UnsafeMutableRawPointer) {
        for index in 0..<eventCount {
            let descriptor = events[index].data.fd
            if descriptor == wake {
                drainWake()
            } else {
                tell(multi, descriptor, events[index].events)
            }
        }
        eventCount = 0
        guard look.isDue, hearsEvents else { return }
        for descriptor in shared { act(multi, descriptor, 0) }
        endLook()
    }

    private func tell(_ multi: UnsafeMutableRawPointer, _ descriptor: Int32, _ happened: UInt32) {
        let wanted = sockets.indices.contains(Int(descriptor)) ? sockets[Int(descriptor)].wanted : 0
        guard wanted != 0 else { return register(descriptor, 0) }
        // The end of a connection is found by whoever reads or writes.
        let isBroken = happened & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let ready = isBroken ? wanted : happened
        var action: Int32 = 0
        if ready & EPOLLIN.rawValue != 0 { action |= CURL_CSELECT_IN }
        if ready & EPOLLOUT.rawValue != 0 { action |= CURL_CSELECT_OUT }
        act(multi, descriptor, action)
    }

    /// Calls libcurl, and tells it how many connections there may be once the next transfer has ended.
    ///
    /// libcurl's limit is one of all connections, those in use included: with many in use, a fixed one would make it
    /// close each one that comes free.
    private func act(_ multi: UnsafeMutableRawPointer, _ descriptor: Int32, _ action: Int32) {
        let before = running
        if hearsEvents {
            curl_multi_socket_action(multi, descriptor, action, &running)
        } else {
            curl_multi_perform(multi, &running)
            if before > Self.alwaysLookedAt, !look.isDue {
                looks += Int(before)
                ended += max(0, Int(before - running))
            }
        }
        if running != before { limitConnections(of: multi) }
        // A transfer by itself is read for by no other. Once more after a look that was not in vain.
        if before > 1, !shared.isEmpty, !look.isDue || running < before { look = .owed }
    }

    /// Counts a transfer that libcurl was handed and has not run yet. One that ends within the call in which it begins
    /// would meet the limit of those before it.
    func countStart(_ multi: UnsafeMutableRawPointer) {
        running += 1
        limitConnections(of: multi)
        if !hearsEvents { isTimeoutDue = true }
    }

    func limitConnections(of multi: UnsafeMutableRawPointer) {
        let limit = max(1, max(0, Int(running) - 1) + idleConnections)
        guard limit != connectionLimit else { return }
        connectionLimit = limit
        netchain_multi_set_long(multi, CURLMOPT_MAXCONNECTS, limit)
    }

    /// libcurl's interest in a socket has changed.
    private func note(_ descriptor: Int32, _ what: Int32) {
        let index = Int(descriptor)
        makeRoom(for: index)
        let mask: UInt32 =
            switch what {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        sockets[index].wanted = mask
        guard sockets[index].isConnection else { return register(descriptor, mask) }
        if mask != 0, mask != sockets[index].registered { register(descriptor, mask) }
    }

    private func makeRoom(for index: Int) {
        let missing = index + 1 - sockets.count
        if missing > 0 { sockets.append(contentsOf: repeatElement(Socket(), count: missing + 63)) }
    }

    /// A socket of a connection was opened.
    func add(_ descriptor: Int32) {
        makeRoom(for: Int(descriptor))
        sockets[Int(descriptor)].isConnection = true
        openConnections += 1
    }

    /// Notes whether several transfers may be under way on a connection at a time.
    func note(_ descriptor: Int32, isShared: Bool) {
        let index = Int(descriptor)
        guard sockets.indices.contains(index), sockets[index].isShared != isShared else { return }
        sockets[index].isShared = isShared
        if isShared { shared.append(descriptor) } else { shared.removeAll { $0 == descriptor } }
    }

    /// A socket of a connection is about to be closed.
    func forget(_ descriptor: Int32) {
        let index = Int(descriptor)
        guard sockets.indices.contains(index) else { return }
        sockets[index].wanted = 0
        note(descriptor, isShared: false)
        if sockets[index].isConnection { openConnections -= 1 }
        sockets[index].isConnection = false
        if sockets[index].registered != 0 { register(descriptor, 0) }
    }

    private func register(_ descriptor: Int32, _ mask: UInt32) {
        var event = epoll_event(events: mask, data: epoll_data_t(fd: descriptor))
        makeRoom(for: Int(descriptor))
        if mask == 0 {
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
        } else if sockets[Int(descriptor)].registered == 0 {
            if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0, errno == EEXIST {
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
            }
        } else if epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) != 0, errno == ENOENT {
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        }
        sockets[Int(descriptor)].registered = mask
    }
}
#endif
