import HttpMessages
import NodeCore
import Synchronization

/// Limits how many requests are sent in a time: a token bucket.
///
/// ```swift
/// let polite = api.rateLimit(50, per: .seconds(1), burst: 10)
/// let github = api.rateLimit(.following(.github))
/// let shared = RateLimit(5_000, per: .seconds(3_600), burst: 100, following: .github)  // for several clients
/// ```
///
/// - It belongs to all clients and requests with the setting, and to their copies. Each attempt counts.
/// - Tokens arrive evenly, one after each `time / count`, and `burst` of them are kept. So in any time of this length at
///   most `count + burst` requests are sent.
/// - Requests get a token by the priority of their tasks, and in the order of arrival within one. The priority counts
///   that a task has when it begins to wait.
/// - A request that waits is a suspended task. Canceling it removes it from the queue at once, and it takes no token. The
///   wait counts for the request's `timeout` and `deadline`, whose errors name the limit.
/// - A ``RateLimitRule`` pauses all that wait when a response says that the quota of the server is used up.
///
/// It may be used from any thread.
public final class RateLimit: Sendable {
    /// The longest pause that a server can cause: an hour, the longest window of the services that the rules are for. Then
    /// requests are sent again, and the next response counts.
    private static var longestPause: Duration { .seconds(3_600) }

    private typealias Gate = RateGate<Context<Void>>

    private struct State: Sendable {
        var gate: Gate
        /// The timer for the next token, while requests wait.
        var timer: Observer<Void>?
    }

    private let state: Mutex<State>
    /// The times of the gate are durations since this instant. `Instant` isn't frozen, so copies of it are calls through its
    /// metadata: with durations a request that doesn't wait takes 300 instructions instead of 600.
    private let start = ContinuousClock.now
    private let rule: RateLimitRule?
    private let name: String

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - count: how many requests may be sent in `time`; at least 1.
    ///   - time: the time; at most a hundred years. Without a time longer than zero, only pauses limit.
    ///   - burst: how many may be sent at once after a pause; at least 1.
    ///   - waiting: how many may wait. One more fails at once with ``LimitError``.
    ///   - rule: which headers of responses pause all that wait; nil for none.
    public init(
        _ count: Int, per time: Duration, burst: Int = 1, waiting: Int = .max, following rule: RateLimitRule? = nil
    ) {
        name = "the rate limit of \(max(1, count)) in \(time)"
        self.rule = rule
        state = Mutex(
            State(gate: RateGate(TokenBucket(count: count, per: time, burst: burst), capacity: waiting)))
    }

    private init(rule: RateLimitRule, waiting: Int) {
        name = "the rate limit of the server"
        self.rule = rule
        state = Mutex(State(gate: RateGate(TokenBucket(count: 1, per: .zero, burst: 1), capacity: waiting)))
    }

    /// A new limit that only follows the server: requests are sent at once, until a response says that the quota is used
    /// up.
    ///
    /// - Parameters:
    ///   - rule: which headers of responses say so.
    ///   - waiting: how many may wait. One more fails at once with ``LimitError``.
    public static func following(_ rule: RateLimitRule, waiting: Int = .max) -> RateLimit {
        RateLimit(rule: rule, waiting: waiting)
    }

    /// How many requests wait now.
    public var waiting: Int { state.withLock { $0.gate.waiting } }

    /// Takes a token, if there is one and nothing waits. Allocates nothing.
    func takeAtOnce(_ clock: any ChainClock) -> Bool {
        let now = now(clock)
        return state.withLock { $0.gate.takeAtOnce(at: now) }
    }

    /// Waits for a token, which the request has after it returns.
    func take(_ request: inout HttpRequest, clock: any ChainClock) async throws {
        let waiter = Context<Void>()
        let priority = Task.currentPriority
        switch update(clock, { $0.arrive(waiter, priority: priority, at: $1) }) {
        case .go: return
        case .full(let waiting): throw LimitError(.queueFull, of: request, limit: name, waiting: waiting)
        case .wait(let id):
            waiter.onCancel { [self] in cancel(id, clock) }
            do {
                try await request.wait(for: name, until: waiter, clock: clock)
            } catch {
                cancel(id, clock)
                throw error
            }
        }
    }

    private func now(_ clock: any ChainClock) -> Duration { start.duration(to: clock.now) }

    /// Whether responses can cause a pause.
    var hasRule: Bool { rule != nil }

    /// Pauses if the response says so.
    func follow(_ response: HttpResponse, clock: any ChainClock) {
        guard let time = rule?.pause(response), time > .zero else { return }
        let end = now(clock) + min(time, Self.longestPause)
        state.withLock { $0.gate.pause(until: end) }
    }

    private func cancel(_ id: Int, _ clock: any ChainClock) {
        _ = update(clock) { gate, _ in gate.cancel(id) }
    }

    // MARK: Actions

    /// Changes the gate, and does what it says after unlocking.
    @discardableResult
    private func update<Result: Sendable>(
        _ clock: any ChainClock,
        _ event: (inout Gate, Duration) -> (Result, Gate.Actions)
    ) -> Result {
        var (result, admitted) = change(clock, event)
        while !admitted.isEmpty {
            // One that was canceled after it had left the queue gives its token back for the next one.
            let returned = admitted.count { !$0.emit() }
            admitted = (0..<returned).flatMap { _ in change(clock) { ((), $0.giveBack(at: $1)) }.admitted }
        }
        return result
    }

    /// Changes the gate, and sets the timer that it wants. Returns the waiters that have a token now.
    private func change<Result: Sendable>(
        _ clock: any ChainClock,
        _ event: (inout Gate, Duration) -> (Result, Gate.Actions)
    ) -> (result: Result, admitted: [Context<Void>]) {
        let now = now(clock)
        let ((result, actions), old) = state.taking { state in
            let result = event(&state.gate, now)
            guard result.1.timer != .keep else { return (result, Observer<Void>?.none) }
            defer { state.timer = nil }
            return (result, state.timer)
        }
        old?.cancel()
        if case .set(let number, let delay) = actions.timer { set(timer: number, delay, clock) }
        return (result, actions.admitted)
    }

    private func set(timer number: Int, _ delay: Duration, _ clock: any ChainClock) {
        let timer = clock.wait(for: delay)
        let isSet = state.withLock { state in
            let isSet = state.gate.isSet(timer: number)
            if isSet { state.timer = timer }
            return isSet
        }
        guard isSet else { return timer.cancel() }
        // Without the run of the request that happens to set the timer: its journal would be kept until then.
        Run.within(nil) {
            _ = timer.onCompleted { [weak self] in
                self?.update(clock) { ((), $0.fire(timer: number, at: $1)) }
            }
        }
    }
}
