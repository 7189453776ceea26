internal import NodeCore

/// Which log lines a logger listens to.
///
/// ```swift
/// LogFilter(exclude: ["RequestEncoderNode"], level: .debug)
/// ```
public struct LogFilter: Sendable, Hashable {
    /// Writers that are left out, by their id.
    public var exclude: Set<String>
    /// The only writers that are listened to, by their id; nil for all.
    public var only: Set<String>?
    /// The least level that is shown.
    public var level: LogLevel

    /// Everything from `info` on.
    public static let standard = LogFilter()

    /// Creates a filter. A writer that is both in `exclude` and in `only` is left out.
    public init(exclude: Set<String> = [], only: Set<String>? = nil, level: LogLevel = .info) {
        self.exclude = exclude
        self.only = only
        self.level = level
    }

    /// Whether an event passes.
    func shows(_ log: Log) -> Bool {
        log.level >= level && includes(id: log.id)
    }

    /// Whether a journal keeps the entry. A line that is never shown keeps nothing in memory.
    func includes(_ entry: any JournalEntry) -> Bool {
        if let log = entry as? Log { return shows(log) }
        return includes(id: entry.id)
    }

    /// Whether this writer is listened to.
    public func includes(id: String) -> Bool {
        !exclude.contains(id) && (only?.contains(id) ?? true)
    }
}
