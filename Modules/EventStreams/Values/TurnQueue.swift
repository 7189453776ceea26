internal import NodeCore
import Synchronization

/// Lets one task at a time pass, in the order in which they ask: an asynchronous mutex.
final class TurnQueue: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [Context<Void>] = []

        mutating func takeIfFree() -> Bool {
            defer { isTaken = true }
            return !isTaken
        }

        /// The task that has waited longest; nil for none, and then the turn is free.
        mutating func next() -> Context<Void>? {
            isTaken = !waiting.isEmpty
            return isTaken ? waiting.removeFirst() : nil
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
        try Task.checkCancellation()
        let turn = Context<Void>()
        turn.onCancel { [weak self, weak turn] in
            _ = self?.state.taking { state in
                state.waiting.firstIndex { $0 === turn }.map { state.waiting.remove(at: $0) }
            }
        }
        let isMine = state.withLock { state in
            if state.takeIfFree() { return true }
            state.waiting.append(turn)
            return false
        }
        if !isMine { try await turn.observer.value }
    }

    /// Passes the turn to the task that has waited longest, and has not been canceled.
    func pass() {
        while let next = state.taking({ $0.next() }), !next.emit() {}
    }
}
