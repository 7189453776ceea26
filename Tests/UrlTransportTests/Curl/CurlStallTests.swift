#if os(Linux)
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

/// Who is slow: a peer stalls, the application doesn't. Real time is the subject.
@Suite(.timeLimit(.minutes(1)))
struct CurlStallTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/up", respond: .text("ok"))
        sender = try makeSender { $0.timeouts.stall = .seconds(1) }
        server.hold("/held")
    }

    /// Lets others stall, one after the other, for longer than a check takes to notice.
    private func letOthersStall() async throws {
        let start = ContinuousClock.now
        repeat {
            try await sender.expectFailure(.stalled, server.url("/held"))
        } while ContinuousClock.now - start < .seconds(3)
    }

    @Test(arguments: ["/head", "/body"])
    func aServerThatIsSlowerThanAllowedHasStalled(path: String) async throws {
        server.on(
            .get, "/body", respond: .text(String(repeating: "a", count: 10_000)).dripping(1, every: .milliseconds(20)))
        let head = "HTTP/1.1 200 OK\r\n" + String(repeating: "X: 1\r\n", count: 2_000) + "\r\n"
        server.on(.get, "/head", respond: .raw(Array(head.utf8)).dripping(6, every: .milliseconds(20)))
        let demanding = try makeSender {
            $0.timeouts.stall = .seconds(1)
            $0.minimumThroughput = 10_000
        }
        try await demanding.expectFailure(.stalled, server.url(path))
    }

    @Test func aReaderMayTakeItsTime() async throws {
        let size = 64 << 20
        server.on(.get, "/a", respond: .repeating([UInt8](repeating: 7, count: 65_536), length: size))
        let answer = try await sender.send(.get, server.url("/a"), options: RequestOptions(destination: .stream)).value
        let reader = try #require(answer.bytes).makeAsyncIterator()
        var received = try await reader.next()?.count ?? 0
        try await letOthersStall()
        while let piece = try await reader.next() { received += piece.count }
        #expect(received == size)
    }

    @Test func aSequenceMayTakeItsTime() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let answer = sender.send(.put, server.url("/up"), body: .stream(stream))
        continuation.yield(Data(count: 1000))
        try await server.waitForReceivedBytes(1000)
        try await letOthersStall()
        continuation.yield(Data(count: 500))
        continuation.finish()
        #expect(try await answer.value.text == "ok")
        #expect(server.requests("/up").first?.bodyLength == 1500)
    }

    @Test func aServerThatStallsAfterASlowSequenceIsNoticed() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        let answer = sender.send(.put, server.url("/held"), body: .stream(stream))
        continuation.yield(Data(count: 1000))
        try await server.waitForReceivedBytes(1000)
        continuation.finish()
        #expect((await answer.end().error as? TransportError)?.code == .stalled)
    }
}
#endif
