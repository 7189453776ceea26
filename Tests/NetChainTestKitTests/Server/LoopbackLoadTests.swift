import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackLoadTests {
    @Test func aThousandConnectionsAreServedAtOnce() async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        let clients = try (0..<1000).map { _ in try RawClient(port: server.port) }
        for (index, client) in clients.enumerated() { client.send("GET /held?\(index) HTTP/1.1\r\n\r\n") }
        try await server.waitForRequests(1000)
        #expect(server.counts.requestsInProgressAtMost == 1000)
        for _ in clients {
            let exchange = try await server.nextRequest()
            exchange.respond(.text(exchange.request.query ?? ""))
        }
        for (index, client) in clients.enumerated() {
            #expect(try await client.readAnswer().body == "\(index)")
            client.close()
        }
        try await server.waitForConnections(open: 0)
    }

    @Test func requestsFromManyTasksEachGetTheirOwnAnswer() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/sync/:n") { .text($0.parameters["n"] ?? "") }
        server.on(.get, "/async/:n") { request in
            await Task.yield()
            return .text(request.parameters["n"] ?? "")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let client = try RawClient(port: server.port)
                    for round in 0..<100 {
                        client.send("GET /\(round % 2 == 0 ? "sync" : "async")/\(task)-\(round) HTTP/1.1\r\n\r\n")
                        #expect(try await client.readAnswer().body == "\(task)-\(round)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requestCount() == 800)
        #expect(server.counts.connectionsAccepted == 8)
    }
}
