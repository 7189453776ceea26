import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `poll(as:every:until:)`, by a test's clock.
struct PollTests {
    private struct Job: Codable, Equatable {
        var state: String
    }

    private let clock = TestClock()
    private let sender = ScriptedRequestSender()
    private let api: ApiClient

    init() {
        api = ApiClient("https://api.example.com") { [clock, sender] in
            $0.sender = sender
            $0.clock = clock
            $0.log.sink = .silent
        }
    }

    @Test func allRoundsBelongToTheSessionInWhichPollingBegan() async throws {
        let tokens = TokenStore(TokenPair(accessToken: "first"))
        let running = poll(api.auth(.bearer(tokens)).get("jobs/1"))
        try await respond("running")
        await wait(for: [.seconds(1)])
        tokens.clear()
        tokens.set(TokenPair(accessToken: "second"))
        clock.advance(by: .seconds(1))
        let error = await thrown(AccessSafeError.self) { try await running.value }
        #expect(error?.code == .signedOut)
        #expect(sender.requests.map { $0.headers["Authorization"] } == ["Bearer first"])
    }

    private func poll(_ request: ApiRequest, every interval: PollInterval = .seconds(1)) -> Task<Job, any Error> {
        Task { try await request.poll(every: interval) { $0.state == "done" } }
    }

    private func respond(_ state: String) async throws {
        try await sender.nextRequest().respond(json: #"{"state": "\#(state)"}"#)
    }

    private func wait(for delays: [Duration]) async {
        await eventually("the delays \(clock.delays) are \(delays)") { clock.delays == delays }
    }

    @Test func roundsFollowUntilAValueIsTheLast() async throws {
        let job = poll(api.get("jobs/1"))
        for _ in 1...2 {
            try await respond("new")
            await wait(for: [.seconds(1)])
            clock.advance(by: .seconds(1))
        }
        try await respond("done")
        #expect(try await job.value == Job(state: "done"))
        #expect(sender.requests.map(\.url.path) == ["/jobs/1", "/jobs/1", "/jobs/1"])
    }

    @Test func delaysMayGrow() async throws {
        let job = poll(api.get("jobs/1"), every: .exponential(maximumDelay: .seconds(4), jitter: 0))
        for seconds in [1, 2, 4, 4] {
            try await respond("new")
            await wait(for: [.seconds(seconds)])
            clock.advance(by: .seconds(seconds))
        }
        try await respond("done")
        _ = try await job.value
    }

    @Test func theDeadlineIsForAllRounds() async throws {
        let job = poll(api.get("jobs/1").deadline(.milliseconds(2_500)))
        for _ in 1...2 {
            try await respond("new")
            await wait(for: [.seconds(1)])
            clock.advance(by: .seconds(1))
        }
        try await respond("new")
        await wait(for: [.milliseconds(500)])
        clock.advance(by: .milliseconds(500))
        let error = await thrown(TechnicalError.self) { try await job.value }
        #expect(error?.cause.code == .deadlinePassed)
        #expect(error?.cause.reason == "it took longer than 2.5 seconds, the deadline for all its attempts")
        #expect(sender.requests.count == 3)
    }

    @Test func aRoundMeetsTheDeadlineOfAll() async throws {
        let job = poll(api.get("jobs/1").deadline(.seconds(3)))
        try await respond("new")
        await wait(for: [.seconds(1)])
        clock.advance(by: .seconds(1))
        let second = try await sender.nextRequest()
        await wait(for: [.seconds(2)])
        clock.advance(by: .seconds(2))
        #expect(await thrown(TechnicalError.self) { try await job.value }?.isTimeout == true)
        await second.ended()
        #expect(second.isCanceled)
    }

    @Test func eachRoundHasItsOwnRetries() async throws {
        let job = poll(api.get("jobs/1").retry(.constant(.zero, maxAttempts: 2)))
        try await sender.nextRequest().respond(status: 503)
        try await respond("new")
        await wait(for: [.seconds(1)])
        clock.advance(by: .seconds(1))
        try await sender.nextRequest().respond(status: 503)
        try await respond("done")
        _ = try await job.value
        #expect(sender.requests.map(\.attempt) == [1, 2, 1, 2])
    }

    @Test func theErrorOfARoundEndsIt() async throws {
        let job = poll(api.get("jobs/1"))
        try await sender.nextRequest().respond(status: 404)
        #expect(await thrown(HttpError.self) { try await job.value }?.status == 404)
        struct Failed: Error, Equatable {}
        let failing = Task {
            try await api.get("jobs/2").poll(as: Json.self, every: .seconds(1)) { _ in throw Failed() }
        }
        try await respond("new")
        await #expect(throws: Failed()) { try await failing.value }
    }

    @Test func aCancelEndsADelayAtOnce() async throws {
        let job = poll(api.get("jobs/1"))
        try await respond("new")
        await wait(for: [.seconds(1)])
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.value }
        #expect(clock.delays.isEmpty)
    }

    @Test func aCancelEndsARequestAtOnce() async throws {
        let job = poll(api.get("jobs/1"))
        let exchange = try await sender.nextRequest()
        job.cancel()
        await #expect(throws: CancellationError.self) { try await job.value }
        #expect(exchange.isCanceled)
    }

    @Test func theValueMayHaveTheResponse() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 202, json: #"{"state": "new"}"#) }
        let response = try await api.sender(sender).get("jobs/1")
            .poll(as: ApiResponse<Job>.self, every: .milliseconds(1)) { $0.status == 202 }
        #expect(response.value.state == "new")
        let json: Json = try await api.sender(sender).get("jobs/1")
            .poll(every: .constant(.zero)) { $0["state"] == "new" }
        #expect(json["state"] == "new")
    }
}
