import Logging
import NetChainKit
import NetChainLogging

// `Logging` is swift-log's module, `NetChainLogging` is NetChainKit's. The adapter is the one of Docs/Logging.md.
extension LogSink {
    static func swiftLog(_ logger: Logger) -> LogSink {
        .closure { report in
            for line in report.shown {
                let level = Logger.Level(rawValue: line.level.description) ?? .info
                logger.log(level: level, "\(line.message)", metadata: ["node": "\(line.id)"])
            }
        }
    }
}

let sink = LogSink.swiftLog(Logger(label: "consumer"))
let node = LoggerNode(next: ClosureNode<Int, Int> { .emit(data: $0 * 2) }, sink: sink)
print("WithSwiftLog: \(try await node.execute(21))")
await sink.drain()
