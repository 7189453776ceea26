import Synchronization

/// A task that waits for an observer.
package final class WaitingTask: Sendable {
    /// Whether this is a task that has waited, at work on what came: on a thread that others don't wait for.
    @TaskLocal package static var isAtWork = false

    private let continuation: UnsafeContinuation<Void, Never>
    private let isWoken = Atomic(false)

    init(_ continuation: UnsafeContinuation<Void, Never>) {
        self.continuation = continuation
    }

    /// Has the task go on. Only the first call does something: the end of what it waits for may come in two ways.
    func wake() {
        if !isWoken.exchange(true, ordering: .acquiringAndReleasing) { TaskWakeUps.wake(continuation) }
    }
}
