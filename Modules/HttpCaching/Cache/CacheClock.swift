import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of day at the start, continued by a monotonic clock. So a change of the system's time changes no age (RFC 9111
/// §4.2.3 asks for that of the resident time).
struct CacheClock: Sendable {
    let clock: any ChainClock
    private let startTime: Double
    private let start: ContinuousClock.Instant

    init(_ clock: any ChainClock, startTime: Date = Date()) {
        self.clock = clock
        // A device without a battery for its clock may start before 1970, which no date of HTTP is.
        self.startTime = Freshness.seconds(startTime)
        start = clock.now
    }

    /// Seconds since 1970.
    var now: Double {
        let (seconds, attoseconds) = (clock.now - start).components
        return startTime + Double(seconds) + Double(attoseconds) * 1e-18
    }
}
