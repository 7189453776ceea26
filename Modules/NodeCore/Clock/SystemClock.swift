import Dispatch

/// The system's clock, and Dispatch's timers on a global queue.
public struct SystemClock: ChainClock {
    /// Makes it.
    public init() {}

    /// What time it is.
    public var now: ContinuousClock.Instant { .now }

    /// Completes after `delay`, on a global queue; a cancel ends it at once, and keeps nothing.
    public func wait(for delay: Duration) -> Observer<Void> {
        guard delay > .zero else { return .emit() }
        let context = Context<Void>()
        // Past a hundred years it makes no difference, and no number overflows.
        let (seconds, attoseconds) = min(delay, .seconds(100 * 365 * 86_400)).components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let source = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
        source.setEventHandler { context.emit() }
        source.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
        source.resume()
        nonisolated(unsafe) let timer = source  // a dispatch source is thread-safe, and protects itself
        context.onCancel { timer.cancel() }
        return context.observer
    }
}
