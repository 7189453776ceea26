import NetChainKit
import TestSupport
import Testing

/// Here time itself is the subject.
@Suite(.needs(.nginx, .httpbin), .timeLimit(.minutes(1)))
struct TimeoutTests {
    private func timeout(
        _ server: ServerVariable, _ path: String, _ change: (inout CurlRequestSender.Configuration) -> Void
    ) async throws -> TransportError.Code? {
        let sender = try CurlRequestSender(configuration: .loopback(change))
        let chain = try request(server, path, with: sender).loadData()
        let error = await thrown(TechnicalError.self) { try await chain.execute() }
        guard case .timeout(let cause) = error else { return nil }
        return cause.code
    }

    @Test(
        arguments: [
            (.nginx, "/silent"), (.nginx, "/stalled"), (.nginx, "/throttled"), (.httpbin, "/delay/2"),
        ] as [(ServerVariable, String)])
    func aRequestThatTakesTooLongTimesOut(server: ServerVariable, path: String) async throws {
        let code = try await timeout(server, path) { $0.timeouts.request = .milliseconds(300) }
        #expect(code == .requestTimedOut)
    }

    @Test(arguments: ["/silent", "/stalled"])
    func aConnectionOnWhichNothingMovesStalls(path: String) async throws {
        let code = try await timeout(.nginx, path) { $0.timeouts.stall = .seconds(1) }
        #expect(code == .stalled)
    }

    @Test func theTimeOfARequestGoesBeforeTheSenders() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.timeouts.request = .seconds(50) })
        let chain = try request(.nginx, "/silent", with: sender)
            .timeout(.milliseconds(200)).loadData()
        let error = await thrown(TechnicalError.self) { try await chain.execute() }
        #expect(error?.cause.code == .requestTimedOut)
    }

    @Test func aSlowAnswerInTimeIsNoError() async throws {
        let sender = try CurlRequestSender(configuration: .loopback { $0.timeouts.request = .seconds(50) })
        let data = try await request(.httpbin, "/drip?numbytes=2&duration=0.4&delay=0.2", with: sender)
            .loadData().execute()
        #expect(String(decoding: data, as: UTF8.self) == "**")
    }
}
