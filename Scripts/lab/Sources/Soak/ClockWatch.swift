import Glibc
import Synchronization

/// Sees how the wall clock jumps, by a clock that only goes forwards.
final class ClockWatch: Sendable {
    private struct State {
        var offset: Double
        var jumps = 0
        var ahead = 0.0
        var behind = 0.0
    }

    private let start: ContinuousClock.Instant
    private let state: Mutex<State>

    init() {
        let start = ContinuousClock.now
        self.start = start
        state = Mutex(State(offset: Self.offset(since: start)))
    }

    /// Whether the clock has jumped at all, ahead and behind.
    var hasJumped: Bool {
        state.withLock { $0.ahead > 0 && $0.behind < 0 }
    }

    var description: String {
        let (jumps, ahead, behind) = state.withLock { ($0.jumps, $0.ahead, $0.behind) }
        func hours(_ seconds: Double) -> Double { (seconds / 360).rounded() / 10 }
        return "jumped \(jumps) times, by up to \(hours(ahead)) h ahead and \(hours(-behind)) h behind"
    }

    func look() {
        state.withLock { state in
            let offset = Self.offset(since: start)
            let jump = offset - state.offset
            guard abs(jump) > 60 else { return }
            state.offset = offset
            state.jumps += 1
            state.ahead = max(state.ahead, jump)
            state.behind = min(state.behind, jump)
        }
    }

    private static func offset(since start: ContinuousClock.Instant) -> Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec) - (ContinuousClock.now - start) / .seconds(1)
    }
}
