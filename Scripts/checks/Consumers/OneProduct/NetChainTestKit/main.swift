import NetChainTestKit

let server = try LoopbackServer()
server.on(.get, "/hello", respond: .text("hello"))
server.stop()
print("NetChainTestKit: \(server.requests.count) requests")
