public import NodeCore

/// A journal entry that reports how long something took: a node with all nodes downstream, or a phase of a node's work.
///
/// Nodes need not write it: `traced()` does for any node. A node with more detailed measurements adds its phases:
///
/// ```swift
/// Journal.current?.append(Span(id: name, label: "connect", start: start, duration: .milliseconds(12)))
/// ```
public struct Span: JournalEntry {
    /// The node's name. Filters compare it.
    public let id: String
    /// Which phase of the node's work it is; nil for the whole.
    public let label: String?
    /// When it started.
    public let start: ContinuousClock.Instant
    /// How long it took.
    public let duration: Duration
    /// How it ended: `completed`, `failed` or `canceled`; nil where that doesn't apply.
    public let end: String?

    /// Creates a span.
    public init(
        id: String, label: String? = nil, start: ContinuousClock.Instant, duration: Duration, end: String? = nil
    ) {
        self.id = id
        self.label = label
        self.start = start
        self.duration = duration
        self.end = end
    }
}
