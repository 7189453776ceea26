import Logging
import NetChainLogging

extension LogSink {
    /// Writes each event to `logger` as it happens, in the task of the request. A metadata provider of the logger sees
    /// the request's task-local values.
    static func swiftLog(_ logger: Logger) -> LogSink {
        .events { event in
            logger.log(level: Logger.Level(event.level), "\(event.message)", metadata: event.metadata)
        }
    }
}

extension Logger.Level {
    init(_ level: LogLevel) {
        self = Logger.Level(rawValue: level.description) ?? .info
    }
}

extension Log {
    /// What is known about the event, under the names of log processors.
    fileprivate var metadata: Logger.Metadata {
        let details = details
        var metadata: Logger.Metadata = ["event": "\(kind)", "node": "\(id)"]
        metadata["method"] = details.method.map { "\($0)" }
        metadata["url"] = details.url.map { "\($0)" }
        metadata["status"] = details.status.map { "\($0)" }
        metadata["attempt"] = details.attempt.map { "\($0)" }
        metadata["duration_ms"] = details.duration.map { "\(Int(($0 / .milliseconds(1)).rounded()))" }
        metadata["error"] = details.error.map { "\(Redaction.standard.text("\($0)"))" }
        return metadata
    }
}
