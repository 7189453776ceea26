import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackExchangeTests {
    private let server: LoopbackServer
    private let client: RawClient

    init() throws {
        server = try LoopbackServer()
        server.hold("/slow")
        client = try RawClient(port: server.port)
    }

    private func request(_ path: String = "/slow") {
        client.send("GET \(path) HTTP/1.1\r\nHost: test\r\n\r\n")
    }

    @Test func aHeldRequestIsAnsweredWhenTheTestWants() async throws {
        request()
        let exchange = try await server.nextRequest("/slow")
        #expect(exchange.request.path == "/slow")
        #expect(server.counts.requestsInProgress == 1)
        #expect(exchange.respond(.text("now")))
        #expect(try await client.readAnswer().body == "now")
        #expect(!exchange.respond(.text("again")))
        #expect(!exchange.close())
        request()
        try await server.nextRequest("/slow").respond(.text("next"))
        #expect(try await client.readAnswer().body == "next")
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func whoWaitsFirstGetsTheRequestThatComesLater() async throws {
        async let exchange = server.nextRequest("/slow")
        request()
        try await exchange.respond(.status(204))
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 204 No Content")
    }

    @Test func aHandlerMayHoldItsRequest() async throws {
        server.on(.get, "/maybe") { $0.query == nil ? .text("free") : .held }
        request("/maybe")
        #expect(try await client.readAnswer().body == "free")
        request("/maybe?hold")
        try await server.nextRequest("/maybe").respond(.text("held"))
        #expect(try await client.readAnswer().body == "held")
    }

    @Test func anExchangeHandlerAnswersThroughItsExchange() async throws {
        server.onExchange(.get, "/x") { exchange in
            exchange.sendHead(headers: ["Content-Length": "4"])
            exchange.sendBody("ab")
            exchange.sendBody("cd")
            exchange.finish()
        }
        request("/x")
        #expect(try await client.readAnswer().body == "abcd")
    }

    @Test func aBodyIsSentPieceByPieceInChunks() async throws {
        request()
        let exchange = try await server.nextRequest()
        #expect(!exchange.sendBody("too early"))
        #expect(exchange.sendHead(201, headers: ["X-Test": "1"]))
        #expect(
            try await client.read(through: "\r\n\r\n")
                == "HTTP/1.1 201 Created\r\nX-Test: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(!exchange.sendHead())
        #expect(exchange.sendBody("hello"))
        #expect(try await client.read(through: "hello\r\n") == "5\r\nhello\r\n")
        #expect(exchange.finish())
        #expect(try await client.read(through: "\r\n\r\n") == "0\r\n\r\n")
        request()
        try await server.nextRequest().respond(.text("reused"))
        #expect(try await client.readAnswer().body == "reused")
    }

    @Test(arguments: [("HEAD", 200, true), ("GET", 204, false), ("GET", 304, false)])
    func anAnswerThatHasNoBodyIsSentWithoutOne(method: String, status: Int, isFramed: Bool) async throws {
        client.send("\(method) /slow HTTP/1.1\r\n\r\n")
        let exchange = try await server.nextRequest()
        exchange.sendHead(status)
        if method == "HEAD" { exchange.sendBody("never sent") }
        exchange.finish()
        let head = try await client.read(through: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(head.contains("Transfer-Encoding") == isFramed)
        request()
        try await server.nextRequest().respond(.text("clean"))
        #expect(try await client.readAnswer().body == "clean")
    }

    @Test func rawBytesAreSentAsTheyAre() async throws {
        request()
        let exchange = try await server.nextRequest()
        exchange.sendRaw("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 103 Early Hints")
        exchange.respond(.text("final"))
        #expect(try await client.readAnswer().body == "final")
    }

    @Test func anExchangeClosesInTheMiddle() async throws {
        request()
        let exchange = try await server.nextRequest()
        exchange.sendHead(headers: ["Content-Length": "10"])
        exchange.sendBody("abc")
        exchange.close()
        let (text, ending) = try await client.readToEnd()
        #expect(text == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        #expect(ending == .closed)
        try await exchange.clientClosed()
        #expect(!exchange.sendBody("more"))
    }

    @Test func anExchangeResets() async throws {
        request()
        try await server.nextRequest().reset()
        #expect(try await client.readToEnd().ending == .reset)
    }

    @Test(arguments: [false, true])
    func theServerNoticesThatTheClientIsGoneWhileItHolds(isReset: Bool) async throws {
        request()
        let exchange = try await server.nextRequest()
        if isReset { client.reset() } else { client.close() }
        try await exchange.clientClosed()
        try await server.waitForConnections(open: 0)
        #expect(server.counts.requestsInProgress == 0)
        #expect(!exchange.respond(.text("too late")))
    }

    @Test func aHeldRequestWhoseClientLeftIsNotGivenOut() async throws {
        request()
        try await server.waitForRequests(1)
        client.close()
        try await server.waitForConnections(open: 0)
        await #expect {
            _ = try await server.nextRequest("/slow", within: .milliseconds(1))
        } throws: { error in
            (error as? LoopbackError)?.code == .timedOut
        }
    }

    @Test func aCanceledWaitLeavesTheRequestToTheNextOne() async throws {
        let canceled = Task { try await server.nextRequest("/slow") }
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        async let exchange = server.nextRequest("/slow")
        request()
        try await exchange.respond(.text("next"))
        #expect(try await client.readAnswer().body == "next")
    }

    @Test func requestsForOnePathAreGivenOutInOrderAndOnce() async throws {
        server.hold("/other")
        let second = try RawClient(port: server.port)
        let third = try RawClient(port: server.port)
        request()
        try await server.waitForRequests(1)
        second.send("GET /other HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(2)
        third.send("POST /slow HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(3)
        #expect(try await server.nextRequest("/other").request.remotePort == second.localPort)
        #expect(try await server.nextRequest("/slow", method: .post).request.remotePort == third.localPort)
        #expect(try await server.nextRequest("/slow").request.remotePort == client.localPort)
    }
}
