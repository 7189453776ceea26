#if os(Linux)
import CNetChainCurl
import Glibc

/// The sockets that libcurl waits for, and the epoll(7) set that reports their events. Used by the event loop's thread
/// alone.
final class EpollSet {
    /// The most events of a wait. Each may end a transfer.
    private static let capacity = 64

    /// The events that libcurl waits for on a socket, and those that are registered with the kernel.
    ///
    /// They differ for a connection between two requests: it stays registered, which saves two system calls a request:
    /// 5 to 9 % of its processor time with 400 connections and more.
    private struct Interest {
        /// Processes the events; nil until libcurl waits for the socket.
        var multi: (any SocketEventHandler)?
        /// The connection that ``ConnectionTable`` has opened; nil for sockets that libcurl opens and closes by itself.
        var connection: Connection?
        /// The file number of a connection's socket.
        var fileNumber: ino_t?
        /// Whether libcurl has waited for bytes to read. While it connects, it waits to write.
        var isEstablished = false
        var wanted: UInt32 = 0
        var registered: UInt32 = 0

        /// Whether libcurl has closed the socket before it was connected, and has not reported it
        /// (``LibcurlWorkarounds``). The descriptor is unused then, or that of another file.
        func wasClosed(_ socket: Int32) -> Bool {
            !isEstablished && fileNumber != nil && EpollSet.fileNumber(of: socket) != fileNumber
        }
    }

    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: EpollSet.capacity)
    private var eventCount = 0
    @exclusivity(unchecked) private var interests: [Int32: Interest] = [:]
    /// Called when libcurl has closed a connection's socket without a report (``LibcurlWorkarounds``).
    var onUnreportedClose: ((Int32) -> Void)?

    /// Returns nil if the system has no descriptor for it.
    ///
    /// - Parameter wakeUp: a descriptor that ends a wait each time something is written to it.
    init?(wakeUp: Int32) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        // Edge-triggered: each write is reported once, and needs no read.
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wakeUp))
        guard epoll >= 0, epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else { return nil }
    }

    deinit {
        if epoll >= 0 { close(epoll) }
        events.deallocate()
    }

    // MARK: Sockets

    func didOpen(_ connection: Connection) {
        interests[connection.socket] = Interest(
            connection: connection, fileNumber: Self.fileNumber(of: connection.socket))
    }

    /// The number of an open file, which no other open file has.
    private static func fileNumber(of descriptor: Int32) -> ino_t? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// A connection's socket is about to be closed.
    func willCloseConnection(_ socket: Int32) {
        guard var interest = interests.removeValue(forKey: socket), interest.registered != 0 else { return }
        interest.wanted = 0
        updateRegistration(of: socket, &interest)
    }

    /// Records what libcurl waits for on a socket: `CURL_POLL_IN`, `CURL_POLL_OUT`, both, or nothing.
    func setInterest(in socket: Int32, _ what: Int32, _ multi: any SocketEventHandler) {
        if what == CURL_POLL_REMOVE, interests[socket]?.wasClosed(socket) == true {
            onUnreportedClose?(socket)
            // libcurl tries the next address when it visits the transfer.
            return multi.requestVisit()
        }
        let isNeeded = setInterest(in: socket, what, multi, &interests[socket, default: Interest()])
        if !isNeeded { interests[socket] = nil }
    }

    /// Returns whether the interest is needed further.
    private func setInterest(
        in socket: Int32, _ what: Int32, _ multi: any SocketEventHandler, _ interest: inout Interest
    ) -> Bool {
        interest.multi = multi
        interest.wanted =
            switch what {
            case CURL_POLL_IN: EPOLLIN.rawValue
            case CURL_POLL_OUT: EPOLLOUT.rawValue
            case CURL_POLL_INOUT: EPOLLIN.rawValue | EPOLLOUT.rawValue
            default: 0
            }
        if interest.wanted & EPOLLIN.rawValue != 0 { interest.isEstablished = true }
        let staysRegistered = interest.wanted == 0 && interest.connection != nil
        if !staysRegistered, interest.wanted != interest.registered { updateRegistration(of: socket, &interest) }
        return interest.connection != nil || interest.wanted != 0
    }

    /// Forgets the sockets of a multi handle that is closed.
    func removeSockets(of multi: any SocketEventHandler) {
        interests = interests.filter { $0.value.multi !== multi }
    }

    private func updateRegistration(of socket: Int32, _ interest: inout Interest) {
        var event = epoll_event(events: interest.wanted, data: epoll_data_t(fd: socket))
        var result: Int32 = 0
        if interest.wanted == 0 {
            epoll_ctl(epoll, EPOLL_CTL_DEL, socket, &event)
        } else {
            result = epoll_ctl(epoll, interest.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event)
            // The kernel removes a closed socket from the set, and libcurl doesn't report the close of its own sockets.
            if result != 0 {
                result = epoll_ctl(epoll, errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event)
            }
        }
        // If the registration fails, the kernel reports no events, and the transfer times out.
        interest.registered = result == 0 ? interest.wanted : 0
    }

    // MARK: Events

    /// Waits at most `longest` milliseconds for events. Returns whether there were any.
    func wait(longest: Int32) -> Bool {
        eventCount = Int(max(0, epoll_wait(epoll, events, Int32(Self.capacity), longest)))
        return hasEvents
    }

    /// Whether the last wait had events that were not processed.
    var hasEvents: Bool { eventCount > 0 }

    /// Lets libcurl process the events of the last wait.
    func processEvents() {
        for index in 0..<eventCount { process(events[index].data.fd, events[index].events) }
        eventCount = 0
    }

    private func process(_ socket: Int32, _ happened: UInt32) {
        // Unknown: the wake-up, or a socket that was closed for an event before this one.
        guard var interest = interests[socket] else { return }
        // An idle connection, which has bytes or was closed. The set would report it again in each wait. libcurl reads it
        // before the next request.
        guard interest.wanted != 0 else {
            updateRegistration(of: socket, &interest)
            interests[socket] = interest
            return
        }
        // libcurl detects a broken connection by reading or writing.
        let isBroken = happened & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        let ready = isBroken ? interest.wanted : happened
        var action: Int32 = 0
        if ready & EPOLLIN.rawValue != 0 { action |= CURL_CSELECT_IN }
        if ready & EPOLLOUT.rawValue != 0 { action |= CURL_CSELECT_OUT }
        interest.multi?.process(socket, action, streams: interest.connection?.streams ?? 1)
    }

    /// Lets libcurl process these sockets without an event. `streams: 1` keeps the multi handle from deferring the call.
    func visit(_ sockets: Set<Int32>) {
        for socket in sockets { interests[socket]?.multi?.process(socket, 0, streams: 1) }
    }
}

protocol SocketEventHandler: AnyObject {
    /// - Parameters:
    ///   - events: `CURL_CSELECT_IN`, `CURL_CSELECT_OUT`, both, or 0 for a visit without an event.
    ///   - streams: the requests that are in progress on the connection.
    func process(_ socket: Int32, _ events: Int32, streams: Int)
    /// Makes libcurl visit all transfers in this iteration of the event loop. Callbacks of libcurl may call it.
    func requestVisit()
}
#endif
