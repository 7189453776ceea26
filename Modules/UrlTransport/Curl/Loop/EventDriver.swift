#if os(Linux)
/// A way to wait for what libcurl waits for, and to have libcurl process it. Used by the event loop's thread alone.
protocol EventDriver: AnyObject {
    /// Whether libcurl is to be called without waiting.
    var isTimeoutDue: Bool { get }

    /// A transfer was added.
    func didStartTransfer()

    /// Waits for events, at most so many milliseconds. Returns whether any happened.
    func wait(longest: Int32) -> Bool

    /// Has libcurl process the events of the last wait.
    func processEvents()

    /// Has libcurl process its timeout, if it is due.
    func processTimeout()

    /// Has libcurl visit the transfers on these sockets, although nothing happened there.
    func visit(_ sockets: Set<Int32>)
}

/// Chooses between the two drivers by counts.
///
/// While most transfers are busy, it is fastest to have libcurl poll all sockets and visit each transfer (poll). With many
/// idle ones these visits would cost the busy ones: then libcurl reports its sockets, and visits only those with events
/// (epoll).
struct DriverChoice {
    enum Kind: Equatable {
        case poll
        case epoll
    }

    /// Up to this many transfers, a visit costs less than epoll's bookkeeping.
    static let alwaysVisited: Int32 = 8
    /// Visits after which they are judged.
    static let visitsToJudge = 4096
    /// Visits for each transfer that ended; more make epoll the better driver.
    static let mostVisits = 16

    private(set) var kind = Kind.poll
    private var visits = 0
    private var completions = 0

    /// libcurl has visited all transfers.
    mutating func didVisit(runningBefore before: Int32, after: Int32) {
        guard before > Self.alwaysVisited else { return }
        visits += Int(before)
        completions += max(0, Int(before - after))
    }

    /// Chooses before a wait. Returns whether the choice has changed.
    ///
    /// It changes to poll when no transfer is left only: before that, libcurl could take a socket for one of an older
    /// transfer with the same descriptor. With more connections than may be kept it is epoll: libcurl closes at most one
    /// of them when a transfer ends, by a limit that is set between two ends.
    mutating func update(running: Int32, openConnections: Int, keptConnections: Int) -> Bool {
        let hasManyConnections = openConnections > keptConnections
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
