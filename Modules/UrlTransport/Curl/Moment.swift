#if os(Linux)
import Glibc

/// A point in time of `CLOCK_MONOTONIC`, which never goes back and stops while the machine sleeps (clock_gettime(2)).
///
/// The kernel's timeouts use the same clock, and so do libcurl's before 8.2. Newer ones use CLOCK_MONOTONIC_RAW, which NTP
/// doesn't adjust: the two may differ by 500 ppm. `ContinuousClock.Instant` is a resilient type: copying a
/// value that contains one goes through value witness tables. A small request would make a dozen of these copies.
struct Moment: Comparable {
    /// Time since the start of the clock.
    let nanoseconds: UInt64

    static let past = Moment(nanoseconds: 0)

    static var now: Moment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Moment(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The earlier one; nil if there is none.
    static func earliest(_ first: Moment?, _ second: Moment?) -> Moment? {
        guard let first, let second else { return first ?? second }
        return min(first, second)
    }

    /// The time from now until this moment; negative if the moment has passed.
    var distance: Duration {
        Moment.now.duration(to: self)
    }

    /// Whether the event loop has processed the same kind of events since this moment for so long that others are due.
    var hasUsedTimeSlice: Bool { duration(to: .now) >= .milliseconds(10) }

    /// The time from this moment to `other`; negative if `other` is earlier.
    func duration(to other: Moment) -> Duration {
        .nanoseconds(Int64(truncatingIfNeeded: other.nanoseconds &- nanoseconds))
    }

    static func < (left: Moment, right: Moment) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Limits the duration to 136 years in both directions, and the sum to the start of the clock.
    static func + (moment: Moment, duration: Duration) -> Moment {
        let limit = Duration.seconds(Int64(1) << 32)
        // Unlike a duration, `components` can't have more than `Int64.max` seconds.
        let (seconds, attoseconds) = min(max(duration, .zero - limit), limit).components
        let rest = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        return Moment(nanoseconds: UInt64(clamping: Int64(moment.nanoseconds) + rest))
    }
}
#endif
