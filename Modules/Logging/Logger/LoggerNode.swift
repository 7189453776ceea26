public import NodeCore

/// Records what the rest of the chain reports and passes it to a sink once the chain has ended: the first node of a
/// chain.
///
/// ```swift
/// let chain = LoggerNode(next: rest, filters: ["RequestEncoderNode"], level: .debug)
/// ```
///
/// - Each run has a separate journal; a chain with a logger inside a chain with a logger reports to its own sink.
/// - A run whose value is a stream ends with the stream, and has its outcome.
/// - The report is passed on when the run has ended, before any hop to the caller's queue. Writing happens on the
///   sink's queue, so a sink that is slow or throws affects no request.
/// - With ``LogSink/silent`` no journal is kept and no message is created.
/// - By default a debug build writes lines to standard error, with secrets masked, and a release build writes none.
open class LoggerNode<Input: Sendable, Output: Sendable>: AsyncNode<Input, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<Input, Output>
    package let filter: LogFilter
    package let redaction: Redaction
    package let sink: LogSink

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - filter: which lines are recorded.
    ///   - redaction: how secrets are masked.
    ///   - sink: where reports go.
    public init(
        next: Node<Input, Output>, filter: LogFilter, redaction: Redaction = .standard, sink: LogSink = .standard
    ) {
        self.next = next
        self.filter = filter
        self.redaction = redaction
        self.sink = sink
        super.init()
        places = next.places
    }

    /// Creates the node.
    ///
    /// - Parameters:
    ///   - next: the rest of the chain.
    ///   - filters: writers that are excluded, by their id: the node's name by default.
    ///   - only: the only writers whose lines are recorded; nil for all.
    ///   - level: the lowest level that is shown.
    ///   - redaction: how secrets are masked.
    ///   - sink: where reports go.
    public convenience init(
        next: Node<Input, Output>, filters: [String] = [], only: [String]? = nil, level: LogLevel = .info,
        redaction: Redaction = .standard, sink: LogSink = .standard
    ) {
        let filter = LogFilter(exclude: Set(filters), only: only.map { Set($0) }, level: level)
        self.init(next: next, filter: filter, redaction: redaction, sink: sink)
    }

    open override func execute(_ data: Input) async throws -> Output {
        guard !sink.isSilent else {
            // Inside another chain its lines are dropped, and don't reach the other chain's logger.
            if Journal.current == nil { return try await next.execute(data) }
            return try await Run.$current.withValue(Run.with(journal: nil)) { try await next.execute(data) }
        }
        return try await recorded(data)
    }

    /// Apart from ``execute(_:)``, so that a request without a log doesn't keep its local variables while it waits.
    private func recorded(_ data: Input) async throws -> Output {
        let events = sink.handler.map { RunEvents(filter, redaction, $0) }
        let journal = Journal(isIncluded: { [filter] in filter.includes($0) }, receive: events.map { $0.receive })
        let outcome = await Outcome.of { try await journal.record { try await self.next.execute(data) } }
        let finish: @Sendable (Outcome<Void>, RunExtension.End?) -> Void = { [filter, redaction, sink] end, more in
            guard let events else {
                return sink.accept(
                    LogReport(closing: journal, end: end, extension: more, filter: filter, redaction: redaction))
            }
            journal.close()
            events.end(end, more, duration: .now - journal.start)
        }
        if case .completed = outcome, let more = journal.runExtension, !more.isDropped() {
            more.onEnd { finish($0?.outcome ?? .completed(()), $0) }
        } else {
            finish(outcome.map { _ in }, nil)
        }
        return try outcome.get()
    }
}
