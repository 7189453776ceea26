public import NodeCore
import Synchronization

/// A clock that stands still until a test turns it.
///
/// ```swift
/// let clock = TestClock()
/// let node = RetryNode(next: rest, policy: .exponential(), clock: clock)
/// …
/// #expect(clock.delays == [.milliseconds(200)])
/// clock.advance(by: .milliseconds(200))
/// ```
///
/// May be used from any thread.
public final class TestClock: ChainClock {
    private struct State {
        var now = ContinuousClock.now
        var lastId = 0
        var waiting: [Int: (end: ContinuousClock.Instant, context: Context<Void>)] = [:]
    }

    private let state = Mutex(State())

    /// Creates a clock that shows the time of this moment.
    public init() {}

    /// What time it is here.
    public var now: ContinuousClock.Instant {
        state.withLock { $0.now }
    }

    /// How long each delay that is being waited for still takes, shortest first.
    public var delays: [Duration] {
        state.withLock { state in state.waiting.values.map { $0.end - state.now } }.sorted()
    }

    /// Completes when the test has turned the clock by `delay`.
    public func wait(for delay: Duration) -> Observer<Void> {
        guard delay > .zero else { return .emit() }
        let context = Context<Void>()
        let id = state.withLock { state in
            state.lastId += 1
            state.waiting[state.lastId] = (state.now + delay, context)
            return state.lastId
        }
        context.onCancel { [weak self] in _ = self?.state.withLock { $0.waiting.removeValue(forKey: id) } }
        return context.observer
    }

    /// Turns the clock on, and completes what has waited long enough, in the order of the ends.
    public func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now += time
            let now = state.now
            let due = state.waiting.filter { $0.value.end <= now }
            for id in due.keys { state.waiting[id] = nil }
            return due.sorted { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
        }
        for (_, wait) in due { wait.context.emit() }
    }
}
