#if os(Linux)
import Glibc

/// A point in time of a clock that never goes back, and that stands still while the machine sleeps, as the clocks do that
/// libcurl and the kernel count their timeouts by.
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
        Moment.now.duration(to: self)
    }

    /// Negative where `other` is the earlier one.
    func duration(to other: Moment) -> Duration {
        .nanoseconds(Int64(truncatingIfNeeded: other.nanoseconds &- nanoseconds))
    }

    static func < (left: Moment, right: Moment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// 136 years later at most, and no earlier than the clock began.
    static func + (moment: Moment, duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        let limit: Int64 = 1 << 32
        let rest = min(max(seconds, -limit), limit) * 1_000_000_000 + attoseconds / 1_000_000_000
        return Moment(nanoseconds: UInt64(clamping: Int64(moment.nanoseconds) + rest))
    }
}
#endif
