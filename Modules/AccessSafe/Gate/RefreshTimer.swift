import Dispatch

/// Where the gate has its time from. Tests bring one that they turn by hand.
package struct RefreshTimer: Sendable {
    /// What time it is.
    package let now: @Sendable () -> ContinuousClock.Instant
    /// Calls the closure after the delay, once, unless what it returns is called before.
    package let schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Makes a timer.
    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        schedule: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    ) {
        self.now = now
        self.schedule = schedule
    }

    /// The system's clock, and Dispatch's timers on a global queue.
    package static let dispatch = RefreshTimer(now: { .now }) { delay, action in
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        source.setEventHandler(handler: action)
        source.schedule(deadline: .now() + .nanoseconds(nanoseconds(in: delay)), leeway: .milliseconds(10))
        source.resume()
        nonisolated(unsafe) let timer = source  // a dispatch source is thread-safe, and protects itself
        return { timer.cancel() }
    }

    /// A delay as Dispatch takes it: never negative, and a year where it is longer.
    private static func nanoseconds(in delay: Duration) -> Int {
        let bounded = min(max(delay, .zero), .seconds(365 * 24 * 3600))
        return Int(bounded / .nanoseconds(1))
    }
}
