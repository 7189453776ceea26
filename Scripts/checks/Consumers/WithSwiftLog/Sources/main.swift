import Foundation
import Logging
import UrlTransport

// `Logging` is swift-log's module, and no module of NetChainKit's but `UrlTransport` is asked for.
let url = try URL(string: "http://127.0.0.1") + "/users"
let request = HttpRequest(method: .get, url: url)
Logger(label: "consumer").info("\(request.method)", metadata: ["url": "\(request.url)"])
print("WithSwiftLog: \(request.method)")
