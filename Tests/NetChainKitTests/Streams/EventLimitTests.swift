import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time limits of `events()`.
struct EventLimitTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    @Test func theTimeoutIsForTheHeadOfEachResponse() async throws {
        server.on(
            .get, "/feed",
            inOrder: [
                .events([LoopbackEvent("a", retry: 0), "b"]).pausing(.milliseconds(2_500)), .neverAnswer, .status(204),
            ])
        let stream = api.get("feed").timeout(.seconds(2)).stallTimeout(.seconds(1)).retry(.never).events()
        #expect(try await stream.texts() == ["message a -", "message b -"])
        #expect(server.requestCount() == 3)
        server.on(.get, "/never", respond: .neverAnswer)
        let request = api.get("never").timeout(.milliseconds(100))
        #expect(
            await thrown(TechnicalError.self) { try await request.events().texts() }?.cause.code == .requestTimedOut)
        let stalled = api.get("never").stallTimeout(.milliseconds(100))
        #expect(await thrown(TechnicalError.self) { try await stalled.events().texts() }?.cause.code == .stalled)
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
        let result = Task { await thrown(TechnicalError.self) { try await stream.texts() } }
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
}
