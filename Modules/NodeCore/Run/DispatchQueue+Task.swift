package import Dispatch

extension DispatchQueue {
    /// Calls `work` on this queue, with the task-local values and the priority of the current task.
    package func asyncInTask(_ work: @escaping @Sendable () -> Void) {
        if self === DispatchQueue.main {
            Task { @MainActor in work() }
        } else {
            Task(executorPreference: QueueExecutor(queue: self)) { work() }
        }
    }
}

final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
