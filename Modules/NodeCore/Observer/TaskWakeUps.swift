#if os(Linux)
/// The tasks whose values come on one thread in one turn, woken together.
///
/// Woken one by one, the thread that they go on in takes the processor from the thread that brings the values, and sleeps
/// again before the next has come. What listens in place is called at once, as always, and before it those that wait.
///
/// Used by one thread.
@usableFromInline
package final class TaskWakeUps {
    /// So many are woken at the latest: more would gain nothing and wait for each other.
    private static let most = 16

    @exclusivity(unchecked) private var waiting: [UnsafeContinuation<Void, Never>] = []

    /// Those that a thread gathers.
    private static let own = ThreadValue()

    package init() {}

    /// Runs `body`, and wakes the tasks whose values came on this thread within it.
    package func gather<Result>(_ body: () -> Result) -> Result {
        defer { wakeAll() }
        return Self.own.with(Unmanaged.passUnretained(self).toOpaque(), body)
    }

    private func add(_ task: UnsafeContinuation<Void, Never>) {
        waiting.append(task)
        if waiting.count == Self.most { wakeAll() }
    }

    private func wakeAll() {
        guard !waiting.isEmpty else { return }
        // An executor may run a task at once, which may bring the next value.
        var woken: [UnsafeContinuation<Void, Never>] = []
        swap(&woken, &waiting)
        for task in woken { task.resume() }
        woken.removeAll(keepingCapacity: true)
        if waiting.isEmpty { swap(&woken, &waiting) }
    }

    /// Runs what a user has listen in place. It ought not to wait for a task; where it does, it waits for none that is held
    /// back here.
    @usableFromInline
    package static func runListener(_ body: () -> Void) {
        guard let own = own.pointer else { return body() }
        Self.own.with(nil) {
            Unmanaged<TaskWakeUps>.fromOpaque(own).takeUnretainedValue().wakeAll()
            body()
        }
    }

    /// Wakes `task`: at once, or together with others where this thread gathers them.
    static func wake(_ task: UnsafeContinuation<Void, Never>) {
        guard let own = own.pointer else { return task.resume() }
        Unmanaged<TaskWakeUps>.fromOpaque(own).takeUnretainedValue().add(task)
    }
}
#else
/// No thread here brings the values of many tasks in one turn, so that none gathers them.
@usableFromInline
enum TaskWakeUps {
    @usableFromInline
    static func runListener(_ body: () -> Void) { body() }

    static func wake(_ task: UnsafeContinuation<Void, Never>) { task.resume() }
}
#endif
