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

@Suite(.timeLimit(.minutes(1)))
struct LimitTests {
    @Test(
        arguments: SenderKind.allCases,
        [
            .text(String(repeating: "a", count: 101)), .repeating([0x61], length: 5_000_000),
            .chunked(Array(repeating: String(repeating: "a", count: 60), count: 2)),
        ] as [LoopbackResponse])
    func aBodyThatIsTooLargeEndsTheRequest(kind: SenderKind, answer: LoopbackResponse) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: answer)
        let sender = try kind.sender { $0.limits.responseSize = 100 }
        #expect(await sender.failure(server.request()) == .responseTooLarge)
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyOfTheLargestSizeIsAccepted(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text(String(repeating: "a", count: 100)))
        let response = try await kind.sender { $0.limits.responseSize = 100 }.observed(server.request()).value
        #expect(response.data.count == 100)
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            .neverAnswer, .text("a long text").stalling(afterBytes: 80),
            .endlessBody([0x61]).dripping(1, every: .milliseconds(10)),
        ] as [LoopbackResponse])
    func aRequestThatTakesTooLongTimesOut(kind: SenderKind, answer: LoopbackResponse) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: answer)
        let sender = try kind.sender { $0.timeouts.request = .milliseconds(200) }
        #expect(await sender.failure(server.request()) == .requestTimedOut)
        try await server.waitForConnections(open: 0)
    }

    /// Of an error response to a stream, the limit includes the body.
    @Test func theTimeoutOfAnErrorResponseToAStreamIsThatOfTheRequest() async throws {
        let server = try LoopbackServer()
        let body = String(repeating: "a", count: 1000)
        server.on(.get, "/", respond: .text(body, status: 500).stalling(afterBytes: 500))
        var options = RequestOptions(timeout: .milliseconds(200), destination: .stream)
        options.limitsHeadOnly = true
        options.spentTime = .seconds(1)
        let error = try await SenderKind.urlSession.sender().error(server.request(options: options))
        #expect(error?.code == .requestTimedOut)
        #expect(error?.reason == "the request took longer than its timeout, 1.2 seconds")
    }

    @Test(arguments: SenderKind.allCases)
    func theTimeOfARequestGoesBeforeTheSenders(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .neverAnswer)
        let sender = try kind.sender { $0.timeouts.request = .seconds(50) }
        let request = server.request(options: RequestOptions(timeout: .milliseconds(200)))
        #expect(await sender.failure(request) == .requestTimedOut)
    }

    @Test(arguments: SenderKind.allCases)
    func aConnectionOnWhichNothingMovesStalls(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .neverAnswer)
        let sender = try kind.sender { $0.timeouts.stall = .seconds(1) }
        #expect(await sender.failure(server.request()) == .stalled)
    }
}
