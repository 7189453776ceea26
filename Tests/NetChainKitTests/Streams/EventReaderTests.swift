import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `events()` whose reader is canceled, released or slow.
struct EventReaderTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    @Test func cancelingTheReaderClosesTheConnection() async throws {
        server.hold("/feed")
        let stream = api.get("feed").events()
        let reader = Task { try await stream.texts() }
        let exchange = try await server.nextRequest("/feed")
        exchange.send("a")
        let start = ContinuousClock.now
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await exchange.clientClosed()
        // 100 ms are promised, on a machine that has the time. A stall would take a minute.
        #expect(.now - start < .seconds(20))
    }

    @Test func cancelingTheReaderBeforeTheHeadClosesTheConnection() async throws {
        server.hold("/feed")
        let stream = api.get("feed").events()
        let reader = Task { try await stream.texts() }
        let exchange = try await server.nextRequest("/feed")
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await exchange.clientClosed()
        // All readers have the same stream.
        await #expect(throws: CancellationError.self) { try await stream.texts() }
        #expect(server.requestCount() == 1)
    }

    @Test func cancelingTheReaderEndsItsWaitForANewToken() async throws {
        let store = TokenStore(TokenPair(accessToken: "old", refreshToken: "r"))
        let (started, hasStarted) = AsyncStream.makeStream(of: Void.self)
        let (refreshed, end) = AsyncStream.makeStream(of: Void.self)
        let refresher = TokenRefresherNode(store: store) { _ in
            hasStarted.finish()
            for await _ in refreshed {}
            return TokenPair(accessToken: "new", refreshToken: "r")
        }
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .status(401)])
        let stream = api.auth(.bearer(store, refreshedBy: refresher)).get("feed").events()
        let reader = Task { try await stream.texts() }
        for await _ in started {}
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        end.finish()
        #expect(server.requestCount() == 2)
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
        let reader = Task { try await stream.texts() }
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
        // Other requests pass both threads meanwhile, so that a transfer that isn't paused sends more. When it doesn't, the
        // buffers of both systems and of the stream are full.
        server.on(.get, "/other", respond: .text("ok"))
        var (before, sent) = (-block.count, 0)
        while sent - before >= block.count, sent < 40 << 20 {
            for _ in 0..<20 { try await api.get("other").send() }
            (before, sent) = (sent, server.counts.bytesSent)
        }
        #expect(sent < 40 << 20)
        for _ in 0..<1_000 { #expect(try await events.next() != nil) }
    }
}
