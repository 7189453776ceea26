import Dispatch

/// The source of time for delays and time limits. ``SystemClock`` is the usual one; a test passes one that it advances,
/// such as `TestClock` of NetChainTestKit.
public protocol ChainClock: Sendable {
    /// The current time.
    var now: ContinuousClock.Instant { get }

    /// Completes after `delay`, on any thread; a cancel ends it at once. A delay that isn't longer than zero completes
    /// at once.
    func wait(for delay: Duration) -> Observer<Void>
}

extension ChainClock where Self == SystemClock {
    /// The system's clock.
    public static var system: SystemClock { SystemClock() }
}

/// The system's clock, and Dispatch's timers on a global queue.
///
/// ``now`` counts the time in which the machine is asleep, and a wait doesn't: one that spans a sleep completes later by that
/// time.
public struct SystemClock: ChainClock {
    /// The current time.
    public var now: ContinuousClock.Instant { .now }

    /// Completes after `delay`, on a global queue; a cancel ends it at once and releases the timer.
    public func wait(for delay: Duration) -> Observer<Void> {
        guard delay > .zero else { return .emit() }
        let context = Context<Void>()
        // Past a year it makes no difference. `Int` has 32 bits on watchOS.
        let (seconds, attoseconds) = min(delay, .seconds(365 * 86_400)).components
        let deadline = DispatchTime.now() + .seconds(Int(seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        source.setEventHandler { context.emit() }
        source.schedule(deadline: deadline)
        source.resume()
        nonisolated(unsafe) let timer = source  // a dispatch source is thread-safe
        context.onCancel { timer.cancel() }
        return context.observer
    }
}
