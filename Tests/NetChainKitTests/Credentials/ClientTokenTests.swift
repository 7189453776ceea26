import NetChainKit
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client whose token is fetched by `.token`.
struct ClientTokenTests {
    /// Accepts one token, which a test may change.
    private final class Service: Sendable {
        let fetched = Counter()
        private let accepted = Mutex("1")
        private let sent = Mutex<[HttpRequest]>([])

        var requestCount: Int { sent.withLock { $0.count } }

        func accept(_ token: String) { accepted.withLock { $0 = token } }

        func client(_ auth: ClientAuth) -> ApiClient {
            ApiClient("https://api.example.com") {
                $0.sender = ScriptedRequestSender { [self] exchange in
                    sent.withLock { $0.append(exchange.request) }
                    let isGood = exchange.request.headers["Authorization"] == "Bearer \(accepted.withLock { $0 })"
                    _ = isGood ? exchange.respond(json: "{}") : exchange.respond(status: 401)
                }
                $0.log.sink = .silent
                $0.auth = auth
            }
        }
    }

    private final class Now: Sendable {
        private let date = Mutex(Date(timeIntervalSince1970: 1e9))
        var value: Date { date.withLock { $0 } }
        func advance(_ seconds: Double) { date.withLock { $0 += seconds } }
    }

    private let service = Service()

    /// Sends requests at once, and returns their errors.
    private func send(_ count: Int, by api: ApiClient) async -> [any Error] {
        await withTaskGroup(of: (any Error)?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        try await api.get("\(number)").send()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
        }
    }

    @Test func theFirstRequestsCauseOneFetch() async throws {
        let api = service.client(
            .token { [service] old in
                #expect(old == nil)
                return TokenPair(accessToken: "\(service.fetched.add())")
            })
        #expect(await send(50, by: api).isEmpty)
        #expect(await send(5, by: api.timeout(.seconds(5))).isEmpty)
        #expect(service.fetched.value == 1)
        #expect(service.requestCount == 55)
    }

    @Test func aRejectionCausesOneFetch() async throws {
        let api = service.client(
            .token { [service] old in
                let number = service.fetched.add()
                #expect(old?.accessToken == (number == 1 ? nil : "\(number - 1)"))
                return TokenPair(accessToken: "\(number)")
            })
        #expect(await send(1, by: api).isEmpty)
        service.accept("2")
        #expect(await send(50, by: api).isEmpty)
        #expect(service.fetched.value == 2)
    }

    @Test func aTokenIsFetchedBeforeItExpires() async throws {
        let now = Now()
        let store = TokenStore(nil, margin: .seconds(30), now: { now.value })
        let api = service.client(
            .token(in: store) { [service] _ in
                let number = service.fetched.add()
                service.accept("\(number)")
                return TokenPair(accessToken: "\(number)", expiresAt: now.value + 3600)
            })
        #expect(await send(3, by: api).isEmpty)
        now.advance(3500)
        #expect(await send(3, by: api).isEmpty)
        #expect(service.fetched.value == 1)
        now.advance(80)
        #expect(await send(50, by: api).isEmpty)
        #expect(service.fetched.value == 2)
        #expect(service.requestCount == 56)
    }

    private struct Unavailable: Error {}

    @Test func aFailedFetchFailsAllThatWaitAndTheNextOneFetchesAgain() async throws {
        let gate = Gate()
        let api = service.client(
            .token { [service] _ in
                let number = service.fetched.add()
                if number == 1 {
                    try await gate.wait()
                    throw Unavailable()
                }
                return TokenPair(accessToken: "1")
            })
        async let errors = send(50, by: api)
        await eventually("the fetch should run") { service.fetched.value == 1 }
        // Those that start after its end fetch again.
        for _ in 0..<1000 { await Task.yield() }
        gate.open()
        let failures = await errors
        #expect(failures.allSatisfy { $0 is Unavailable } && !failures.isEmpty)
        #expect(await send(1, by: api).isEmpty)
    }

    @Test func cancelingOneRequestLeavesTheFetchToTheOthers() async throws {
        let gate = Gate()
        let api = service.client(
            .token { [service] _ in
                service.fetched.add()
                try await gate.wait()
                return TokenPair(accessToken: "1")
            })
        let first = Task { try await api.get("first").send() }
        await eventually("the fetch should run") { service.fetched.value == 1 }
        async let errors = send(10, by: api)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(await errors.isEmpty)
        #expect(service.fetched.value == 1)
        #expect(service.requestCount == 10)
    }
}
