import NodeCore
import Synchronization

/// Makes a task that writes wait until the buffer has capacity again. One task waits at a time.
final class SpaceSignal: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Void, Never>?
        /// Whether a signal arrived while no task waited.
        var isSet = false
    }

    private let state = Mutex(State())

    /// Resumes the task that waits, or the next one that does.
    func signal() {
        let waiting = state.taking { state in
            if state.waiting == nil { state.isSet = true }
            return state.waiting.take()
        }
        waiting?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isSet = state.withLock { state in
                if state.isSet {
                    state.isSet = false
                    return true
                }
                state.waiting = continuation
                return false
            }
            if isSet { continuation.resume() }
        }
    }
}
