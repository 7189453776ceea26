internal import NodeCore

/// Which log lines a logger records.
///
/// ```swift
/// LogFilter(exclude: ["RequestEncoderNode"], level: .debug)
/// ```
public struct LogFilter: Sendable {
    /// Writers that are excluded, by their id.
    public var exclude: Set<String>
    /// The only writers that are included, by their id; nil for all.
    public var only: Set<String>?
    /// The lowest level that is shown.
    public var level: LogLevel

    /// Everything from `info` on.
    package static let standard = LogFilter()

    /// Creates a filter. A writer that is both in `exclude` and in `only` is excluded.
    public init(exclude: Set<String> = [], only: Set<String>? = nil, level: LogLevel = .info) {
        self.exclude = exclude
        self.only = only
        self.level = level
    }

    func shows(_ log: Log) -> Bool {
        log.level >= level && includes(id: log.id)
    }

    /// Whether a journal keeps the entry. A line that is never shown keeps nothing in memory.
    func includes(_ entry: any JournalEntry) -> Bool {
        if let log = entry as? Log { return shows(log) }
        return includes(id: entry.id)
    }

    package func includes(id: String) -> Bool {
        !exclude.contains(id) && (only?.contains(id) ?? true)
    }
}
