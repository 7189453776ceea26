#if os(Linux)
/// Waits for libcurl's events and has libcurl process them. Used by the event loop's thread alone.
protocol EventDriver: AnyObject {
    /// Whether libcurl must be called without a wait.
    var isTimeoutDue: Bool { get }

    /// Called after a transfer was added to a multi handle.
    func didStartTransfer(in multi: CurlMultiHandle)

    /// Waits at most `longest` milliseconds for events. Returns whether there were any.
    func wait(longest: Int32) -> Bool

    /// Has libcurl process the events of the last wait.
    func processEvents()

    /// Has libcurl process its timeout, if it is due.
    func processTimeout()

    /// Has libcurl visit at least the transfers on these sockets, without an event.
    func visit(_ sockets: Set<Int32>)
}

extension Moment {
    /// Whether the event loop has processed the same kind of events for so long that others are due.
    var isTurnOver: Bool { duration(to: .now) >= .milliseconds(10) }
}

/// Chooses between the poll and the epoll driver by counts of visits and connections.
///
/// While most transfers are busy, poll is at least as fast: libcurl polls all sockets and visits each transfer. It saves
/// up to 8 % of the processor time with 400 transfers, and nothing with 64. With many idle transfers, these visits slow
/// down the busy ones. Then epoll is faster: libcurl reports its sockets and visits only those with events.
struct DriverChoice {
    enum Kind: Equatable {
        case poll
        case epoll
    }

    /// Up to this many transfers, a visit costs less than epoll's bookkeeping.
    static let alwaysVisited: Int32 = 8
    /// The number of visits after which the choice is reconsidered.
    static let visitsToJudge = 4096
    /// The most visits for each completed transfer with poll. With more, epoll is chosen.
    static let mostVisits = 16

    private(set) var kind = Kind.poll
    private var visits = 0
    private var completions = 0

    /// Records that libcurl has visited all transfers.
    mutating func didVisit(runningBefore before: Int32, after: Int32) {
        guard before > Self.alwaysVisited else { return }
        visits += Int(before)
        completions += max(0, Int(before - after))
    }

    /// Chooses a driver before a wait. Returns whether the choice has changed.
    ///
    /// It changes to poll only when no transfer is left. Before that, libcurl could confuse a socket with one of an
    /// older transfer that had the same descriptor. With more connections than may be kept, it is epoll. libcurl closes
    /// at most one of them when a transfer completes, and the limit must be set between two completions. Poll drives
    /// only one multi handle.
    mutating func update(
        running: Int32, openConnections: Int, keptConnections: Int, usesSeveralHandles: Bool
    ) -> Bool {
        let hasManyConnections = usesSeveralHandles || openConnections > keptConnections
        let former = kind
        switch kind {
        case .epoll: kind = running > 0 || hasManyConnections ? .epoll : .poll
        case .poll:
            let isJudged = visits >= Self.visitsToJudge
            kind = hasManyConnections || isJudged && visits > completions * Self.mostVisits ? .epoll : .poll
            if isJudged { (visits, completions) = (0, 0) }
        }
        if kind != former { (visits, completions) = (0, 0) }
        return kind != former
    }
}
#endif
