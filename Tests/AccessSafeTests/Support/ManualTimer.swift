import AccessSafe
import Synchronization

/// A clock that stands still until a test turns it.
final class ManualTimer: Sendable {
    private struct State {
        var now = ContinuousClock.now
        var lastID = 0
        var alarms: [Int: (time: ContinuousClock.Instant, action: @Sendable () -> Void)] = [:]
    }

    private let state = Mutex(State())

    var timer: RefreshTimer {
        RefreshTimer(now: { self.state.withLock { $0.now } }) { delay, action in
            let id = self.state.withLock { state in
                state.lastID += 1
                state.alarms[state.lastID] = (state.now + delay, action)
                return state.lastID
            }
            return { self.state.withLock { $0.alarms[id] = nil } }
        }
    }

    /// How many alarms are set.
    var alarms: Int { state.withLock { $0.alarms.count } }

    /// Turns the clock on and calls what is due, in order.
    func advance(by time: Duration) {
        let due = state.withLock { state in
            state.now += time
            let now = state.now
            let due = state.alarms.filter { $0.value.time <= now }
            for id in due.keys { state.alarms[id] = nil }
            return due.sorted { $0.value.time < $1.value.time }.map(\.value.action)
        }
        for action in due { action() }
    }
}
