import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How long a transfer may stall. Real time is the subject.
@Suite(.timeLimit(.minutes(1)))
struct StallTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func request(_ stall: Duration?, to destination: BodyDestination = .memory) -> HttpRequest {
        var options = RequestOptions(destination: destination)
        options.stallTimeout = stall
        return server.request(options: options)
    }

    /// How long the request takes until it fails with `stalled`.
    private func stall(_ sender: any RequestSender, _ request: HttpRequest) async -> Duration {
        let start = ContinuousClock.now
        #expect(await sender.failure(request) == .stalled)
        return .now - start
    }

    @Test(arguments: SenderKind.allCases, [250, 1250])
    func fractionsOfASecondHold(kind: SenderKind, milliseconds: Int) async throws {
        server.on(.get, "/", respond: .neverAnswer)
        let limit = Duration.milliseconds(milliseconds)
        let own = await stall(try kind.sender(), request(limit))
        // The upper limit is for a machine under load.
        #expect(own >= limit && own < limit + .seconds(10))
        let configured = await stall(try kind.sender { $0.timeouts.stall = limit }, request(nil))
        #expect(configured >= limit && configured < limit + .seconds(10))
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyThatStopsHasStalled(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .text(String(repeating: "a", count: 1000)).stalling(afterBytes: 500))
        _ = await stall(try kind.sender(), request(.milliseconds(250)))
    }

    @Test(arguments: SenderKind.allCases)
    func aTransferThatMovesHasNotStalled(kind: SenderKind) async throws {
        server.on(
            .get, "/",
            respond: .text(String(repeating: "a", count: 200)).delayed(by: .milliseconds(100))
                .dripping(20, every: .milliseconds(100)))
        #expect(try await kind.sender().send(request(.milliseconds(700))).data.count == 200)
    }

    @Test(arguments: SenderKind.allCases)
    func zeroIsNoLimit(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .text("late").delayed(by: .milliseconds(2500)))
        let sender = try kind.sender { $0.timeouts.stall = .seconds(1) }
        #expect(try await sender.send(request(.zero)).text == "late")
        let free = try kind.sender { $0.timeouts.stall = .zero }
        #expect(try await free.send(request(nil)).text == "late")
    }

    @Test(arguments: SenderKind.withoutFoundationNetworking)
    func aReaderThatWaitsIsNoStall(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .repeating(Array(repeating: 1, count: 65_536), length: 40 << 20))
        let stream = try #require(
            try await kind.sender().send(request(.milliseconds(250), to: .stream)).bytes)
        let bytes = stream.makeAsyncIterator()
        var count = try await bytes.next()?.count ?? 0
        try await Task.sleep(for: .milliseconds(900))
        while let piece = try await bytes.next() { count += piece.count }
        #expect(count == 40 << 20)
    }

    @Test(arguments: SenderKind.allCases)
    func aSequenceThatWaitsIsNoStall(kind: SenderKind) async throws {
        server.on(.put, "/") { .text("\($0.body.count)") }
        let (pieces, piece) = AsyncStream<Data>.makeStream()
        var options = RequestOptions()
        options.stallTimeout = .milliseconds(250)
        let response = try kind.sender().observed(server.request(.put, body: .stream(pieces), options: options))
        piece.yield(Data("one".utf8))
        try await Task.sleep(for: .milliseconds(900))
        piece.yield(Data("two".utf8))
        piece.finish()
        #expect(try await response.value.text == "6")
    }
}
