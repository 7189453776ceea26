/// Detects that a transfer has stalled. A pure value; its owner checks it repeatedly.
package struct StallClock {
    /// The limit of a request: its own, or the sender's. nil for none, as zero means.
    package static func limit(_ own: Duration?, _ configured: Duration?) -> Duration? {
        (own ?? configured).flatMap { $0 > .zero ? $0 : nil }
    }

    /// Returns nil without a limit.
    package init?(limit: Duration?, leastBytesPerSecond: Int = 1) {
        guard let limit else { return nil }
        self.limit = limit
        least = leastBytesPerSecond
    }

    private let limit: Duration
    private let least: Int
    private var moved: Int64 = 0
    private var lastCheck = Duration.zero
    private var lastMove = Duration.zero

    /// How long after a check the next one follows. A stall is detected less than two intervals later.
    package var interval: Duration {
        // A division takes 500 instructions, for each small request.
        limit >= .seconds(4) ? .seconds(1) : max(limit / 4, .milliseconds(10))
    }

    /// When the next check is due, as the time since the transfer began.
    package var nextCheck: Duration { lastCheck + interval }

    /// Whether the transfer has stalled.
    ///
    /// - Parameters:
    ///   - bytes: all bytes that have moved, in both directions.
    ///   - waits: whether the transfer waits for the application or the disk, which is no stall.
    ///   - time: the time since the transfer began, without that in which the machine sleeps.
    package mutating func isStalled(bytes: Int64, waits: Bool, after time: Duration) -> Bool {
        // In less time than an interval, few bytes would be enough. Only the first check may be early, so that an owner of
        // many transfers checks all of them at the same times.
        guard lastCheck == .zero || time >= nextCheck else { return false }
        // Rounded, because a check may be late: a byte a second is never a stall with the least of one.
        let needed = (Double(least) * ((time - lastCheck) / .seconds(1))).rounded(.down)
        if waits || bytes > moved && Double(bytes - moved) >= needed { lastMove = time }
        moved = bytes
        lastCheck = time
        return time - lastMove >= limit
    }
}
