import Synchronization

/// Something that a step of a chain tells about its work: a log line, the metrics of a transfer, a token refresh.
public protocol JournalEntry: Sendable {
    /// Who tells it: the node's name by default. Entries are filtered by it.
    var id: String { get }
    /// About how many bytes the entry keeps in memory beyond itself, such as the body that a message shows. 0 by default.
    var retainedBytes: Int { get }
}

extension JournalEntry {
    /// 0.
    public var retainedBytes: Int { 0 }
}

/// What one run of a chain tells about itself, in the order of arrival.
///
/// A reader (such as `LoggerNode`) makes a journal and runs the rest of the chain with it. Every observer that is made
/// meanwhile belongs to that run: through operators, errors, cancellation, queues and `async` code.
///
/// ```swift
/// let journal = Journal()
/// let observer = journal.record { next.process(data) }
/// observer.defer { print(journal.close().map(\.entry.id)) }
/// ```
public final class Journal: Sendable {
    /// An entry and when it arrived.
    public struct Record: Sendable {
        /// When the entry arrived.
        public let instant: ContinuousClock.Instant
        /// The message.
        public let entry: any JournalEntry
    }

    private struct State {
        var records: [Record] = []
        var isClosed = false
    }

    /// When the journal was opened.
    public let start = ContinuousClock.now

    private let state = Mutex(State())
    private let isIncluded: (@Sendable (_ id: String) -> Bool)?
    private let receive: (@Sendable (Record) -> Void)?

    /// Opens a journal.
    ///
    /// - Parameters:
    ///   - isIncluded: which writers are listened to, by their id; all of them without it. Called on the writer's
    ///     thread, once for each entry.
    ///   - receive: is given each entry as it arrives, on the writer's thread and in its task; the journal then keeps
    ///     none.
    public init(
        isIncluded: (@Sendable (_ id: String) -> Bool)? = nil, receive: (@Sendable (Record) -> Void)? = nil
    ) {
        self.isIncluded = isIncluded
        self.receive = receive
    }

    /// Whether an entry of this writer would be kept. A writer asks before it makes an entry that costs something.
    public func includes(id: String) -> Bool {
        isIncluded?(id) ?? true
    }

    /// Adds an entry, unless its writer is left out or the journal is closed. May be called from any thread.
    public func append(_ entry: some JournalEntry) {
        guard includes(id: entry.id) else { return }
        let record = Record(instant: .now, entry: entry)
        guard let receive else {
            return state.withLock { state in
                if !state.isClosed { state.records.append(record) }
            }
        }
        // What a receiver does, such as a request, is no part of the run.
        if !state.withLock({ $0.isClosed }) { Run.within(nil) { receive(record) } }
    }

    /// What has been gathered so far, in the order of arrival; nothing once it is closed.
    public var records: [Record] {
        state.withLock { $0.records }
    }

    /// Takes what was gathered. Later entries are dropped, so that whatever keeps the journal keeps nothing else.
    @discardableResult
    public func close() -> [Record] {
        state.withLock { state in
            state.isClosed = true
            defer { state.records = [] }
            return state.records
        }
    }
}
