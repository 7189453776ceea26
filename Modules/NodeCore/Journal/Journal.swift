import Synchronization

/// Something that a step of a chain tells about its work: a log line, the figures of a transfer, a token refresh.
public protocol JournalEntry: Sendable {
    /// Who tells it: the node's name by default. Entries are filtered by it.
    var id: String { get }
}

/// What one run of a chain tells about itself, gathered in the order of arrival.
///
/// A reader (such as `LoggerNode`) makes a journal and runs the rest of the chain under it. Every observer
/// that is made meanwhile belongs to it and carries it on: through operators, errors, cancels, queue hops and `async`
/// code. A chain without a reader has none, and then writing costs at most one look at a task-local value.
///
/// ```swift
/// let journal = Journal()
/// let observer = Journal.$current.withValue(journal) { next.process(data) }
/// observer.defer { print(journal.records.map(\.entry.id)) }
/// ```
public final class Journal: Sendable {
    /// The journal of the chain run in progress on this thread or in this task.
    @TaskLocal public static var current: Journal?

    /// How many journals there are. While there is none nothing runs under one, and that is seen here ten times as fast as
    /// in the task-local value.
    private static let alive = Atomic(0)
    /// The same as ``current``.
    @usableFromInline package static var underWay: Journal? {
        alive.load(ordering: .relaxed) == 0 ? nil : current
    }

    /// An entry and when it arrived.
    public struct Record: Sendable {
        /// When the entry arrived.
        public let instant: ContinuousClock.Instant
        /// The message.
        public let entry: any JournalEntry
    }

    /// Where entries go.
    private enum Place: Sendable {
        /// Here, unless their writer is left out.
        case here(isIncluded: (@Sendable (_ id: String) -> Bool)?)
        /// To another journal, which asks its own filter; nil for nowhere.
        case other(Journal?)
    }

    /// When the journal was opened.
    public let start = ContinuousClock.now

    private let gathered = Mutex<[Record]>([])
    private let place: Place
    /// The marks of the work that this run is a part of: those of the journal under which this one was opened, and its
    /// own.
    package let marks: [JournalMark]
    /// What the gates behind which this run is gave it.
    package let passes: [any JournalPass]

    /// Opens a journal.
    ///
    /// - Parameter isIncluded: which writers are listened to, by their id; all of them without it. Called on the
    ///   writer's thread, once for each entry.
    public init(isIncluded: (@Sendable (_ id: String) -> Bool)? = nil) {
        Journal.alive.add(1, ordering: .relaxed)
        place = .here(isIncluded: isIncluded)
        let outside = Journal.current
        marks = outside?.marks ?? []
        passes = outside?.passes ?? []
    }

    /// Opens a journal that passes everything on to `target` and puts `mark` on whatever runs under it, journals that
    /// are opened meanwhile included. The marked work serves others too, so it runs under no pass.
    package init(passingTo target: Journal?, mark: JournalMark) {
        Journal.alive.add(1, ordering: .relaxed)
        place = .other(target)
        marks = (Journal.current?.marks ?? []).filter { $0.owner != mark.owner } + [mark]
        passes = []
    }

    /// Opens a journal that passes everything on to `target` and gives `pass` to whatever runs under it, journals that
    /// are opened meanwhile included.
    package init(passingTo target: Journal?, pass: any JournalPass) {
        Journal.alive.add(1, ordering: .relaxed)
        let outside = Journal.current
        place = .other(target)
        marks = outside?.marks ?? []
        passes = (outside?.passes ?? []).filter { $0.owner != pass.owner } + [pass]
    }

    deinit { Journal.alive.subtract(1, ordering: .relaxed) }

    /// Whether entries are dropped: then a writer need not even make them.
    package var isDeaf: Bool {
        switch place {
        case .here: false
        case .other(let target): target?.isDeaf ?? true
        }
    }

    /// Whether an entry of this writer would be kept. A writer asks before it makes an entry that costs something.
    public func includes(id: String) -> Bool {
        switch place {
        case .here(let isIncluded): isIncluded?(id) ?? true
        case .other(let target): target?.includes(id: id) ?? false
        }
    }

    /// Adds an entry, unless its writer is left out. May be called from any thread.
    public func append(_ entry: some JournalEntry) {
        switch place {
        case .here(let isIncluded):
            guard isIncluded?(entry.id) ?? true else { return }
            let record = Record(instant: .now, entry: entry)
            gathered.withLock { $0.append(record) }
        case .other(let target): target?.append(entry)
        }
    }

    /// What has been gathered so far, in the order of arrival.
    public var records: [Record] {
        switch place {
        case .here: gathered.withLock { $0 }
        case .other(let target): target?.records ?? []
        }
    }

    /// Runs `body` as a part of the chain run that `journal` belongs to, and of no other: not of the one that happens
    /// to settle something on this thread.
    @inlinable
    static func run<Result>(under journal: Journal?, _ body: () throws -> Result) rethrows -> Result {
        if journal === underWay { return try body() }
        return try $current.withValue(journal, operation: body)
    }
}
