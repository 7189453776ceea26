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
        /// How many reports have ever arrived.
        var arrived = 0
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Makes an empty store that keeps the newest `limit` reports, at least one.
    public init(limit: Int = 1000) {
        self.limit = max(limit, 1)
    }

    /// The reports that have arrived and not been cleared, the oldest first.
    public var reports: [LogReport] {
        state.withLock { $0.reports }
    }

    /// Waits until `count` reports have arrived since the store was made, and gives those that it keeps.
    @discardableResult
    public func reports(count: Int) async -> [LogReport] {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrived >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return reports
    }

    /// Waits for the first report.
    public func report() async -> LogReport? {
        await reports(count: 1).first
    }

    /// Forgets the reports, not how many there were.
    public func clear() {
        state.withLock { $0.reports = [] }
    }

    /// Keeps the report.
    public func write(_ report: LogReport) {
        let ready = state.withLock { state in
            if state.reports.count == limit { state.reports.removeFirst() }
            state.reports.append(report)
            state.arrived += 1
            let ready = state.waiters.filter { $0.count <= state.arrived }
            state.waiters.removeAll { $0.count <= state.arrived }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}

extension LogSink {
    /// Keeps reports in `store`. Chains that are to come out in the order of their ends share one such sink: each call
    /// makes one with a queue of its own.
    public static func memory(_ store: LogStore) -> LogSink {
        LogSink(store)
    }
}
