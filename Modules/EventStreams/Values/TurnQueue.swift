internal import NodeCore
import Synchronization

/// Lets one task at a time pass, in the order in which they ask: an asynchronous mutex.
final class TurnQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(id: Int, turn: CheckedContinuation<Void, any Error>)] = []
        var lastId = 0

        mutating func takeIfFree() -> Bool {
            defer { isTaken = true }
            return !isTaken
        }

        mutating func newId() -> Int {
            lastId += 1
            return lastId
        }
    }

    private let state = Mutex(State())

    /// Takes the turn, which ``pass()`` ends, if no task has it. Returns whether it did.
    func take() -> Bool {
        state.withLock { $0.takeIfFree() }
    }

    /// Takes the turn, which ``pass()`` ends, or waits for it.
    ///
    /// - Throws: `CancellationError` if the task is canceled before it has the turn.
    func wait() async throws {
        let id = state.withLock { $0.newId() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.takeIfFree() { return .success(()) }
                    state.waiting.append((id, turn))
                    return nil
                }
                if let result { turn.resume(with: result) }
            }
        } onCancel: {
            let turn = state.taking { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).turn }
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Passes the turn to the task that has waited longest.
    func pass() {
        let next = state.taking { state -> CheckedContinuation<Void, any Error>? in
            if state.waiting.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().turn
        }
        next?.resume()
    }
}
