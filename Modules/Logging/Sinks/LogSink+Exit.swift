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

    /// Writes accepted reports before the process exits, except in a process that was forked without `exec`.
    func flushAtExit() {
        let isFirst = flushed.withLock { flushed in
            flushed.sinks.append(self)
            flushed.process = getpid()
            return flushed.sinks.count == 1
        }
        guard isFirst else { return }
        atexit {
            // In a forked process the lock may be held by a thread that doesn't exist there.
            guard let (sinks, process) = flushed.withLockIfAvailable({ $0 }), process == getpid() else { return }
            for sink in sinks { sink.flush(within: LogSink.exitLimit) }
        }
    }
}
