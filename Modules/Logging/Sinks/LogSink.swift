import Dispatch
import NodeCore
import Synchronization

/// Where the reports of chain runs go: a writer with a dedicated serial queue of limited size.
///
/// Share one sink among chains, so that their reports are written one after the other:
///
/// ```swift
/// let sink = LogSink.file("/var/log/shop/network.log")
/// let chain = LoggerNode(next: rest, sink: sink)
/// …
/// await sink.drain()   // before a command-line program exits
/// ```
///
/// A request never waits for a sink. When `limit` reports are queued, or their bodies have more than `byteLimit` bytes,
/// further ones are dropped and counted. An error that the writer throws is counted and kept in ``lastFailure``. The writer
/// runs in a task on the sink's queue, with the task-local values of the request. May be used from any thread.
public final class LogSink: Sendable {
    private struct State {
        var waiting = 0
        /// About how many bytes the waiting reports keep in memory.
        var waitingBytes = 0
        var dropped = 0
        var failed = 0
        var lastFailure: (any Error)?
    }

    /// `@unchecked` because Swift 6.0's Dispatch doesn't say that a key is `Sendable`; it has no state.
    private struct QueueKey: @unchecked Sendable {
        let value = DispatchSpecificKey<Bool>()
    }

    private let writer: (any LogWriter)?
    /// Receives each event as it happens, instead of the writer.
    let handler: (@Sendable (Log) -> Void)?
    private let limit: Int
    private let byteLimit: Int
    private let queue = DispatchQueue(label: "NetChainKit.LogSink", qos: .utility)
    private let isOnQueue = QueueKey()
    private let state = Mutex(State())

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - writer: writes the reports.
    ///   - limit: how many reports may be queued for the writer, at least one.
    ///   - byteLimit: how many bytes of bodies the queued reports may keep in memory, by `JournalEntry.retainedBytes`
    ///     of their entries. A single report may keep more.
    public convenience init(_ writer: some LogWriter, limit: Int = 1000, byteLimit: Int = 64 << 20) {
        self.init(writer: writer, handler: nil, limit: limit, byteLimit: byteLimit)
    }

    private init(writer: (any LogWriter)?, handler: (@Sendable (Log) -> Void)?, limit: Int, byteLimit: Int) {
        self.writer = writer
        self.handler = handler
        self.limit = max(limit, 1)
        self.byteLimit = byteLimit
        queue.setSpecific(key: isOnQueue.value, value: true)
    }

    /// Drops everything: no journal is kept for it, no message is created.
    public static let silent = LogSink(writer: nil, handler: nil, limit: 1, byteLimit: 0)

    /// Calls `handler` with each event as it happens, and keeps none.
    ///
    /// ```swift
    /// let requests = LogSink.events { event in
    ///     if event.kind == .response { metrics.record(event.details.duration, status: event.details.status) }
    /// }
    /// ```
    ///
    /// The chain's `LogFilter` selects the events: by default those from level `info` on. The handler is called where
    /// the event happens, in the task of the request: it sees the request's task-local values. The request waits for
    /// it, and several requests call it at once. The last event of a run has the kind `completion`, `failure` or
    /// `cancellation`, and the logger's id.
    public static func events(_ handler: @escaping @Sendable (Log) -> Void) -> LogSink {
        LogSink(writer: nil, handler: handler, limit: 1, byteLimit: 0)
    }

    var isSilent: Bool {
        writer == nil && handler == nil
    }

    /// How many reports were dropped because too many were queued.
    public var droppedReports: Int {
        state.withLock { $0.dropped }
    }

    /// How many reports the writer threw an error for.
    public var failedReports: Int {
        state.withLock { $0.failed }
    }

    /// The last error that the writer threw; nil if there is none. That of a file names it and the reason.
    public var lastFailure: (any Error)? {
        state.withLock { $0.lastFailure }
    }

    /// Queues a report and returns at once. May be called from any thread; `LoggerNode` calls it when a chain ends.
    public func accept(_ report: LogReport) {
        guard let writer else { return }
        let isTaken = state.withLock { state in
            let bytes = report.retainedBytes
            let hasSpace = bytes == 0 || state.waiting == 0 || state.waitingBytes + bytes <= byteLimit
            guard state.waiting < limit, hasSpace else {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            state.waitingBytes += bytes
            return true
        }
        guard isTaken else { return }
        // The writer's work, such as an upload of reports, is no part of the run.
        Run.within(nil) {
            queue.asyncInTask { [self] in
                do {
                    try writer.write(report)
                } catch {
                    state.taking { state in
                        state.failed += 1
                        defer { state.lastFailure = error }
                        return state.lastFailure
                    }
                }
                state.withLock { state in
                    state.waiting -= 1
                    state.waitingBytes -= report.retainedBytes
                }
            }
        }
    }

    /// Waits until the reports that have been accepted so far are written or have failed.
    public func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    /// Blocks the calling thread until the reports that have been accepted so far are written or have failed: for a
    /// program without `async`, before it exits. From within a writer it returns at once.
    public func flush() {
        guard DispatchQueue.getSpecific(key: isOnQueue.value) == nil else { return }
        queue.sync {}
    }

    /// Does the same, but blocks for at most `limit`.
    func flush(within limit: Duration) {
        guard DispatchQueue.getSpecific(key: isOnQueue.value) == nil else { return }
        let isFlushed = DispatchSemaphore(value: 0)
        queue.async { isFlushed.signal() }
        _ = isFlushed.wait(timeout: .now() + limit / .seconds(1))
    }
}
