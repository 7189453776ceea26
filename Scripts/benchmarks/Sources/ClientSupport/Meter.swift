import Glibc
import Synchronization

/// Counts what the workers of a client do, and prints the figures of the run in one line.
///
/// Each worker sends one request after the other: first to warm up, then for the figures. It begins and ends with a
/// whole request, so nothing is counted in part.
public final class Meter: Sendable {
    /// The sum of all workers.
    private struct Total: Sendable {
        var rate = 0.0
        var seconds = 0.0
        var latencies: [UInt32] = []
        var processorTimePerRequest = 0.0
        var workersLeft: Int
    }

    private let total: Mutex<Total>
    private let warmUpEnd, end: UInt64
    private let done: Done
    private let room: Int
    /// With a number of requests: how many of them no worker has taken, and when they began.
    private let left: Atomic<Int>
    private let begin: (time: UInt64, processorTime: UInt64)?

    /// Begins the warm-up.
    public init(_ arguments: ClientArguments) {
        let now = Clock.now
        left = Atomic(arguments.requests - arguments.concurrency)
        begin = arguments.requests > 0 ? (now, Clock.processorTime) : nil
        warmUpEnd = now + arguments.warmUp.nanoseconds
        end = warmUpEnd + arguments.duration.nanoseconds
        total = Mutex(Total(workersLeft: arguments.concurrency))
        done = Done()
        room = max(1, (1 << 18) / arguments.concurrency)
    }

    /// A worker's own figures. Used by one thread at a time.
    public final class Worker {
        private let meter: Meter
        @exclusivity(unchecked) private var begin: UInt64 = 0
        @exclusivity(unchecked) private var requestStart = Clock.now
        @exclusivity(unchecked) private var latencies: [UInt32] = []
        private var processorTime: UInt64 = 0

        /// Makes a worker, which starts its first request now.
        public init(_ meter: Meter) {
            self.meter = meter
            latencies.reserveCapacity(meter.room)
        }

        /// A request has ended. Returns whether to send another one.
        public func next() -> Bool {
            let now = Clock.now
            defer { requestStart = now }
            if let begin = meter.begin {
                latencies.append(UInt32(clamping: (now - requestStart) / 1_000))
                if meter.left.subtract(1, ordering: .relaxed).oldValue > 0 { return true }
                meter.finish(
                    latencies, nanoseconds: now - begin.time, processorTime: Clock.processorTime - begin.processorTime)
                return false
            }
            if begin == 0 {
                if now >= meter.warmUpEnd {
                    begin = now
                    processorTime = Clock.processorTime
                }
                return true
            }
            latencies.append(UInt32(clamping: (now - requestStart) / 1_000))
            guard now >= meter.end else { return true }
            meter.finish(latencies, nanoseconds: now - begin, processorTime: Clock.processorTime - processorTime)
            return false
        }
    }

    private func finish(_ latencies: [UInt32], nanoseconds: UInt64, processorTime: UInt64) {
        let isLast = total.withLock { total in
            let seconds = Double(nanoseconds) / 1e9
            total.rate += Double(latencies.count) / seconds
            total.seconds = max(total.seconds, seconds)
            total.latencies += latencies
            // The whole process's time, so one worker's look is as good as another's; the last one's stays.
            total.processorTimePerRequest = Double(processorTime) / 1e3 / seconds
            total.workersLeft -= 1
            return total.workersLeft == 0
        }
        if isLast { done.signal() }
    }

    /// Waits for the last worker.
    public func wait() {
        done.wait()
    }

    private static var threads: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count - 2
    }

    /// The most memory that this program has had, in kilobytes. What `getrusage` tells is at least what the program that
    /// started this one had.
    private static var mostMemory: Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        var kilobytes = 0
        while fgets(&line, Int32(line.count), file) != nil {
            if strncmp(line, "VmHWM:", 6) == 0 { kilobytes = atol(Array(line.dropFirst(6))) }
        }
        return kilobytes
    }

    /// Prints the figures: requests a second, microseconds of processor time a request, latencies in microseconds, and
    /// the most memory that the process has had, in kilobytes, and its threads.
    public func report() {
        let memory = Self.mostMemory
        var total = total.withLock { $0 }
        // All workers began together.
        if begin != nil { total.rate = Double(total.latencies.count) / total.seconds }
        let latencies = total.latencies.sorted()
        func percentile(_ share: Double) -> UInt32 {
            latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
        }
        print(
            "rate=\(total.rate) cpu=\(total.processorTimePerRequest / total.rate) p50=\(percentile(0.5))",
            "p99=\(percentile(0.99)) memory=\(memory) requests=\(latencies.count)", "threads=\(Self.threads)")
    }
}

/// Tells one thread that something is over.
private final class Done: @unchecked Sendable {  // a semaphore may be used from any thread
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
    }

    deinit {
        semaphore.deallocate()
    }

    func signal() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}

enum Clock {
    /// Nanoseconds of a clock that never goes back.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Nanoseconds that the processors have worked for this process.
    static var processorTime: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        UInt64(components.seconds) * 1_000_000_000 + UInt64(components.attoseconds / 1_000_000_000)
    }
}

/// Runs a task to its end, for a `main` that is not asynchronous: an asynchronous one ends the main thread, for which the
/// tables of the program's frames are read: one or two megabytes that would count as the client's memory.
public func wait(
    on executor: (any TaskExecutor)? = nil, for task: @escaping @Sendable () async throws -> Void
) {
    let done = Done()
    Task(executorPreference: executor) {
        do {
            try await task()
        } catch {
            fail("\(error)")
        }
        done.signal()
    }
    done.wait()
}

/// Ends the process, which says why.
public func fail(_ why: String) -> Never {
    let line = why + "\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}

/// Runs the workers of a client that is awaited: as many tasks as requests are to be in progress.
public func runTasks(_ arguments: ClientArguments, _ request: @escaping @Sendable () async throws -> Void) async throws
{
    let meter = Meter(arguments)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<arguments.concurrency {
            group.addTask {
                let worker = Meter.Worker(meter)
                repeat { try await request() } while worker.next()
            }
        }
        try await group.waitForAll()
    }
    meter.report()
}
