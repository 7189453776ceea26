public import NodeCore

/// The events of one run of a chain, and how it ended: the input of a sink.
///
/// Log lines are masked by the logger's ``Redaction`` when their messages are read.
public struct LogReport: Sendable {
    /// A log line and when it arrived.
    public struct Line: MaskedValue, Sendable {
        /// The time from the start of the run to the line's arrival.
        public let offset: Duration
        /// What was written.
        public let log: Log

        /// The time and the log line, with secrets masked.
        public var description: String { "\(offset) \(log)" }
    }

    /// How the chain ended, or the stream that is its value. An error is unmasked: mask what you show of it with
    /// ``redaction``.
    public let end: Outcome<Void>
    /// When the run started.
    public let start: ContinuousClock.Instant
    /// When the run started, in seconds since 1970-01-01 00:00 UTC, by the system's clock.
    public let startTime: Double
    /// How long the run took.
    public let duration: Duration
    package let filter: LogFilter
    /// How secrets are masked.
    public let redaction: Redaction
    /// How many entries of the run are missing, the oldest ones: a run without end keeps its last thousand entries, and
    /// 16 MiB of bodies.
    public let dropped: Int
    /// What followed the delivery of the run's value; nil for nothing.
    let more: RunExtension.End?
    let gathered: [Journal.Record]
    /// About how many bytes of bodies the entries and the error keep in memory.
    let retainedBytes: Int

    /// Closes `journal` and creates a report of its records.
    init(
        closing journal: Journal, end: Outcome<Void>, extension more: RunExtension.End? = nil, filter: LogFilter,
        redaction: Redaction, duration: Duration? = nil
    ) {
        self.more = more
        let duration = duration ?? .now - journal.start
        self.end = end
        start = journal.start
        self.duration = duration
        startTime = WallClock.now - duration / .seconds(1)
        self.filter = filter
        self.redaction = redaction
        gathered = journal.close()
        dropped = journal.dropped
        let ofError = if case .failed(let error) = end { error.retainedBodyBytes } else { 0 }
        retainedBytes = min(gathered.reduce(ofError) { $0 + $1.retainedBytes }, Int.max >> 2)
    }

    /// The entries of your own types, which aren't a ``Log``, in the order of arrival.
    public var entries: [any JournalEntry] {
        gathered.map(\.entry).filter { !($0 is Log) }
    }

    /// The events of the run at the filter's level and above, in the order of arrival.
    ///
    /// An entry of your own type that describes itself (`CustomStringConvertible`) counts as `info`, or as a failure at
    /// `error` when it is an `Error`.
    public var lines: [Line] {
        gathered.compactMap { record in
            guard let log = LogReport.log(of: record.entry), log.level >= filter.level else { return nil }
            return Line(offset: record.instant - start, log: log.masked(by: redaction))
        }
    }

    static func log(of entry: any JournalEntry) -> Log? {
        switch entry {
        case let log as Log: log
        case let entry as any JournalEntry & CustomStringConvertible & Error: failure(entry)
        case let entry as any JournalEntry & CustomStringConvertible: Log(id: entry.id) { entry.description }
        default: nil
        }
    }

    private static func failure(_ entry: any JournalEntry & CustomStringConvertible & Error) -> Log {
        var details = Log.Details()
        details.error = entry
        return Log(id: entry.id, level: .error, kind: .failure, details: details) { entry.description }
    }

    /// What a sink shows: the logger's line about ``dropped`` entries, ``lines``, and the logger's line with the
    /// ``summary``, as far as the filter shows them. All lines are masked.
    public var shown: [Log] {
        let first = Log(id: LogReport.loggerId, level: .warning) { [dropped] in
            "the first \(dropped) entries were dropped"
        }
        let last = LogReport.log(of: end, more, duration: duration).masked(by: redaction)
        return (dropped > 0 && filter.shows(first) ? [first] : []) + lines.map(\.log)
            + (filter.shows(last) ? [last] : [])
    }

    /// The name under which a logger writes the run's result.
    static let loggerId = "LoggerNode"

    /// The run's result in a line: `completed in 12.3 ms`, `failed after 12.3 ms: …` or `canceled after 12.3 ms`. After
    /// the time of a run with a stream: `, 600 bytes streamed`.
    public var summary: String {
        LogReport.log(of: end, more, duration: duration).masked(by: redaction).message
    }

    /// The logger's own event about a run that has ended.
    static func log(of end: Outcome<Void>, _ more: RunExtension.End?, duration: Duration) -> Log {
        let time = duration.inMilliseconds + (more.map { ", \($0.bytes) bytes streamed" } ?? "")
        var details = Log.Details()
        details.duration = duration
        details.value = more?.value
        switch end {
        case .completed:
            return Log(id: loggerId, kind: .completion, details: details) { "completed in \(time)" }
        case .failed(let error):
            details.error = error
            return Log(
                id: loggerId, level: .error, kind: .failure, details: details, retainedBytes: error.retainedBodyBytes
            ) { redaction in "failed after \(time): \(redaction.text("\(error)"))" }
        case .canceled:
            return Log(id: loggerId, kind: .cancellation, details: details) { "canceled after \(time)" }
        }
    }
}
