import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The sinks that are flushed before the process exits, and the process that they belong to.
private let flushed = Mutex<(sinks: [LogSink], process: Int32)>(([], 0))

extension LogSink {
    /// How long an exit waits for a sink: a reader that doesn't read must not keep the process.
    private static let exitLimit = Duration.seconds(1)

    /// Writes what the sink has accepted before the process exits; a process that is forked off without `exec` leaves it.
    func flushAtExit() {
        let isFirst = flushed.withLock { flushed in
            flushed.sinks.append(self)
            flushed.process = getpid()
            return flushed.sinks.count == 1
        }
        guard isFirst else { return }
        atexit {
            // In a forked process a thread that isn't there could hold the lock.
            guard let (sinks, process) = flushed.withLockIfAvailable({ $0 }), process == getpid() else { return }
            for sink in sinks { sink.flush(within: LogSink.exitLimit) }
        }
    }
}
