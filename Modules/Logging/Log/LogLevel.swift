/// The severity of a log line.
public enum LogLevel: Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// Every step: for finding a fault in the library itself.
    case trace
    /// What was sent and received: headers, bodies, metrics.
    case debug
    /// What happened, one line a step.
    case info
    /// A step failed, and the chain may continue: a retry, a rejected token.
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
}
