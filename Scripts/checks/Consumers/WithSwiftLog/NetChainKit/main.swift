import Logging
import NetChainKit
import NetChainLogging

// `Logging` is swift-log's module, `NetChainLogging` is NetChainKit's.
let logger = Logger(label: "consumer")
let sink = LogSink.events { event in
    logger.log(level: Logger.Level(rawValue: event.level.description) ?? .info, "\(event.message)")
}
let node = LoggerNode(next: ClosureNode<Int, Int> { .emit(data: $0 * 2) }, sink: sink)
print("WithSwiftLog: \(try await node.execute(21))")
