import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The limits of a client.
struct ClientLimitTests {
    private let clock = TestClock()
    private let held = HeldSender()

    private func api(_ configure: (inout RequestSettings) -> Void = { _ in }) -> ApiClient {
        ApiClient("https://api.example.com") {
            $0.sender = held
            $0.clock = clock
            $0.log.sink = .silent
            configure(&$0)
        }
    }

    private func send(_ request: ApiRequest) -> Observer<Json> { request.chain(as: Json.self).inline() }

    @Test func copiesOfAClientShareItsLimitAndALaterOneIsNew() {
        let limited = api().concurrencyLimit(1)
        let all = [
            send(limited.get("a")), send(limited.timeout(.seconds(60)).header("X", "y").get("b")),
            send(limited.concurrencyLimit(1).get("c")), send(limited.get("d").concurrencyLimit(nil)),
        ]
        #expect(held.paths == ["a", "c", "d"])
        held.exchanges.all[0].respond(json: "{}")
        #expect(held.paths == ["a", "c", "d", "b"])
        #expect(all[0].outcome?.value != nil)
    }

    @Test func clientsMayShareALimit() {
        let limit = RateLimit(1, per: .seconds(1))
        let (one, other) = (api { $0.rateLimit = limit }, api().rateLimit(limit))
        _ = send(one.get("a"))
        _ = send(other.get("b"))
        #expect(held.paths == ["a"])
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "b"])
    }

    @Test func aBuilderHasLimits() throws {
        let url = try #require(URL(string: "https://api.example.com"))
        let builder = UrlChainsBuilder<URL>().sender(held).log(to: .silent).concurrencyLimit(1, waiting: 1)
        let chains: [Node<Void, Json>] = ["a", "b", "c"].map { builder.route(.get, url.appending(path: $0)).build() }
        let all = chains.map { $0.inline() }
        #expect(held.paths == ["a"])
        #expect((all[2].outcome?.error as? LimitError)?.limit == "the concurrency limit of 1")
    }

    @Test func eachAttemptCounts() {
        let limited = api { $0.retry = .constant(.zero, maxAttempts: 3) }.rateLimit(1, per: .seconds(1))
        let request = send(limited.get("a"))
        for number in 1...3 {
            #expect(held.paths.count == number)
            held.exchanges.all[number - 1].respond(status: number < 3 ? 503 : 200, json: "{}")
            #expect(held.paths.count == number, "the next attempt waits")
            clock.advance(by: .seconds(1))
        }
        #expect(request.outcome?.value != nil)
    }

    @Test func whatIsSentAgainAfterALostConnectionCounts() {
        let limited = api().rateLimit(1, per: .seconds(1))
        let request = send(limited.get("a"))
        held.exchanges.all[0].fail(.connectionLost)
        #expect(held.paths == ["a"], "the second sending waits")
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "a"])
        held.exchanges.all[1].respond(json: "{}")
        #expect(request.outcome?.value != nil)
    }

    @Test func anAttemptThatWaitsForItsRetryHoldsNoSlot() {
        let limited = api { $0.retry = .constant(.seconds(9)) }.concurrencyLimit(1)
        let all = [send(limited.get("a")), send(limited.get("b"))]
        held.exchanges.all[0].respond(status: 503)
        #expect(held.paths == ["a", "b"])
        clock.advance(by: .seconds(9))
        #expect(held.paths == ["a", "b"], "the slot is taken")
        held.exchanges.all[1].respond(json: "{}")
        #expect(held.paths == ["a", "b", "a"])
        #expect(all[1].outcome?.value != nil)
    }

    @Test func aRejectedRequestIsNotSentAgain() throws {
        let limited = api { $0.retry = .exponential() }.concurrencyLimit(1, waiting: 0)
        _ = send(limited.get("a"))
        let error = try #require(send(limited.get("b")).outcome?.error as? any NetChainFailure)
        #expect(error is LimitError && error.isRetryable)
        #expect(clock.delays.isEmpty)
        let again = send(limited.retry(.never.or { _ in .now }).get("c"))
        #expect(again.outcome?.error is LimitError)
        let rule = RetryPolicy.exponential(maxAttempts: 2).or { $0.error is LimitError ? .after(.seconds(1)) : .no }
        let patient = send(limited.retry(rule).post("d"))
        held.exchanges.all[0].respond(json: "{}")
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "d"] && patient.outcome == nil)
        held.exchanges.all[1].fail(.hostNotFound)
        let last = (patient.outcome?.error as? TechnicalError)?.cause ?? patient.outcome?.error as? TransportError
        #expect(last?.wasProcessed == .no, "no server has got the rejected attempt")
    }

    @Test func theLogSaysWhyARejectedRequestIsNotSentAgain() {
        let lines = Gathered<String>()
        let limited = api {
            $0.retry = .exponential()
            $0.log.sink = .events { lines.append($0.message) }
        }.concurrencyLimit(1, waiting: 0)
        _ = send(limited.get("a"))
        _ = send(limited.get("b"))
        #expect(
            lines.all.contains("attempt 1 is the last one: queueFull is neither a failure in transit nor a status"))
    }

    @Test func theErrorOfADeadlineNamesTheLimit() async throws {
        let limits: [(ApiClient, String)] = [
            (api().rateLimit(1, per: .seconds(60)), "the rate limit of 1 in 60.0 seconds"),
            (api().concurrencyLimit(1), "the concurrency limit of 1"),
        ]
        for (limited, name) in limits {
            _ = send(limited.get("a"))
            let copy = limited.middleware { request, next in
                try await next(HttpRequest(method: .get, url: request.url))
            }
            for client in [limited, copy] {
                let waiting = Task { try await client.get("b").deadline(.seconds(5)).send() }
                await eventually("it waits") { clock.delays.contains(.seconds(5)) && isWaiting(limited) }
                clock.advance(by: .seconds(5))
                let error = await thrown(TechnicalError.self) { try await waiting.value }
                #expect(error?.cause.code == .deadlinePassed)
                let reason = "it took longer than 5.0 seconds, the deadline for all its attempts, and was waiting for "
                #expect(error?.cause.reason == reason + name)
            }
        }
    }

    private func isWaiting(_ client: ApiClient) -> Bool {
        (client.settings.rateLimit?.waiting ?? 0) + (client.settings.concurrencyLimit?.waiting ?? 0) > 0
    }

    @Test func aTimeoutIsATechnicalError() throws {
        let limited = api { $0.timeout = .seconds(5) }.concurrencyLimit(1)
        _ = send(limited.get("a").timeout(nil))
        let waiting = send(limited.post("b"))
        clock.advance(by: .seconds(5))
        let error = try #require(waiting.outcome?.error as? TechnicalError)
        #expect(error.isTimeout && error.cause.wasProcessed == .no)
    }

    @Test func gitHubsRejectionIsSentAgainWhenTheQuotaIsReset() {
        let usedUp: @Sendable (FailedAttempt) -> RetryDecision = {
            $0.response?.headers["X-RateLimit-Remaining"] == "0" ? .now : .no
        }
        let limited = api { $0.retry = .exponential().or(usedUp) }.rateLimit(.following(.github))
        let request = send(limited.get("user/repos"))
        let headers: HttpHeaders = [
            "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111807", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        held.exchanges.all[0].respond(status: 403, headers: headers)
        clock.advance(by: .seconds(29))
        #expect(held.exchanges.all.count == 1)
        clock.advance(by: .seconds(1))
        #expect(held.exchanges.all.count == 2)
        held.exchanges.all[1].respond(json: "[]")
        #expect(request.outcome?.value != nil)
    }

    @Test func aRequestToAnotherOriginTakesNoToken() {
        let limited = api().rateLimit(1, per: .seconds(60)).concurrencyLimit(2)
        _ = send(limited.get("a"))
        _ = send(limited.get("https://cdn.example/b"))
        _ = send(limited.get("https://cdn.example/c"))
        #expect(held.paths == ["a", "b"], "a slot is needed")
    }

    @Test func theLogSaysHowLongARequestHasWaited() async throws {
        let lines = Gathered<String>()
        let limited = api().log(to: .events { event in lines.append("\(event.id): \(event.message)") })
            .log(level: .debug).rateLimit(1, per: .seconds(60))
        _ = send(limited.get("a").log(to: .silent))
        let second = send(limited.get("b"))
        clock.advance(by: .seconds(60))
        held.exchanges.all[1].respond(json: "{}")
        #expect(second.outcome?.value != nil)
        await eventually("the line arrives") {
            lines.all.contains("LimitingSender: waited 60.0 seconds for the rate limit of 1 in 60.0 seconds")
        }
    }

    @Test func anOverrideThatLeavesTheLimitOutFails() async throws {
        final class Own: UrlServiceChainBuilder {
            override func requestTransportChain() -> Node<HttpRequest, Json> {
                ClosureNode(async: { _ in .null })
            }
        }
        let url = try #require(URL(string: "https://api.example.com"))
        let chain: Node<Void, Json> = UrlChainsBuilder<URL>(serviceChain: Own()).log(to: .silent).route(.get, url)
            .concurrencyLimit(1).build()
        let error = await thrown(RequestBuildingError.self) { try await chain.execute() }
        #expect(error?.code == .partLeftOut)
    }
}
