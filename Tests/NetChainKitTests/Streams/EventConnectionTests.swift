import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The connections of `events()`: when one follows another, and the log of them.
struct EventConnectionTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
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
        let result = Task { try await events.texts() }
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

    @Test func aFeedSurvivesARestartOfItsServer() async throws {
        let clock = TestClock()
        server.hold("/feed")
        let events = api.setting { $0.clock = clock }.get("feed").events().makeAsyncIterator()
        async let first = events.next()
        try await server.nextRequest("/feed").send(LoopbackEvent("a", id: "1", retry: 1_000))
        #expect(try await first?.data == "a")
        let next = Task { try await events.next() }
        server.stop()
        for _ in 1...2 {
            await eventually("it waits: \(clock.delays)") { clock.delays == [.seconds(1)] }
            clock.advance(by: .seconds(1))
        }
        // The second connection was refused.
        await eventually("it waits: \(clock.delays)") { !clock.delays.isEmpty }
        let restarted = try LoopbackServer(port: server.port) {
            $0.on(.get, "/feed", respond: .events([LoopbackEvent("b", id: "2")]))
        }
        clock.advance(by: .seconds(2))
        #expect(try await next.value == ServerSentEvent(data: "b", id: "2"))
        #expect(restarted.requests.map { $0.headers["Last-Event-ID"] } == ["1"])
    }

    /// A connection may end anywhere, also within an id.
    @Test(arguments: ["id: 2", "id: 2\n", "id: 2\ndata: b", "id: 2\ndata: b\n", "data: b\nid: 23\r", "id", "id\n"])
    func theIdOfAnEventThatIsCutDoesNotCount(rest: String) async throws {
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", id: "1", retry: 0), .raw(rest)]), .events([LoopbackEvent("b", id: "2")]),
                .status(204),
            ])
        #expect(try await api.get("feed").events().texts() == ["message a 1", "message b 2"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2"])
    }

    @Test func anIdThatTheServerResetsIsNotSent() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", id: "", retry: 0)]), .status(204)])
        #expect(try await api.get("feed").header("Last-Event-ID", "41").events().texts() == ["message a -"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == ["41", nil])
    }

    /// Such as the page of a proxy.
    @Test func aLaterConnectionWithAnotherContentTypeEndsIt() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .html("<html>")])
        let events = api.get("feed").events().makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        #expect(await thrown(ValueStreamError.self) { try await events.next() }?.code == .unexpectedContentType)
        #expect(server.requestCount() == 2)
    }

    @Test func theRuleSaysWhetherAnotherConnectionFollows() async throws {
        let events = LoopbackResponse.events([LoopbackEvent("a", retry: 0)])
        for (rule, method, count) in [
            (.automatic, .get, 2), (.automatic, .post, 1), (.never, .get, 1), (.always, .post, 2),
        ] as [(ReconnectionRule, HttpMethod, Int)] {
            server.on(.any, "/feed", inOrder: [events, .status(204)])
            server.forgetRequests()
            let stream = api.request(method, "feed").events(reconnecting: rule)
            #expect(try await stream.texts() == ["message a -"])
            #expect(server.requests.count == count)
        }
    }

    @Test func anApplicationResumesWithTheIdThatItKnows() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .status(204)])
        let stream = api.get("feed").header("Last-Event-ID", "41").events()
        #expect(try await stream.texts() == ["message a 41"])
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
            try await api.auth(.bearer(store, refreshedBy: refresher)).get("feed").events().texts()
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
        let result = Task { try await stream.texts() }
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
