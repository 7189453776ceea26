#if os(Linux)
import CNetChainCurl
import Glibc

/// Drives libcurl with epoll(7): libcurl reports its sockets, epoll waits for them, and libcurl processes the events.
final class EpollDriver: EventDriver {
    /// The most events of a wait. Each may end a transfer.
    private static let capacity = 64

    /// The events that libcurl waits for on a socket, and those that are registered with the kernel.
    ///
    /// They differ for a connection between two requests: it stays registered, which saves two system calls a request:
    /// 5 to 9 % of its processor time with 400 connections and more.
    private struct Interest {
        let multi: CurlMultiHandle
        var wanted: UInt32 = 0
        var registered: UInt32 = 0
    }

    private let handles: MultiHandles
    private let wakeUp: WakeUp
    private let connections: ConnectionTable
    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: EpollDriver.capacity)
    private var eventCount = 0
    private var interests: [Int32: Interest] = [:]
    /// The multi handle whose timeout was considered last.
    private var turn = 0

    /// Returns nil if the system has no descriptor for it.
    init?(_ handles: MultiHandles, _ wakeUp: WakeUp, _ connections: ConnectionTable) {
        self.handles = handles
        self.wakeUp = wakeUp
        self.connections = connections
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(fd: wakeUp.descriptor))
        guard epoll >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp.descriptor, &event) == 0 else { return nil }
        connections.onClose = { [unowned self] in
            if let interest = interests[$0] { unregister($0, interest) }
        }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        events.deallocate()
    }

    /// Starts to drive libcurl, also with transfers in progress.
    func attach() {
        for multi in handles.all { attach(multi) }
    }

    private func attach(_ multi: CurlMultiHandle) {
        multi.report(
            sockets: { _, socket, what, context, _ in
                guard let multi = CurlMultiHandle.of(context) else { return 0 }
                multi.driver?.setInterest(in: socket, what, multi)
                return 0
            },
            timeouts: { _, milliseconds, context in
                CurlMultiHandle.of(context)?.setTimeout(milliseconds)
                return 0
            }, to: self)
    }

    /// Stops driving libcurl.
    func detach() {
        for multi in handles.all where multi.driver != nil { multi.endReports() }
    }

    // MARK: libcurl's reports

    private func setInterest(in socket: Int32, _ what: Int32, _ multi: CurlMultiHandle) {
        let mask: UInt32 =
            switch what {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        var interest = Interest(multi: multi, wanted: mask, registered: interests[socket]?.registered ?? 0)
        let isKept = mask == 0 && connections.contains(socket)
        if !isKept, mask != interest.registered { register(socket, &interest) }
        interests[socket] = interest.registered == 0 ? nil : interest
    }

    private func unregister(_ socket: Int32, _ interest: Interest) {
        var interest = interest
        interest.wanted = 0
        interests[socket] = nil
        register(socket, &interest)
    }

    /// Registers the wanted events with the kernel.
    private func register(_ socket: Int32, _ interest: inout Interest) {
        var event = epoll_event(events: interest.wanted, data: epoll_data_t(fd: socket))
        var result: Int32 = 0
        if interest.wanted == 0 {
            epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event)
        } else {
            result = epoll_ctl(epoll, interest.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
            // libcurl also closes sockets that it opened itself, and the kernel then removes them from the epoll set.
            if result != 0 {
                result = epoll_ctl(epoll, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event)
            }
        }
        // If the registration fails, the kernel reports no events, and the transfer times out.
        interest.registered = result == 0 ? interest.wanted : 0
    }

    // MARK: Waiting and processing

    func didStartTransfer(in multi: CurlMultiHandle) {
        if multi.driver == nil { attach(multi) }
    }

    var isTimeoutDue: Bool { handles.all.contains { $0.timeout == .due } }

    func wait(longest: Int32) -> Bool {
        var longest = longest
        if isTimeoutDue {
            longest = 0
        } else if let deadline = handles.all.compactMap(\.deadline).min() {
            // Rounded up, so that the deadline has passed after the wait.
            let rest = max(0, deadline.distance / .milliseconds(1)).rounded(.up)
            longest = Int32(min(Double(longest), rest))
        }
        eventCount = Int(max(0, epoll_wait(epoll, events, Int32(Self.capacity), longest)))
        let now = Moment.now
        for multi in handles.all where multi.deadline.map({ $0 <= now }) ?? false { multi.timeout = .due }
        return eventCount > 0
    }

    func processEvents() {
        for index in 0..<eventCount {
            let socket = events[index].data.fd
            if socket == wakeUp.descriptor { wakeUp.clear() } else { process(socket, events[index].events) }
        }
        eventCount = 0
    }

    private func process(_ socket: Int32, _ happened: UInt32) {
        guard let interest = interests[socket] else { return }
        // An idle connection: its close is detected before its next request.
        guard interest.wanted != 0 else { return unregister(socket, interest) }
        // libcurl detects a broken connection by reading or writing.
        let isBroken = happened & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let ready = isBroken ? interest.wanted : happened
        var action: Int32 = 0
        if ready & EPOLLIN.rawValue != 0 { action |= CURL_CSELECT_IN }
        if ready & EPOLLOUT.rawValue != 0 { action |= CURL_CSELECT_OUT }
        interest.multi.process(socket, action)
    }

    /// Many transfers may time out at once: after the longest turn, other events come first.
    func processTimeout() {
        let start = Moment.now
        let all = handles.all
        for _ in all where !start.isTurnOver {
            turn = (turn + 1) % all.count
            let multi = all[turn]
            guard multi.timeout == .due else { continue }
            multi.timeout = .none
            multi.process(CURL_SOCKET_TIMEOUT)
        }
    }

    func visit(_ sockets: Set<Int32>) {
        for socket in sockets { interests[socket]?.multi.process(socket) }
    }
}
#endif
