import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackFaultTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n\r\n"

    private func client(of server: LoopbackServer, for response: LoopbackResponse) throws -> RawClient {
        server.on(.get, "/", respond: response)
        let client = try RawClient(server)
        client.send("GET / HTTP/1.1\r\n\r\n")
        return client
    }

    @Test(
        arguments: ServerPlace.allCases,
        [
            (.close, "", .closed), (.reset, "", .reset), (.text("abc").closing(), head + "abc", .closed),
            (.text("abc").closing(afterBytes: 0), "", .closed),
            (.text("abc").closing(afterBytes: 10), "HTTP/1.1 2", .closed),
            (.text("abc").closing(afterBytes: head.utf8.count + 1), head + "a", .closed),
            (.text("abc").closing(afterBytes: 10_000), head + "abc", .closed),
            (.text("abc").closingInsideHead(), String(head.unicodeScalars.prefix(head.utf8.count / 2)), .closed),
            (
                .chunked(["abc", "def"], isTerminated: false).closing(),
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n3\r\ndef\r\n", .closed
            ),
            (.text("abc").followed(by: Array("extra".utf8)).closing(), head + "abcextra", .closed),
            (
                .text("abc").header("Content-Length", "9").closing(), head.replacing("h: 3", with: "h: 9") + "abc",
                .closed
            ),
        ] as [(LoopbackResponse, String, RawClient.Ending)])
    func aFaultShowsOnTheWireExactly(
        place: ServerPlace, fault: (response: LoopbackResponse, text: String, ending: RawClient.Ending)
    ) async throws {
        let server = try place.server()
        let client = try client(of: server, for: fault.response)
        let seen = try await client.readToEnd()
        #expect(seen.text == fault.text)
        // A Unix domain socket has no reset.
        #expect(seen.ending == (place == .unixSocket ? .closed : fault.ending))
    }

    @Test func aResetComesAfterTheBytesBeforeIt() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc").resetting(afterBytes: 12))
        // The client's system may throw the bytes away once the reset is there, so only the ending is certain.
        #expect(try await client.readToEnd().ending == .reset)
        try await server.waitForConnections(open: 0)
        #expect(server.counts.bytesSent == 12)
    }

    @Test func anAnswerThatStallsLeavesTheConnectionOpen() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc").stalling(afterBytes: Self.head.utf8.count + 2))
        #expect(try await client.read(through: "ab") == Self.head + "ab")
        #expect(server.counts.connectionsOpen == 1)
        #expect(server.counts.requestsInProgress == 1)
        client.close()
        try await server.waitForConnections(open: 0)
    }

    @Test func aRequestThatIsNeverAnsweredEndsWithItsClient() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .neverAnswer)
        try await server.waitForRequests(1)
        #expect(server.counts.requestsInProgress == 1)
        client.close()
        try await server.waitForConnections(open: 0)
        #expect(server.counts.requestsInProgress == 0)
    }

    @Test(
        arguments: [
            (.endlessHeaders(), "X-Filler: 0123456789abcdef\r\n"), (.endlessBody([0x61, 0x62]), "abababab"),
            (.endlessBody([0x61, 0x62], isChunked: true), "2\r\nab\r\n2\r\nab\r\n"),
        ] as [(LoopbackResponse, String)])
    func anEndlessAnswerGoesOnUntilTheClientCloses(response: LoopbackResponse, part: String) async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: response)
        let start = try await client.read(count: 3_000_000)
        #expect(String(decoding: start.suffix(200), as: UTF8.self).contains(part))
        client.close()
        try await server.waitForConnections(open: 0)
        #expect(server.counts.bytesSent >= 3_000_000)
    }

    @Test func aSlowAnswerDripsWithPauses() async throws {
        let server = try LoopbackServer()
        let clock = ContinuousClock()
        let start = clock.now
        let client = try client(of: server, for: .raw("abcdefg").dripping(2, every: .milliseconds(20)).closing())
        #expect(try await client.readToEnd().text == "abcdefg")
        // Three pauses lie before the last byte; that they are long enough is the one thing to measure here.
        #expect(clock.now - start >= .milliseconds(60))
    }

    @Test func aDelayedAnswerWaitsAndTheConnectionGoesOn() async throws {
        let server = try LoopbackServer()
        let clock = ContinuousClock()
        let start = clock.now
        let client = try client(of: server, for: .text("abc").delayed(by: .milliseconds(30)))
        #expect(try await client.readAnswer().body == "abc")
        #expect(clock.now - start >= .milliseconds(30))
        server.on(.get, "/", respond: .text("dripped").dripping(20, every: .milliseconds(1)))
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readAnswer().body == "dripped")
        server.on(.get, "/", respond: .text("fast"))
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readAnswer().body == "fast")
    }

    @Test func theClientsEndIsNoticedDuringADelay() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc").delayed(by: .seconds(3600)))
        try await server.waitForRequests(1)
        client.close()
        try await server.waitForConnections(open: 0)
    }

    @Test func extraBytesFollowAnAnswerOnALivingConnection() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc").followed(by: Array("HTTP/1.1 408 X\r\n\r\n".utf8)))
        #expect(try await client.readAnswer().body == "abc")
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 408 X")
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readAnswer().body == "abc")
    }

    @Test func bytesAfterAPendingResponseFollowIt() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc").delayed(by: .milliseconds(100)))
        try await server.waitForRequests(1)
        let extra = Array("HTTP/1.1 408 Request Timeout\r\n\r\n".utf8)
        try await server.send(extra, onConnection: 1, within: .seconds(10))
        #expect(try await client.readAnswer().body == "abc")
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 408 Request Timeout")
    }

    @Test func anUnaskedAnswerIsSentOnAnIdleConnection() async throws {
        let server = try LoopbackServer()
        let client = try client(of: server, for: .text("abc"))
        _ = try await client.readAnswer()
        try await server.send(Array("HTTP/1.1 408 Request Timeout\r\n\r\n".utf8), onConnection: 1)
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 408 Request Timeout")
        client.close()
        try await server.waitForConnections(open: 0)
        await #expect(throws: LoopbackError(.connectionGone, "the connection is not open any more")) {
            try await server.send([0], onConnection: 1)
        }
    }

    @Test(arguments: [false, true])
    func idleConnectionsAreClosedAndBusyOnesAreNot(resetting: Bool) async throws {
        let server = try LoopbackServer()
        server.hold("/held")
        let idle = try client(of: server, for: .text("abc"))
        _ = try await idle.readAnswer()
        let busy = try RawClient(port: server.port)
        busy.send("GET /held HTTP/1.1\r\n\r\n")
        let exchange = try await server.nextRequest()
        try await server.closeIdleConnections(resetting: resetting)
        #expect(try await idle.readToEnd().ending == (resetting ? .reset : .closed))
        exchange.respond(.text("alive"))
        #expect(try await busy.readAnswer().body == "alive")
        #expect(server.openConnections == [2])
    }

    @Test func rulesForConnectionsApplyToTheNextOnes() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("ok"))
        server.onConnect(.close, .serve, .reset, .send(Array("greeting\n".utf8)))
        #expect(try await RawClient(port: server.port).readToEnd().ending == .closed)
        let served = try RawClient(port: server.port)
        served.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await served.readAnswer().body == "ok")
        #expect(try await RawClient(port: server.port).readToEnd().ending == .reset)
        let greeted = try RawClient(port: server.port)
        #expect(try await greeted.read(through: "\n") == "greeting\n")
        greeted.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await greeted.readAnswer().body == "ok")
    }

    @Test func aConnectionMayDieOnReuse() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/") { $0.indexOnConnection == 0 ? .text("first") : .close }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readAnswer().body == "first")
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readToEnd().text.isEmpty)
        #expect(server.requestCount() == 2)
    }
}
