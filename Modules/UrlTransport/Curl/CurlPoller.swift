#if os(Linux)
import CNetChainCurl
import Glibc
import NodeCore

/// Waits for what one multi handle waits for: its sockets, its next timeout, and a wake from another thread.
///
/// libcurl tells here which sockets it is interested in, and hears of those on which something happened, so idle
/// transfers cost the others no look: `curl_multi_poll` and `curl_multi_perform` take one at each of them every time.
/// All but `wakeUp` is for the loop's thread alone.
final class CurlPoller: @unchecked Sendable {  // the loop's thread only; other threads only write to `wake`
    private static let room = 256

    private let idleConnections: Int
    private let epoll: Int32
    private let wake: Int32
    private var eventCount = 0
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: CurlPoller.room)
    /// By descriptor: what libcurl wants to hear of, and what the kernel tells. They may differ for the connections of
    /// the loop: one that is between two requests stays as it is, which spares two calls a request.
    private var wanted: [UInt32] = []
    private var registered: [UInt32] = []
    /// The sockets whose end `forget` tells. libcurl has others, which it opens and closes by itself.
    private var connections: Set<Int32> = []
    /// How many transfers were under way when libcurl was last called.
    private var running: Int32 = 0
    /// When libcurl wants to be called without an event; nil for never.
    private var deadline: UInt64?

    /// nil when the system has no descriptor for it.
    init?(idleConnections: Int) {
        self.idleConnections = idleConnections
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

    /// Has libcurl tell what it waits for.
    func watch(_ multi: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        limitConnections(of: multi)
        netchain_multi_set_socket_function(
            multi,
            { _, descriptor, what, context, _ in
                CurlPoller.of(context)?.note(descriptor, what)
                return 0
            }, context)
        netchain_multi_set_timer_function(
            multi,
            { _, milliseconds, context in
                CurlPoller.of(context)?.deadline =
                    milliseconds < 0 ? nil : CurlPoller.now + UInt64(milliseconds) * 1_000_000
                return 0
            }, context)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlPoller? {
        context.map { Unmanaged<CurlPoller>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Nanoseconds of a clock that never goes back.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Ends the wait under way, or the next one. May be called from any thread.
    func wakeUp() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }

    /// Whether libcurl wants to be called now.
    var isTimeoutDue: Bool {
        deadline.map { $0 <= Self.now } ?? false
    }

    /// Calls libcurl for its timeout.
    func tellTimeout(_ multi: UnsafeMutableRawPointer) {
        deadline = nil
        act(multi, CURL_SOCKET_TIMEOUT, 0)
    }

    /// Waits for what `tellEvents` tells then.
    ///
    /// - Parameter longest: milliseconds.
    func wait(longest: Int32) {
        var longest = longest
        if let deadline {
            let now = Self.now
            // Rounded up, so that the time has come when the wait is over.
            let rest = deadline > now ? (deadline - now + 999_999) / 1_000_000 : 0
            longest = Int32(min(rest, UInt64(max(0, longest))))
        }
        eventCount = Int(max(0, epoll_wait(epoll, events, Int32(Self.room), longest)))
    }

    /// Calls libcurl for what happened.
    func tellEvents(_ multi: UnsafeMutableRawPointer) {
        for index in 0..<eventCount {
            let descriptor = events[index].data.fd
            if descriptor == wake {
                var number: UInt64 = 0
                _ = read(wake, &number, 8)
            } else {
                tell(multi, descriptor, events[index].events)
            }
        }
        eventCount = 0
    }

    private func tell(_ multi: UnsafeMutableRawPointer, _ descriptor: Int32, _ happened: UInt32) {
        let wanted = Int(descriptor) < wanted.count ? wanted[Int(descriptor)] : 0
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
        curl_multi_socket_action(multi, descriptor, action, &running)
        if running != before { limitConnections(of: multi) }
    }

    private func limitConnections(of multi: UnsafeMutableRawPointer) {
        netchain_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(1, Int(running) - 1 + idleConnections))
    }

    /// libcurl's interest in a socket has changed.
    private func note(_ descriptor: Int32, _ what: Int32) {
        let index = Int(descriptor)
        if index >= wanted.count {
            wanted.append(contentsOf: repeatElement(0, count: index + 64 - wanted.count))
            registered.append(contentsOf: repeatElement(0, count: wanted.count - registered.count))
        }
        let mask: UInt32 =
            switch what {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        wanted[index] = mask
        guard connections.contains(descriptor) else { return register(descriptor, mask) }
        if mask != 0, mask != registered[index] { register(descriptor, mask) }
    }

    /// A socket of a connection was opened.
    func add(_ descriptor: Int32) {
        connections.insert(descriptor)
    }

    /// A socket of a connection is about to be closed.
    func forget(_ descriptor: Int32) {
        connections.remove(descriptor)
        let index = Int(descriptor)
        guard index < wanted.count else { return }
        wanted[index] = 0
        if registered[index] != 0 { register(descriptor, 0) }
    }

    private func register(_ descriptor: Int32, _ mask: UInt32) {
        var event = epoll_event(events: mask, data: epoll_data_t(fd: descriptor))
        if mask == 0 {
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
        } else if registered[Int(descriptor)] == 0 {
            if epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0, errno == EEXIST {
                epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
            }
        } else if epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) != 0, errno == ENOENT {
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        }
        if Int(descriptor) < registered.count { registered[Int(descriptor)] = mask }
    }
}
#endif
