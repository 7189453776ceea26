import Synchronization

/// Something that a step of a chain tells about its work: a log line, the figures of a transfer, a token refresh.
public protocol JournalEntry: Sendable {
    /// Who tells it: the node's name by default. Entries are filtered by it.
    var id: String { get }
}

/// What one run of a chain tells about itself, gathered in the order of arrival.
///
/// Whoever wants to read it (`LoggerNode` does) makes a journal and runs the rest of the chain under it. Every observer
/// that is made meanwhile belongs to it and carries it on: through operators, errors, cancels, queue hops and `async`
/// code. A chain that nobody listens to has none, and then writing costs one look at a task-local value.
///
/// ```swift
/// let journal = Journal()
/// let observer = Journal.$current.withValue(journal) { next.process(data) }
/// observer.defer { print(journal.records.map(\.entry.id)) }
/// ```
public final class Journal: Sendable {
    /// The journal of the chain run under way on this thread or in this task.
    @TaskLocal public static var current: Journal?

    /// An entry and when it arrived.
    public struct Record: Sendable {
        /// When the entry arrived.
        public let instant: ContinuousClock.Instant
        /// What was told.
        public let entry: any JournalEntry
    }

    /// When the journal was opened.
    public let start = ContinuousClock.now

    private let gathered = Mutex<[Record]>([])
    private let isIncluded: (@Sendable (_ id: String) -> Bool)?
    /// Who gets the entries of a journal that keeps none itself.
    private let target: Journal?
    /// The marks of the work that this run is a part of: those of the journal under which this one was opened, and its
    /// own.
    package let marks: [JournalMark]

    /// Opens a journal.
    ///
    /// - Parameter isIncluded: which writers are listened to, by their id; all of them without it. Called on the
    ///   writer's thread, once for each entry.
    public init(isIncluded: (@Sendable (_ id: String) -> Bool)? = nil) {
        self.isIncluded = isIncluded
        target = nil
        marks = Journal.current?.marks ?? []
    }

    /// Opens a journal that passes everything on to `target` and puts `mark` on whatever runs under it, journals that
    /// are opened meanwhile included.
    package init(passingTo target: Journal?, mark: JournalMark) {
        isIncluded = { target?.includes(id: $0) ?? false }
        self.target = target
        marks = (Journal.current?.marks ?? []).filter { $0.owner != mark.owner } + [mark]
    }

    /// Whether an entry of this writer would be kept. A writer asks before it makes an entry that costs something.
    public func includes(id: String) -> Bool {
        isIncluded?(id) ?? true
    }

    /// Adds an entry, unless its writer is left out. May be called from any thread.
    public func append(_ entry: some JournalEntry) {
        guard includes(id: entry.id) else { return }
        if let target { return target.append(entry) }
        let record = Record(instant: .now, entry: entry)
        gathered.withLock { $0.append(record) }
    }

    /// What has been gathered so far, in the order of arrival.
    public var records: [Record] {
        gathered.withLock { $0 }
    }

    /// Runs `body` as a part of the chain run that `journal` belongs to, and of no other: not of the one that happens
    /// to settle something on this thread.
    @inlinable
    static func run<Result>(under journal: Journal?, _ body: () throws -> Result) rethrows -> Result {
        if journal === current { return try body() }
        return try $current.withValue(journal, operation: body)
    }
}
