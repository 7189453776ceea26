public import NodeCore
import Synchronization

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let node = RetryNode(next: rest, policy: .exponential(), clock: clock)
/// …
/// #expect(clock.delays == [.milliseconds(200)])
/// clock.advance(by: .milliseconds(200))
/// ```
///
/// It can be used from any thread.
public final class TestClock: ChainClock {
    private struct State {
        var now = ContinuousClock.now
        var lastId = 0
        var waiting: [Int: (end: ContinuousClock.Instant, context: Context<Void>)] = [:]
    }

    private let state = Mutex(State())

    /// Creates a clock that starts at the current time.
    public init() {}

    /// The clock's current time.
    public var now: ContinuousClock.Instant {
        state.withLock { $0.now }
    }

    /// The remaining time of each pending delay, shortest first.
    public var delays: [Duration] {
        state.withLock { state in state.waiting.values.map { $0.end - state.now } }.sorted()
    }

    /// Completes when the test has advanced the clock by `delay`; at once if `delay` is not positive.
    public func wait(for delay: Duration) -> Observer<Void> {
        guard delay > .zero else { return .emit() }
        let context = Context<Void>()
        let id = state.withLock { state in
            state.lastId += 1
            state.waiting[state.lastId] = (state.now + delay, context)
            return state.lastId
        }
        context.onCancel { [weak self] in _ = self?.state.taking { $0.waiting.removeValue(forKey: id) } }
        return context.observer
    }

    /// Advances the clock, and completes the delays that have passed in the order in which they end.
    public func advance(by time: Duration) {
        let due = state.taking { state in
            state.now += time
            let now = state.now
            let due = state.waiting.filter { $0.value.end <= now }
            for id in due.keys { state.waiting[id] = nil }
            return due.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
        }
        for (_, wait) in due { wait.context.emit() }
    }
}
