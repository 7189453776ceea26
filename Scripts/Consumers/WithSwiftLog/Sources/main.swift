import Logging
import NetChainKit
import NetChainLogging

// `Logging` is swift-log's module, `NetChainLogging` is NetChainKit's.
let logger = Logger(label: "consumer")
logger.info("swift-log speaks")
print("WithSwiftLog")
