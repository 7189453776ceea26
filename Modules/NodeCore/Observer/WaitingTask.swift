import Synchronization

/// A task that waits for an observer, until it goes on.
@usableFromInline
package final class WaitingTask: @unchecked Sendable {  // `left` by `woken`, as said there, the rest is let
    private let continuation: UnsafeContinuation<Void, Never>
    /// Whether it does work that is left to it.
    private let takesWork: Bool
    private let woken = Atomic(false)
    /// What the task does when it goes on: written by who wakes it, before that, and read by the task.
    private var left: (@Sendable () -> Void)?

    init(_ continuation: UnsafeContinuation<Void, Never>, takesWork: Bool) {
        self.continuation = continuation
        self.takesWork = takesWork
    }

    /// Whether it goes on, or is about to.
    var isWoken: Bool {
        woken.load(ordering: .acquiring)
    }

    /// Has the task go on, and do `work` before anything else. Returns false, and does nothing, when it goes on already, as
    /// the end of what it waits for may come in two ways, or takes no work.
    @discardableResult
    @usableFromInline
    func wake(toDo work: (@Sendable () -> Void)? = nil) -> Bool {
        guard work == nil || takesWork, !woken.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        left = work
        TaskWakeUps.wake(continuation)
        return true
    }

    /// Does what was left. Called by the task that has been woken.
    func doWhatWasLeft() {
        guard let left else { return }
        self.left = nil
        Self.work(left)
    }

    /// Something while this thread does what was left for a task.
    private static let atWork = ThreadValue()

    /// Whether a task is at work here on what was left for it: on a thread that brings nobody's answers.
    package static var isAtWork: Bool {
        atWork.pointer != nil
    }

    /// Does `work` as what was left for a task.
    package static func work(_ work: () -> Void) {
        atWork.with(UnsafeMutableRawPointer(bitPattern: 1), work)
    }
}
