/// Detects that a transfer has stalled, for limits with a fraction of a second: libcurl and FoundationNetworking know only
/// whole seconds. A pure value; its owner checks it repeatedly.
package struct StallClock {
    /// The limit of a request: its own, or the sender's. nil for none, as zero means.
    package static func limit(_ own: Duration?, _ configured: Duration?) -> Duration? {
        (own ?? configured).flatMap { $0 > .zero ? $0 : nil }
    }

    /// Returns nil for a limit of whole seconds.
    package init?(limit: Duration?, leastBytesPerSecond: Int = 1, now: ContinuousClock.Instant = .now) {
        guard let limit, limit.components.attoseconds != 0 else { return nil }
        self.limit = limit
        least = leastBytesPerSecond
        lastCheck = now
        lastMove = now
    }

    private let limit: Duration
    private let least: Int
    private var moved: Int64 = 0
    private var lastCheck: ContinuousClock.Instant
    private var lastMove: ContinuousClock.Instant

    /// How long after a check the next one follows. A stall is detected that much later at the most.
    package var interval: Duration { max(limit / 4, .milliseconds(10)) }

    /// Whether the transfer has stalled.
    ///
    /// - Parameters:
    ///   - bytes: all bytes that have moved, in both directions.
    ///   - waits: whether the transfer waits for the application or the disk, which is no stall.
    package mutating func isStalled(bytes: Int64, waits: Bool, now: ContinuousClock.Instant = .now) -> Bool {
        let needed = Double(least) * ((now - lastCheck) / .seconds(1))
        if waits || bytes > moved && Double(bytes - moved) >= needed { lastMove = now }
        moved = bytes
        lastCheck = now
        return now - lastMove >= limit
    }
}
