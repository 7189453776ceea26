import Synchronization

/// Something that a step of a chain reports about its work: a log line, the metrics of a transfer, a token refresh.
public protocol JournalEntry: Sendable {
    /// The writer: by default the node's name. Filters use it.
    var id: String { get }
    /// About how many bytes the entry keeps in memory besides itself, such as the body of a message. 0 by default.
    var retainedBytes: Int { get }
}

extension JournalEntry {
    /// 0: the entry keeps nothing that counts.
    public var retainedBytes: Int { 0 }
}

/// The entries that one run of a chain writes, in the order of arrival.
///
/// `LoggerNode` creates a journal and runs the rest of the chain with it. Every observer that is created meanwhile
/// belongs to that run: through operators, errors, cancellation, queues and `async` code. A node adds entries of its own
/// types:
///
/// ```swift
/// Journal.current?.append(QueueLength(id: name, count: 3))
/// ```
public final class Journal: Sendable {
    package struct Record: Sendable {
        package let instant: ContinuousClock.Instant
        package let entry: any JournalEntry
        /// What the entry said of itself when it arrived.
        package let retainedBytes: Int

        fileprivate init(_ entry: some JournalEntry) {
            instant = .now
            // An application's code, which is not called under the lock. The sum of a limit and two of these can't overflow.
            retainedBytes = min(max(0, entry.retainedBytes), Int.max >> 2)
            self.entry = entry
        }
    }

    private struct State {
        var records: [Record] = []
        var retainedBytes = 0
        var dropped = 0
        var isClosed = false
        var runExtension: RunExtension?

        /// Adds a record, and returns the oldest ones, which it replaces.
        mutating func add(_ record: Record, limit: Int, byteLimit: Int) -> ArraySlice<Record> {
            records.append(record)
            retainedBytes += record.retainedBytes
            // Half of them at once, so that each record is moved about once.
            var count = records.count > limit ? max(1, limit / 2) : 0
            var bytes = records[..<count].reduce(retainedBytes) { $0 - $1.retainedBytes }
            while bytes > byteLimit, count < records.count - 1 {
                bytes -= records[count].retainedBytes
                count += 1
            }
            guard count > 0 else { return [] }
            let oldest = records[..<count]
            records.removeFirst(count)
            retainedBytes = bytes
            dropped += count
            return oldest
        }
    }

    package let start = ContinuousClock.now

    private let state = Mutex(State())
    private let isIncluded: (@Sendable (any JournalEntry) -> Bool)?
    private let limit: Int
    private let byteLimit: Int
    private let receive: (@Sendable (Record) -> Void)?

    /// Opens a journal.
    ///
    /// - Parameters:
    ///   - isIncluded: which entries are kept; all by default. Called on the writer's thread, once for each entry.
    ///   - limit: how many entries are kept; the oldest are dropped first.
    ///   - byteLimit: how many bytes the kept entries may keep in memory (``JournalEntry/retainedBytes``). The newest
    ///     one may keep more.
    ///   - receive: gets each entry as it arrives, on the writer's thread and in its task; the journal then keeps none.
    package init(
        isIncluded: (@Sendable (any JournalEntry) -> Bool)? = nil, limit: Int = 1000, byteLimit: Int = 16 << 20,
        receive: (@Sendable (Record) -> Void)? = nil
    ) {
        self.isIncluded = isIncluded
        self.limit = max(limit, 1)
        self.byteLimit = byteLimit
        self.receive = receive
    }

    /// Adds an entry, unless `isIncluded` rejects it or the journal is closed. May be called from any thread.
    public func append(_ entry: some JournalEntry) {
        guard isIncluded?(entry) ?? true else { return }
        let record = Record(entry)
        guard let receive else {
            state.taking { state in
                state.isClosed ? [] : state.add(record, limit: limit, byteLimit: byteLimit)
            }
            return
        }
        if !state.withLock({ $0.isClosed }) { receive(record) }
    }

    /// What continues the run after its value was delivered; nil for nothing. The last sending sets it.
    package var runExtension: RunExtension? {
        get { state.withLock { $0.runExtension } }
        set {
            state.taking { state in
                defer { state.runExtension = newValue }
                return state.runExtension
            }
        }
    }

    /// How many entries were dropped to keep within the limits.
    package var dropped: Int {
        state.withLock { $0.dropped }
    }

    /// The records so far, in the order of arrival; empty once the journal is closed.
    package var records: [Record] {
        state.withLock { $0.records }
    }

    /// Closes the journal and returns its records. Later entries are dropped, so that a reference to the journal keeps
    /// nothing else.
    @discardableResult
    package func close() -> [Record] {
        state.taking { state in
            state.isClosed = true
            defer { state.records = [] }
            return state.records
        }
    }
}

extension Journal {
    /// The journal of the chain run that the current code belongs to; nil when no logger reads one.
    public static var current: Journal? {
        Run.current?.journal
    }

    /// Calls `body` as a part of a chain run that writes into this journal.
    package func record<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Run.$current.withValue(Run.with(journal: self)) { try await body() }
    }
}
