/// How much a log line matters.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable, CustomStringConvertible {
    /// Every step: of use to who looks for a fault in the library itself.
    case trace
    /// What was sent and received: headers, bodies, figures.
    case debug
    /// What happened, one line a step.
    case info
    /// A step failed, and the chain may go on: a retry, a rejected token.
    case warning
    /// The run failed, or a request or a model could not be created.
    case error

    /// The level's name: `trace`, `debug`, `info`, `warning` or `error`.
    public var description: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// Whether `left` matters less than `right`.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}
