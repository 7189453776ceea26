public import NodeCore

/// A journal entry that sinks can show as text: a ``Log``, and typed entries that have something to say in words too,
/// as the figures of a transfer.
public protocol LogEntry: JournalEntry {
    /// How much it matters.
    var level: LogLevel { get }

    /// The entry in words, of one or several lines, with `redaction` applied to what may hold a secret. Asked on the
    /// sink's queue, only when a sink shows the entry.
    func message(with redaction: Redaction) -> String
}
