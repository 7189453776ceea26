import Synchronization

/// Runs what is to be done when it is told to, so that a task is known to wait.
final class PatientExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    var count: Int { jobs.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    func run() {
        while true {
            let due = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            if due.isEmpty { return }
            for job in due { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
