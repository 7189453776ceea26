#if os(Linux)
/// Counts the idle connections of an event loop, for all its multi handles.
final class IdleCounter {
    /// The most that are kept for later requests.
    let most: Int
    fileprivate(set) var count = 0

    init(most: Int) {
        self.most = most
    }
}

/// Decides how many connections libcurl keeps in a multi handle. A state machine without I/O.
///
/// libcurl's limit includes the connections in use. With a constant limit, libcurl would close each connection that
/// becomes idle while many are in use.
struct ConnectionLimit {
    private let idle: IdleCounter
    /// The transfers in progress: what libcurl reported last, with those that were added and removed since.
    var runningHops: Int32 = 0 { didSet { countIdle() } }
    /// The connections that libcurl has opened and not closed.
    var connections = 0 { didSet { countIdle() } }
    /// Connections minus transfers, not below 0: too few if transfers share one.
    private var ownIdle = 0
    /// The limit that libcurl has.
    private var current = -1

    init(_ idle: IdleCounter) {
        self.idle = idle
    }

    /// Returns the limit to set before a transfer ends, since its connection becomes idle then; nil if libcurl has that
    /// limit already.
    mutating func takeChange() -> Int? {
        let mostIdle = max(0, idle.most - (idle.count - ownIdle))
        let limit = max(1, max(0, Int(runningHops) - 1) + mostIdle)
        guard limit != current else { return nil }
        current = limit
        return limit
    }

    private mutating func countIdle() {
        let count = max(0, connections - Int(runningHops))
        idle.count += count - ownIdle
        ownIdle = count
    }
}
#endif
