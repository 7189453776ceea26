#if os(Linux)
import Dispatch

/// Tasks that prefer the loop run on its thread, between its transfers, so that their awaiting costs no hop.
extension CurlEventLoop: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if !run(job) { runElsewhere(job) }
    }

    /// Goes on with a task whose thread has ended.
    func runElsewhere(_ job: UnownedJob) {
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
