import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `events()` of an `ApiRequest`, over real connections.
struct EventTests {
    private struct Update: Decodable, Equatable, Sendable {
        let value: Int
    }

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    /// All events, as text.
    private func all(_ stream: ValueStream<ServerSentEvent>) async throws -> [String] {
        var texts: [String] = []
        for try await event in stream { texts.append("\(event.name) \(event.data) \(event.id ?? "-")") }
        return texts
    }

    // MARK: One connection

    @Test func eventsArriveWhileTheServerIsStillSending() async throws {
        server.hold("/feed")
        let events = api.get("feed").events().makeAsyncIterator()
        // Nothing is sent before the first event is asked for.
        #expect(server.requestCount() == 0)
        async let first = events.next()
        let exchange = try await server.nextRequest("/feed")
        #expect(exchange.request.headers["Accept"] == "text/event-stream")
        #expect(exchange.request.headers["Last-Event-ID"] == nil)
        exchange.send(LoopbackEvent("one\ntwo", name: "created", id: "7"))
        #expect(try await first == ServerSentEvent(name: "created", data: "one\ntwo", id: "7"))
        exchange.send(.comment("still here"))
        exchange.send("three")
        #expect(try await events.next() == ServerSentEvent(data: "three", id: "7"))
    }

    @Test func aPostConnectsOnce() async throws {
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#, #"{"value": 2}"#, "[DONE]", "never read"]))
        var updates: [Update] = []
        for try await update in api.post("chat").body(["prompt": "hi"]).events(as: Update.self, until: "[DONE]") {
            updates.append(update)
        }
        #expect(updates == [Update(value: 1), Update(value: 2)])
        #expect(server.requests.map(\.text) == [#"{"prompt":"hi"}"#])
        server.on(.post, "/chat", respond: .events(["a"]))
        #expect(try await all(api.post("chat").events()) == ["message a -"])
        #expect(server.requestCount() == 2)
    }

