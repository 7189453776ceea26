import Synchronization

/// A point in the order of events that may occur on different threads: requests are made, sessions begin. A request
/// belongs to a session only if it was made after the session began.
///
/// It is a Lamport clock: it advances with each session.
package struct LogicalTime: Comparable, Hashable, Sendable {
    private let count: Int

    private static let latest = Atomic(0)

    /// Precedes every session that begins after the start of the process.
    package static let zero = LogicalTime(count: 0)

    /// The time of an event that occurs now.
    package static var now: LogicalTime {
        LogicalTime(count: latest.load(ordering: .acquiring))
    }

    /// Returns a time after all events so far.
    package static func advance() -> LogicalTime {
        LogicalTime(count: latest.add(1, ordering: .acquiringAndReleasing).newValue)
    }

    package static func < (left: LogicalTime, right: LogicalTime) -> Bool {
        left.count < right.count
    }
}
