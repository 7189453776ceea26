#if os(Linux)
import Glibc

/// A point in time of a clock that never goes back, as libcurl and the kernel count it for their timeouts.
///
/// The layout of `ContinuousClock.Instant` belongs to a library that may change it: each copy of what contains one goes
/// through tables, and a small request would make a dozen of them.
struct Moment: Comparable {
    /// Since the clock began.
    let nanoseconds: UInt64

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// How long it is until then; negative when it is past.
    var distance: Duration {
        let now = Moment.now
        return .nanoseconds(Int64(truncatingIfNeeded: nanoseconds &- now.nanoseconds))
    }

    static func < (left: Moment, right: Moment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// As late as a moment can be where the sum is later.
    static func + (moment: Moment, duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        let limit: Int64 = 1 << 32
        let rest = Int64(clamping: min(max(seconds, -limit), limit)) * 1_000_000_000 + attoseconds / 1_000_000_000
        return Moment(nanoseconds: UInt64(clamping: Int64(moment.nanoseconds) + rest))
    }
}
#endif
