#if canImport(os)
import os

extension LogSink {
    /// Writes each line to the system's log, as public text: secrets are masked already.
    ///
    /// - Parameters:
    ///   - subsystem: usually the application's bundle identifier.
    ///   - category: the category under which the lines are found.
    public static func system(subsystem: String, category: String = "network") -> LogSink {
        LogSink(SystemLogWriter(logger: os.Logger(subsystem: subsystem, category: category)))
    }
}

private struct SystemLogWriter: LogWriter {
    let logger: os.Logger

    func write(_ report: LogReport) {
        for line in report.shown {
            logger.log(level: line.level.systemType, "\(line.id, privacy: .public): \(line.message, privacy: .public)")
        }
    }
}

extension LogLevel {
    fileprivate var systemType: OSLogType {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .warning: .default
        case .error: .error
        }
    }
}
#endif
