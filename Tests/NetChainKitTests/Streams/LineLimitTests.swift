import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// The time limits and the session of `lines(of:)`.
struct LineLimitTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    private func all(_ stream: ValueStream<Int>) async throws -> [Int] {
        var values: [Int] = []
        for try await value in stream { values.append(value) }
        return values
    }

    @Test func theTimeoutAndTheStallTimeoutAreForTheHead() async throws {
        server.on(.get, "/watch", respond: .lines(["1", "2"]).pausing(.milliseconds(2_500)))
        let request = api.get("watch").timeout(.seconds(2)).stallTimeout(.seconds(1))
        #expect(try await all(request.lines(of: Int.self)) == [1, 2])
        server.on(.get, "/never", respond: .neverAnswer)
        let late = api.get("never").timeout(.milliseconds(100)).lines(of: Int.self)
        #expect(await thrown(TechnicalError.self) { try await all(late) }?.cause.code == .requestTimedOut)
    }

    @Test func silenceFailsTheStreamAfterTheValuesBeforeIt() async throws {
        server.on(.get, "/watch", respond: .lines(["1", "2"]).stalling(afterBytes: 100))
        let values = api.get("watch").lines(of: Int.self, silenceLimit: .seconds(1)).makeAsyncIterator()
        #expect(try await values.next() == 1)
        let error = await thrown(TechnicalError.self) { while try await values.next() != nil {} }
        #expect(error?.cause.code == .stalled)
        #expect(error?.cause.reason == "the server sent nothing for 1.0 seconds")
        try await server.waitForConnections(open: 0)
    }

    @Test func theDeadlineEndsTheStream() async throws {
        server.on(.get, "/watch", respond: .lines(["1", "2"]).stalling(afterBytes: 100))
        let clock = TestClock()
        let request = api.setting { $0.clock = clock }.get("watch").deadline(.seconds(10))
        let values = request.lines(of: Int.self).makeAsyncIterator()
        #expect(try await values.next() == 1)
        clock.advance(by: .seconds(10))
        let error = await thrown(TechnicalError.self) { while try await values.next() != nil {} }
        #expect(error?.cause.code == .deadlinePassed)
    }

    @Test func theRequestBelongsToTheSessionInWhichTheFirstValueWasAskedFor() async throws {
        let store = TokenStore(TokenPair(accessToken: "a", refreshToken: "r"))
        server.on(.get, "/watch", respond: .lines(["1"]))
        let stream = api.auth(.bearer(store)).get("watch").lines(of: Int.self)
        store.clear()
        store.set(TokenPair(accessToken: "b", refreshToken: "r"))
        #expect(try await all(stream) == [1])
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer b"])
    }
}