    @Test func aChatThatIsCutFails() async throws {
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#]))
        let closed = api.post("chat").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await closed.next() == Update(value: 1))
        let error = await thrown(ValueStreamError.self) { try await closed.next() }
        #expect(error?.code == .incomplete)
        #expect(
            error?.description
                == "The response to POST \(server.url)/chat can't be read as a stream of values: The body ended before the "
                + "event that ends the stream, \"[DONE]\". [incomplete]")
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#, #"{"value": 2}"#]).closing(afterBytes: 120))
        let cut = api.post("chat").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await cut.next() == Update(value: 1))
        #expect(await thrown(TransportError.self) { try await cut.next() }?.code == .truncatedResponse)
        // The error stays.
        #expect(await thrown(TransportError.self) { try await cut.next() }?.code == .truncatedResponse)
    }

    @Test func aStreamWithoutContentLacksItsEnd() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent(#"{"value": 1}"#, retry: 0)]), .status(204)])
        let events = api.get("feed").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await events.next() == Update(value: 1))
        #expect(await thrown(ValueStreamError.self) { try await events.next() }?.code == .incomplete)
    }

    @Test func dataOfAnotherFormAreADecodingError() async throws {
        server.on(.post, "/chat", respond: .events(["{}"]))
        let events = api.post("chat").events(as: Update.self).makeAsyncIterator()
        let error = await thrown(DecodingError.self) { try await events.next() }
        let text = "\(try #require(error))"
        #expect(text.contains("In an event of the response to POST \(server.url)/chat"))
        #expect(!text.contains("no body"))
    }

    @Test func theClientsDecoderDecodes() async throws {
        struct Row: Decodable { let firstName: String }
        server.on(.get, "/feed", respond: .events([#"{"first_name": "Ada"}"#]))
        let api = api.setting { $0.json.keys = .snakeCase }
        for try await event in api.get("feed").events() {
            #expect(try event.decode(Row.self).firstName == "Ada")
            break
        }
        for try await row in api.get("feed").events(as: Row.self) {
            #expect(row.firstName == "Ada")
            break
        }
    }

    // MARK: What ends a stream

    @Test(arguments: [204, 205])
    func noContentEndsIt(status: Int) async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .status(status)])
        #expect(try await all(api.get("feed").events()) == ["message a -"])
        #expect(server.requestCount() == 2)
    }

    @Test func anotherStatusEndsItWithItsError() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .json("{}", status: 503)])
        let events = api.get("feed").events().makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        #expect(await thrown(HttpError.self) { try await events.next() }?.statusCode == 503)
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: [
        (LoopbackResponse.text("hi"), "text/plain"), (.json("{}"), "application/json"),
        (.chunked([""], contentType: "text/event-streams"), "text/event-streams"),
    ])
    func anotherContentTypeEndsIt(response: LoopbackResponse, type: String) async throws {
        server.on(.get, "/feed", respond: response)
        let error = await thrown(ValueStreamError.self) { try await all(api.get("feed?token=secret").events()) }
        #expect(error?.code == .unexpectedContentType)
        #expect(error?.request == "GET \(server.url)/feed?token=***")
        #expect(error?.reason == "The content type is \(type), and that of server-sent events is text/event-stream.")
    }

    @Test(arguments: ["Text/Event-Stream", "text/event-stream; charset=utf-8", "text/event-stream;charset=UTF-8"])
    func theContentTypeMayHaveAnyCaseAndParameters(type: String) async throws {
        server.on(.get, "/feed", inOrder: [.chunked(["data: a\nretry: 0\n\n"], contentType: type), .status(204)])
        #expect(try await all(api.get("feed").events()) == ["message a -"])
    }

    @Test func theFirstConnectionFailsWithItsError() async throws {
        let api = ApiClient(try ClosedPort.url()) { $0.log.sink = .silent }
        let error = await thrown(TechnicalError.self) { try await all(api.get("feed").events()) }
        #expect(error?.cause.code == .connectionRefused)
    }

    @Test func aLineWithoutEndFails() async throws {
        let block = Array(repeating: UInt8(ascii: "a"), count: 65_536)
        server.on(
            .get, "/feed",
            respond: .endlessBody(block, isChunked: true).header("Content-Type", "text/event-stream"))
        let error = await thrown(ValueStreamError.self) { try await all(api.get("feed").events()) }
        #expect(error?.code == .lineTooLong)
        #expect(error?.request == "GET \(server.url)/feed")
        try await server.waitForConnections(open: 0)
    }

    // MARK: Reconnection

    @Test func aConnectionThatEndsIsFollowedByAnother() async throws {
        let clock = TestClock()
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", id: "1", retry: 3_000), "b"]),
                .events([LoopbackEvent("c", id: "2"), "never whole"]).closing(afterBytes: 115),
                .events([LoopbackEvent("d", id: "")]),
                .reset,
                .redirect(to: "/other"),
            ])
        server.on(.get, "/other", inOrder: [.events(["e"]), .status(204)])
        let events = api.setting { $0.clock = clock }.get("feed").retry(.never).events()
        let result = Task { try await all(events) }
        // The server's delay holds after a connection that brought events, and after one that didn't.
        for _ in 0..<4 {
            await eventually("the delay is the server's: \(clock.delays)") { clock.delays == [.seconds(3)] }
            clock.advance(by: .seconds(3))
        }
        await eventually("the delay is the server's: \(clock.delays)") { clock.delays == [.seconds(3)] }
        server.on(.get, "/feed", respond: .status(204))
        clock.advance(by: .seconds(3))
        #expect(try await result.value == ["message a 1", "message b 1", "message c 2", "message d -", "message e -"])
        #expect(server.requests("/feed").map { $0.headers["Last-Event-ID"] } == [nil, "1", "2", nil, nil, nil])
    }

    @Test func theRuleSaysWhetherAnotherConnectionFollows() async throws {
        let events = LoopbackResponse.events([LoopbackEvent("a", retry: 0)])
        for (rule, method, count) in [
            (.automatic, .get, 2), (.automatic, .post, 1), (.never, .get, 1), (.always, .post, 2),
        ] as [(ReconnectionRule, HttpMethod, Int)] {
            server.on(.any, "/feed", inOrder: [events, .status(204)])
            server.forgetRequests()
            let stream = api.request(method, "feed").events(reconnecting: rule)
            #expect(try await all(stream) == ["message a -"])
            #expect(server.requests.count == count)
        }
    }

    @Test func anApplicationResumesWithTheIdThatItKnows() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .status(204)])
        let stream = api.get("feed").header("Last-Event-ID", "41").events()
        #expect(try await all(stream) == ["message a 41"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["41", "41"])
    }

    @Test func aTokenIsRefreshedBetweenTwoConnections() async throws {
        let store = TokenStore(TokenPair(accessToken: "old", refreshToken: "r"))
        let refresher = TokenRefresherNode(store: store) { _ in TokenPair(accessToken: "new", refreshToken: "r") }
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", id: "1", retry: 0)]), .status(401), .events(["b"]), .status(204),
            ])
        #expect(
            try await all(api.auth(.bearer(store, refreshedBy: refresher)).get("feed").events())
                == ["message a 1", "message b 1"])
        #expect(
            server.requests.map { $0.headers["Authorization"] } == [
                "Bearer old", "Bearer old", "Bearer new", "Bearer new",
            ])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1", "1"])
    }

    @Test func noConnectionFollowsTheEndOfTheSession() async throws {
        let clock = TestClock()
        let store = TokenStore(TokenPair(accessToken: "a", refreshToken: "r"))
        server.on(.get, "/feed", respond: .events([LoopbackEvent("a", retry: 1_000)]))
        let api = api.auth(.bearer(store)).setting { $0.clock = clock }
        let stream = api.get("feed").events()
        #expect(try await stream.makeAsyncIterator().next()?.data == "a")
        let next = Task { try await stream.makeAsyncIterator().next() }
        await eventually("it waits") { clock.delays == [.seconds(1)] }
        store.clear()
        store.set(TokenPair(accessToken: "b", refreshToken: "r"))
        clock.advance(by: .seconds(1))
        #expect(await thrown(AccessSafeError.self) { try await next.value }?.code == .signedOut)
        #expect(server.requestCount() == 1)
    }

    // MARK: Time limits

    @Test func theTimeoutIsForTheHeadOfEachResponse() async throws {
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", retry: 0), "b"]).pausing(.milliseconds(2_500)), .neverAnswer, .status(204),
            ])
        let stream = api.get("feed").timeout(.seconds(2)).stallTimeout(.seconds(1)).retry(.never).events()
        #expect(try await all(stream) == ["message a -", "message b -"])
        #expect(server.requestCount() == 3)
        server.on(.get, "/never", respond: .neverAnswer)
        let request = api.get("never").timeout(.milliseconds(100))
        #expect(
            await thrown(TechnicalError.self) { try await all(request.events()) }?.cause.code == .requestTimedOut)
        let stalled = api.get("never").stallTimeout(.milliseconds(100))
        #expect(await thrown(TechnicalError.self) { try await all(stalled.events()) }?.cause.code == .stalled)
    }

    @Test func silenceEndsAConnection() async throws {
        let clock = TestClock()
        let api = api.setting { $0.clock = clock }
        server.hold("/feed")
        let events = api.get("feed").events(silenceLimit: .seconds(30)).makeAsyncIterator()
        async let first = events.next()
        var exchange = try await server.nextRequest("/feed")
        exchange.sendHead(headers: ["Content-Type": "text/event-stream"])
        for _ in 0..<3 {
            await eventually("silence is limited: \(clock.delays)") { clock.delays == [.seconds(30)] }
            clock.advance(by: .seconds(29))
            // A comment isn't silence.
            exchange.sendBody(": still here\n")
            await eventually("the limit begins anew: \(clock.delays)") { clock.delays == [.seconds(30)] }
        }
        clock.advance(by: .seconds(30))
        await eventually("it waits before the next connection: \(clock.delays)") {
            clock.delays.first.map { $0 <= .seconds(1) } ?? false
        }
        clock.advance(by: .seconds(1))
        exchange = try await server.nextRequest("/feed")
        exchange.send("a")
        #expect(try await first?.data == "a")
        // Only while an event is waited for.
        #expect(clock.delays == [])
    }

    @Test func silenceFailsAStreamOfOneConnection() async throws {
        server.on(.post, "/chat", respond: .events(["a", "b"]).stalling(afterBytes: 100))
        let events = api.post("chat").events(silenceLimit: .milliseconds(100)).makeAsyncIterator()
        let error = await thrown(TechnicalError.self) { while try await events.next() != nil {} }
        #expect(error?.cause.code == .stalled)
        #expect(error?.cause.reason == "the server sent nothing for 0.1 seconds")
    }

    @Test func theDeadlineIsForAllConnections() async throws {
        let clock = TestClock()
        server.on(.get, "/feed", respond: .events([LoopbackEvent("a", retry: 4_000)]))
        let stream = api.setting { $0.clock = clock }.get("feed").deadline(.seconds(10)).events()
        let result = Task { await thrown(TechnicalError.self) { try await all(stream) } }
        for (number, remaining) in [4, 4, 2].enumerated() {
            await eventually("it waits: \(clock.delays)") {
                server.requestCount() == number + 1 && clock.delays == [.seconds(remaining)]
            }
            clock.advance(by: .seconds(remaining))
        }
        let error = await result.value
        #expect(error?.cause.code == .deadlinePassed)
        #expect(server.requestCount() == 3)
    }

    @Test func theDeadlineEndsAConnection() async throws {
        let clock = TestClock()
        server.hold("/feed")
        let events = api.setting { $0.clock = clock }.get("feed").deadline(.seconds(10)).events().makeAsyncIterator()
        async let first = events.next()
        let exchange = try await server.nextRequest("/feed")
        exchange.send("a")
        #expect(try await first?.data == "a")
        clock.advance(by: .seconds(10))
        #expect(await thrown(TechnicalError.self) { try await events.next() }?.cause.code == .deadlinePassed)
    }

    // MARK: Cancellation

    @Test func cancelingTheReaderClosesTheConnection() async throws {
        server.hold("/feed")
        let stream = api.get("feed").events()
        let reader = Task { try await all(stream) }
        let exchange = try await server.nextRequest("/feed")
        exchange.send("a")
        let start = ContinuousClock.now
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await exchange.clientClosed()
        // 100 ms are promised, on a machine that has the time. A stall would take a minute.
        #expect(.now - start < .seconds(20))
    }

    @Test func cancelingTheReaderInTheMiddleOfAPieceClosesTheConnection() async throws {
        server.hold("/feed")
        let stream = api.get("feed").events()
        let (reached, hasReached) = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            var count = 0
            for try await _ in stream {
                count += 1
                if count == 3 {
                    hasReached.finish()
                    while !Task.isCancelled { await Task.yield() }
                }
            }
            return count
        }
        let exchange = try await server.nextRequest("/feed")
        exchange.sendHead(headers: ["Content-Type": "text/event-stream"])
        exchange.sendBody(String(repeating: "data: a\n\n", count: 1_000))
        for await _ in reached {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await exchange.clientClosed()
    }

    @Test func cancelingTheReaderEndsTheWaitForTheNextConnection() async throws {
        let clock = TestClock()
        server.on(.get, "/feed", respond: .events(["a"]))
        let stream = api.setting { $0.clock = clock }.get("feed").events()
        let reader = Task { try await all(stream) }
        await eventually("it waits") { !clock.delays.isEmpty }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(clock.delays == [])
        #expect(server.requestCount() == 1)
    }

    @Test func releasingTheStreamClosesTheConnection() async throws {
        server.hold("/feed")
        var stream: ValueStream<ServerSentEvent>? = api.get("feed").events()
        var iterator = stream?.makeAsyncIterator()
        let exchange = Task { [server] in
            let exchange = try await server.nextRequest("/feed")
            exchange.send("a")
            return exchange
        }
        #expect(try await iterator?.next()?.data == "a")
        (stream, iterator) = (nil, nil)
        try await exchange.value.clientClosed()
    }

    @Test func aSlowReaderSlowsTheServer() async throws {
        let event = Array("data: \(String(repeating: "a", count: 1_000))\n\n".utf8)
        let block = Array(repeatElement(event, count: 60).joined())
        server.on(
            .get, "/feed", respond: .endlessBody(block, isChunked: true).header("Content-Type", "text/event-stream"))
        let events = api.get("feed").events().makeAsyncIterator()
        #expect(try await events.next()?.data.utf8.count == 1_000)
        // The buffers of both systems and of the stream are full when the number stays.
        var sent = -1
        while sent != server.counts.bytesSent {
            sent = server.counts.bytesSent
            try await Task.sleep(for: .milliseconds(200))
        }
        #expect(sent < 40 << 20)
        for _ in 0..<1_000 { #expect(try await events.next() != nil) }
    }

    // MARK: The log

    @Test func eachConnectionAndItsEndAreLogged() async throws {
        let clock = TestClock()
        let logs = Gathered<Log>()
        let sink = LogSink.events { logs.append($0) }
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", retry: 2_000)]), .events(["b", "c"]).closing(afterBytes: 100), .status(204),
            ])
        let stream = api.setting { $0.clock = clock }.log(to: sink).get("feed").events()
        let result = Task { try await all(stream) }
        for _ in 0..<2 {
            await eventually("it waits") { clock.delays == [.seconds(2)] }
            clock.advance(by: .seconds(2))
        }
        _ = try await result.value
        await eventually("all is logged") {
            logs.all.filter { [.completion, .failure].contains($0.kind) && $0.id == "LoggerNode" }.count == 3
        }
        let lines = logs.all.filter { $0.kind == .reconnection }
        #expect(lines.map(\.level) == [.info, .warning])
        #expect(lines.map(\.details.attempt) == [2, 3])
        #expect(lines.map(\.details.duration) == [.seconds(2), .seconds(2)])
        #expect(lines.first?.message == "connection 2 after 2.0 seconds: the last one was closed by the server")
        #expect(lines.last?.message.hasPrefix("connection 3 after 2.0 seconds: the last one failed, GET") == true)
    }
}
