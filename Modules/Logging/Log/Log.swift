/// A log line: who writes it, how much it matters, and a message that is made only when a sink shows it.
public struct Log: LogEntry {
    /// Who writes: the node's name by default. Filters go by it.
    public let id: String
    /// How much it matters.
    public let level: LogLevel
    /// About how many bytes the message keeps in memory.
    public let retainedBytes: Int
    private let redaction: Redaction
    private let makeMessage: @Sendable (Redaction) -> String

    /// Makes a log line.
    ///
    /// - Parameters:
    ///   - id: who writes: the node's name as a rule.
    ///   - level: how much it matters.
    ///   - retainedBytes: about how many bytes the closure keeps in memory. They count against the limit of a sink.
    ///   - message: makes the text, on the sink's queue. What it captures lives until the sink is done with it.
    public init(
        id: String, level: LogLevel = .info, retainedBytes: Int = 0, message: @escaping @Sendable () -> String
    ) {
        self.init(id: id, level: level, retainedBytes: retainedBytes) { _ in message() }
    }

    /// Makes a log line out of parts that need masking where they are taken apart: a body in a format that
    /// ``Redaction/text(_:)`` can't see through, for instance.
    ///
    /// - Parameters:
    ///   - id: who writes: the node's name as a rule.
    ///   - level: how much it matters.
    ///   - retainedBytes: about how many bytes the closure keeps in memory. They count against the limit of a sink.
    ///   - message: makes the text, with the logger's rules at hand, on the sink's queue.
    public init(
        id: String, level: LogLevel = .info, retainedBytes: Int = 0,
        message: @escaping @Sendable (Redaction) -> String
    ) {
        self.init(id: id, level: level, retainedBytes: retainedBytes, redaction: .standard, message: message)
    }

    private init(
        id: String, level: LogLevel, retainedBytes: Int, redaction: Redaction,
        message: @escaping @Sendable (Redaction) -> String
    ) {
        self.id = id
        self.level = level
        self.retainedBytes = retainedBytes
        self.redaction = redaction
        makeMessage = message
    }

    /// The text, with secrets masked by the rules of the logger that gathered the line (``Redaction/standard`` when
    /// none did). Each call makes it anew.
    public var message: String {
        message(with: redaction)
    }

    /// The text, with secrets masked by `redaction`. Each call makes it anew.
    public func message(with redaction: Redaction) -> String {
        redaction.text(makeMessage(redaction))
    }

    /// The same line, its message masked by `redaction`.
    func masked(by redaction: Redaction) -> Log {
        Log(id: id, level: level, retainedBytes: retainedBytes, redaction: redaction, message: makeMessage)
    }
}
