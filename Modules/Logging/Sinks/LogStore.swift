import NodeCore
import Synchronization

/// Keeps reports in memory: for tests, and for a debug screen in an application.
///
/// ```swift
/// let store = LogStore()
/// let chain = LoggerNode(next: rest, sink: .memory(store))
/// _ = try await chain.execute(input)
/// let report = await store.report()     // waits until the report has arrived
/// ```
///
/// May be used from any thread.
public final class LogStore: LogWriter {
    private struct State {
        var reports: [LogReport] = []
        /// About how many bytes the reports keep in memory.
        var retainedBytes = 0
        /// How many reports have ever arrived.
        var arrived = 0
        /// The tasks that wait until so many reports have arrived.
        var waiters: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var nextWaiter = 0
    }

    private let limit: Int
    private let byteLimit: Int
    private let state = Mutex(State())

    /// Creates an empty store that keeps the newest reports, at least one.
    ///
    /// - Parameters:
    ///   - limit: how many reports are kept.
    ///   - byteLimit: how many bytes of bodies the kept reports may keep in memory, by `JournalEntry.retainedBytes` of
    ///     their entries. The newest one may keep more.
    public init(limit: Int = 1000, byteLimit: Int = 64 << 20) {
        self.limit = max(limit, 1)
        self.byteLimit = byteLimit
    }

    /// The reports that have arrived and not been cleared, the oldest first.
    public var reports: [LogReport] {
        state.withLock { $0.reports }
    }

    /// Waits until `count` reports have arrived since the store was created, and returns those that it keeps. If the
    /// task is canceled it returns at once, with those that have arrived.
    @discardableResult
    public func reports(count: Int) async -> [LogReport] {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.arrived >= count || Task.isCancelled { return true }
                    state.waiters[id] = (count, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.taking { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
        return reports
    }

    /// Waits for the first report; nil if the task is canceled before.
    public func report() async -> LogReport? {
        await reports(count: 1).first
    }

    /// Removes the reports; they still count as arrived.
    public func clear() {
        state.taking { state in
            let removed = state.reports
            state.reports = []
            state.retainedBytes = 0
            return removed
        }
    }

    /// Keeps the report, and drops the oldest ones above the limits.
    public func write(_ report: LogReport) {
        let (_, ready) = state.taking { state in
            state.reports.append(report)
            state.retainedBytes += report.retainedBytes
            state.arrived += 1
            var removed: [LogReport] = []
            while state.reports.count > limit || state.retainedBytes > byteLimit, state.reports.count > 1 {
                let oldest = state.reports.removeFirst()
                state.retainedBytes -= oldest.retainedBytes
                removed.append(oldest)
            }
            let ready = state.waiters.filter { $0.value.count <= state.arrived }
            for id in ready.keys { state.waiters[id] = nil }
            return (removed, ready)
        }
        for waiter in ready.values { waiter.continuation.resume() }
    }
}

extension LogSink {
    /// Keeps reports in `store`. Chains whose reports must arrive in the order of their completion share one such sink:
    /// each call creates one with a dedicated queue.
    public static func memory(_ store: LogStore) -> LogSink {
        LogSink(store)
    }
}
