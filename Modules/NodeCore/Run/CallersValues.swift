import Synchronization

/// The task-local values and the priority of the code that makes it, for code that is called later, on any thread.
///
/// It is a task that has not begun. ``call(_:)`` runs it on the thread that calls it.
@usableFromInline package final class CallersValues: Sendable {
    /// Keeps the task's only job instead of running it.
    private final class Waiting: TaskExecutor {
        private struct State {
            var job: UnownedJob?
            var body: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            state.withLock { $0.job = job }
        }

        func takeBody() -> (@Sendable () -> Void)? {
            state.taking { state in
                defer { state.body = nil }
                return state.body
            }
        }

        /// Runs the task with `body`; false when it has been run.
        func run(_ body: (@Sendable () -> Void)?) -> Bool {
            let job = state.taking { state in
                defer { state.job = nil }
                if state.job != nil { state.body = body }
                return state.job
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
            return job != nil
        }
    }

    private let waiting = Waiting()

    /// Keeps the values of the calling code.
    @usableFromInline package init() {
        Task(executorPreference: waiting) { [waiting] in waiting.takeBody()?() }
    }

    deinit {
        // A task that is never run is never released.
        _ = waiting.run(nil)
    }

    /// Calls `body` with the values, on this thread. They can be used once.
    @usableFromInline package func call(_ body: @escaping @Sendable () -> Void) {
        if !waiting.run(body) { body() }
    }
}
