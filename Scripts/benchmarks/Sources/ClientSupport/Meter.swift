import Dispatch
import Glibc
import Synchronization

/// Counts what the workers of a client do, and prints the figures of the run in one line.
///
/// Each worker sends one request after the other: first to warm up, then for the figures. It begins and ends with a
/// whole request, so nothing is counted in part.
package final class Meter: Sendable {
    /// The sum of all workers.
    private struct Total: Sendable {
        var rate = 0.0
        var seconds = 0.0
        var latencies: [UInt32] = []
        var processorTimePerSecond = 0.0
        var workersLeft: Int
    }

    private let total: Mutex<Total>
    private let warmUpEnd, end: UInt64
    private let done = DispatchSemaphore(value: 0)
    private let capacity: Int
    /// With a number of requests: how many of them no worker has taken, and when they began.
    private let left: Atomic<Int>
    private let begin: (time: UInt64, processorTime: UInt64)?

    /// Begins the warm-up.
    package init(_ arguments: ClientArguments) {
        let now = nanoseconds(CLOCK_MONOTONIC)
        left = Atomic(arguments.requests - arguments.concurrency)
        begin = arguments.requests > 0 ? (now, nanoseconds(CLOCK_PROCESS_CPUTIME_ID)) : nil
        warmUpEnd = now + UInt64(arguments.warmUp / .nanoseconds(1))
        end = warmUpEnd + UInt64(arguments.duration / .nanoseconds(1))
        total = Mutex(Total(workersLeft: arguments.concurrency))
        capacity = max(1, (1 << 18) / arguments.concurrency)
    }

    /// A worker's own figures. Used by one thread at a time.
    package final class Worker {
        private let meter: Meter
        /// When it began to count, and the processor time of the process until then; nil while it warms up.
        @exclusivity(unchecked) private var begin: (time: UInt64, processorTime: UInt64)?
        @exclusivity(unchecked) private var requestStart = nanoseconds(CLOCK_MONOTONIC)
        @exclusivity(unchecked) private var latencies: [UInt32] = []

        /// Makes a worker, which starts its first request now.
        package init(_ meter: Meter) {
            self.meter = meter
            begin = meter.begin
            latencies.reserveCapacity(meter.capacity)
        }

        /// A request has ended. Returns whether to send another one.
        package func next() -> Bool {
            let now = nanoseconds(CLOCK_MONOTONIC)
            defer { requestStart = now }
            guard let begin else {
                if now >= meter.warmUpEnd { begin = (now, nanoseconds(CLOCK_PROCESS_CPUTIME_ID)) }
                return true
            }
            latencies.append(UInt32(clamping: (now - requestStart) / 1_000))
            let hasMore =
                meter.begin == nil ? now < meter.end : meter.left.subtract(1, ordering: .relaxed).oldValue > 0
            if hasMore { return true }
            let processorTime = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - begin.processorTime
            meter.finish(latencies, seconds: Double(now - begin.time) / 1e9, processorTime: Double(processorTime) / 1e3)
            return false
        }
    }

    private func finish(_ latencies: [UInt32], seconds: Double, processorTime: Double) {
        let isLast = total.withLock { total in
            total.rate += Double(latencies.count) / seconds
            total.seconds = max(total.seconds, seconds)
            total.latencies += latencies
            // The whole process's time, so any worker's measurement will do; the last one's stays.
            total.processorTimePerSecond = processorTime / seconds
            total.workersLeft -= 1
            return total.workersLeft == 0
        }
        if isLast { done.signal() }
    }

    /// Waits for the last worker.
    package func wait() {
        done.wait()
    }

    /// The most memory that this program has had, in kilobytes. `getrusage` reports at least the memory of the program
    /// that started this one.
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

    /// Prints the figures: requests a second, microseconds of processor time a request, the median latency in
    /// microseconds, and the most memory that the process has had, in kilobytes.
    package func report() {
        let memory = Self.mostMemory
        var total = total.withLock { $0 }
        // All workers began together.
        if begin != nil { total.rate = Double(total.latencies.count) / total.seconds }
        let median = total.latencies.sorted()[total.latencies.count / 2]
        print("rate=\(total.rate) cpu=\(total.processorTimePerSecond / total.rate) p50=\(median) memory=\(memory)")
    }
}

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Runs a task to its end, for a `main` that is not asynchronous: an asynchronous one ends the main thread, for which
/// the tables of the program's frames are read: one or two megabytes that would count as the client's memory.
package func wait(
    on executor: (any TaskExecutor)? = nil, for task: @escaping @Sendable () async throws -> Void
) {
    let done = DispatchSemaphore(value: 0)
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

/// Ends the process with a message.
package func fail(_ message: String) -> Never {
    let line = message + "\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(1)
}

/// Runs the workers of a client that is awaited: as many tasks as requests are to be in progress.
package func runTasks(_ arguments: ClientArguments, _ request: @escaping @Sendable () async throws -> Void) async throws
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
