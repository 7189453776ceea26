import HttpMessages
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import Resilience

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Limits around a sender, step by step: tasks run where they become ready, and the clock is the test's.
struct LimitingSenderTests {
    private let clock = TestClock()
    private let held = HeldSender()

    private func sender(_ rate: RateLimit? = nil, _ concurrency: ConcurrencyLimit? = nil) -> LimitingSender {
        LimitingSender(next: held, rateLimit: rate, concurrencyLimit: concurrency, clock: clock)
    }

    private func error(of observer: Observer<HttpResponse>) -> (any Error)? { observer.outcome?.error }

    // MARK: - Concurrency

    @Test func aSlotIsFreeWhenTheResponseHasArrivedOrTheSendingFailed() throws {
        let limit = ConcurrencyLimit(2)
        let sender = sender(nil, limit)
        let all = ["a", "b", "c", "d", "e"].map { sender.observed(request($0)) }
        #expect(held.paths == ["a", "b"])
        #expect((limit.inProgress, limit.waiting) == (2, 3))
        held.exchanges.all[0].respond()
        #expect(held.paths == ["a", "b", "c"])
        held.exchanges.all[1].fail(.connectionLost)
        held.exchanges.all[2].respond(status: 500)
        #expect(held.paths == ["a", "b", "c", "d", "e"])
        all[3].cancel()
        held.exchanges.all[4].respond()
        #expect((limit.inProgress, limit.waiting) == (0, 0))
        #expect(all.allSatisfy { $0.outcome != nil })
    }

    @Test func thePriorityOfTheTaskDecidesWhoIsNext() {
        let sender = sender(nil, ConcurrencyLimit(1))
        let arrivals: [(String, TaskPriority)] = [
            ("first", .low), ("a", .low), ("b", .medium), ("c", .high), ("d", .medium), ("e", .high),
        ]
        let all = arrivals.map { sender.observed($0, priority: $1) }
        for index in all.indices { held.exchanges.all[index].respond() }
        #expect(held.paths == ["first", "c", "e", "b", "d", "a"])
    }

    @Test func oneMoreThanMayWaitFailsAtOnce() throws {
        let sender = sender(nil, ConcurrencyLimit(1, waiting: 2))
        let all = ["a", "b", "c", "d?token=secret"].map { sender.observed(request($0)) }
        let error = try #require(error(of: all[3]) as? LimitError)
        #expect(error.code == .queueFull)
        #expect(error.limit == "the concurrency limit of 1")
        #expect(error.isRetryable && !error.isTimeout && error.errorType == "queueFull" && error.waiting == 2)
        #expect(!error.description.contains("secret"))
        #expect(
            error.description.hasSuffix(" was not sent: 2 requests wait for the concurrency limit of 1 [queueFull]"))
        #expect(all[1].outcome == nil && all[2].outcome == nil)
    }

    @Test func aCanceledWaiterLeavesAtOnceAndIsNotSent() {
        let limit = ConcurrencyLimit(1, waiting: 1)
        let sender = sender(nil, limit)
        _ = sender.observed(request("a"))
        let second = sender.observed(request("b"))
        second.cancel()
        #expect(limit.waiting == 0)
        let third = sender.observed(request("c"))
        held.exchanges.all[0].respond()
        #expect(held.paths == ["a", "c"])
        #expect(third.outcome == nil)
    }

    @Test func aStreamHoldsItsSlotUntilItHasEnded() async throws {
        let limit = ConcurrencyLimit(1)
        let sending = LimitingSender(next: StreamSender(), concurrencyLimit: limit, clock: clock)
        let streams = try #require(sending.observed(request()).outcome?.value?.bytes)
        #expect(limit.inProgress == 1)
        let buffer = streams.buffer
        buffer.finish(nil)
        #expect(limit.inProgress == 0)
    }

    @Test func aStreamThatIsReleasedFreesItsSlot() async throws {
        let limit = ConcurrencyLimit(1)
        let sending = LimitingSender(next: StreamSender(), concurrencyLimit: limit, clock: clock)
        var response = sending.observed(request()).outcome?.value
        #expect(limit.inProgress == 1)
        _ = response
        response = nil
        #expect(limit.inProgress == 0)
    }

    @Test func aRejectedStreamHoldsNoSlot() {
        let limit = ConcurrencyLimit(1)
        let sending = sender(nil, limit).observed(request("x", .stream))
        held.exchanges.all[0].respond(status: 404)
        #expect(sending.outcome?.value?.status == 404)
        #expect(limit.inProgress == 0)
    }

    // MARK: - Rate

    @Test func requestsAreSentAsTokensArrive() {
        let limit = RateLimit(2, per: .seconds(1), burst: 2)
        let sender = sender(limit)
        let all = ["a", "b", "c", "d", "e"].map { sender.observed(request($0)) }
        #expect(held.paths == ["a", "b"])
        #expect(clock.delays == [.milliseconds(500)])
        clock.advance(by: .milliseconds(499))
        #expect(held.paths == ["a", "b"])
        clock.advance(by: .milliseconds(1))
        #expect(held.paths == ["a", "b", "c"])
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "b", "c", "d", "e"])
        #expect(limit.waiting == 0 && clock.delays.isEmpty)
        #expect(all.allSatisfy { $0.outcome == nil })
    }

    @Test func tokensGoByPriority() {
        let sender = sender(RateLimit(1, per: .seconds(1)))
        let arrivals: [(String, TaskPriority)] = [("first", .low), ("a", .low), ("b", .high), ("c", .medium)]
        let all = arrivals.map { sender.observed($0, priority: $1) }
        for _ in all { clock.advance(by: .seconds(1)) }
        #expect(held.paths == ["first", "b", "c", "a"])
    }

    @Test func aCanceledWaiterTakesNoTokenAndNoTimer() {
        let limit = RateLimit(1, per: .seconds(1))
        let sender = sender(limit)
        _ = sender.observed(request("a"))
        let second = sender.observed(request("b"))
        let third = sender.observed(request("c"))
        second.cancel()
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "c"])
        let fourth = sender.observed(request("d"))
        fourth.cancel()
        #expect(clock.delays.isEmpty && limit.waiting == 0)
        #expect(third.outcome == nil)
    }

    @Test func oneMoreThanMayWaitForATokenFailsAtOnce() throws {
        let sender = sender(RateLimit(50, per: .seconds(1), waiting: 1))
        let all = ["a", "b", "c"].map { sender.observed(request($0)) }
        let error = try #require(error(of: all[2]) as? LimitError)
        #expect(error.limit == "the rate limit of 50 in 1.0 seconds")
    }

    // MARK: - Time limits

    @Test func aWaitMeetsTheTimeoutOfTheRequest() throws {
        let limits: [(LimitingSender, String)] = [
            (sender(RateLimit(1, per: .seconds(60))), "the rate limit of 1 in 60.0 seconds"),
            (sender(nil, ConcurrencyLimit(1)), "the concurrency limit of 1"),
        ]
        for (sender, name) in limits {
            let first = sender.observed(request("a"))
            let waiting = sender.observed(request("b", timeout: .seconds(5)))
            clock.advance(by: .seconds(5))
            let error = try #require(error(of: waiting) as? TransportError)
            #expect(error.code == .requestTimedOut)
            #expect(error.wasProcessed == .no)
            #expect(error.reason == "it was not sent within 5.0 seconds, and was waiting for \(name)")
            #expect(first.outcome == nil)
        }
    }

    @Test func theErrorOfAWaitNamesTheWholeTimeout() throws {
        let sender = sender(RateLimit(1, per: .seconds(60)), ConcurrencyLimit(1))
        _ = sender.observed(request("a"))
        let waiting = sender.observed(request("b", timeout: .seconds(10)))
        clock.advance(by: .seconds(6))
        held.exchanges.all[0].respond()
        clock.advance(by: .seconds(4))
        let error = try #require(error(of: waiting) as? TransportError)
        #expect(
            error.reason
                == "it was not sent within 10.0 seconds, and was waiting for the rate limit of 1 in 60.0 seconds")
    }

    @Test func whatARequestHasWaitedCountsForItsTimeout() {
        let sender = sender(RateLimit(1, per: .seconds(2)), ConcurrencyLimit(1))
        _ = sender.observed(request("a", timeout: .seconds(10)))
        let second = sender.observed(request("b", timeout: .seconds(10)))
        clock.advance(by: .seconds(1))
        held.exchanges.all[0].respond()
        clock.advance(by: .seconds(1))
        #expect(held.exchanges.all.map(\.request.options.timeout) == [.seconds(10), .seconds(8)])
        #expect(second.outcome == nil && clock.delays.isEmpty)
    }

    @Test func theWaitIsNamedForADeadline() {
        let sender = sender(RateLimit(1, per: .seconds(1)))
        let waits = (RequestWait(), RequestWait())
        var requests = (request("a"), request("b"))
        (requests.0.wait, requests.1.wait) = waits
        _ = sender.observed(requests.0)
        let second = sender.observed(requests.1)
        #expect(waits.0.name == nil)
        #expect(waits.1.name == "the rate limit of 1 in 1.0 seconds")
        clock.advance(by: .seconds(1))
        #expect(waits.1.name == nil && second.outcome == nil)
    }

    // MARK: - Rules

    @Test func aResponseMayPauseAll() {
        let limit = RateLimit.following(.retryAfter)
        let sender = sender(limit)
        _ = sender.observed(request("a"))
        _ = sender.observed(request("b"))
        held.exchanges.all[0].respond(status: 429, headers: ["Retry-After": "30"])
        let waiting = ["c", "d"].map { sender.observed(request($0)) }
        #expect(held.paths == ["a", "b"])
        held.exchanges.all[1].respond(status: 429, headers: ["Retry-After": "10"])
        clock.advance(by: .seconds(29))
        #expect(held.paths == ["a", "b"])
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "b", "c", "d"])
        #expect(waiting.allSatisfy { $0.outcome == nil })
    }

    @Test func aServerCanPauseForAnHourAtMost() {
        let sender = sender(.following(.retryAfter))
        _ = sender.observed(request("a"))
        held.exchanges.all[0].respond(status: 503, headers: ["Retry-After": "99999999999"])
        let next = sender.observed(request("b"))
        #expect(clock.delays == [.seconds(3_600)])
        clock.advance(by: .seconds(3_600))
        #expect(held.paths == ["a", "b"] && next.outcome == nil)
    }

    @Test func anotherOriginNeitherCountsNorPauses() throws {
        let sender = sender(RateLimit(1, per: .seconds(1), following: .retryAfter))
        var elsewhere = request("elsewhere")
        elsewhere.credentialsOrigin = Origin(try #require(URL(string: "https://other.example")))
        _ = sender.observed(elsewhere)
        _ = sender.observed(request("a"))
        held.exchanges.all[0].respond(status: 429, headers: ["Retry-After": "30"])
        clock.advance(by: .seconds(1))
        _ = sender.observed(request("b"))
        #expect(held.paths == ["elsewhere", "a", "b"])
    }

    // MARK: - Both, and the rest

    @Test func aSlotIsTakenBeforeAToken() {
        let (rate, concurrency) = (RateLimit(1, per: .seconds(1)), ConcurrencyLimit(1))
        let sender = sender(rate, concurrency)
        let all = ["a", "b", "c"].map { sender.observed(request($0)) }
        #expect((concurrency.waiting, rate.waiting) == (2, 0))
        held.exchanges.all[0].respond()
        #expect((concurrency.waiting, rate.waiting) == (1, 1))
        all[1].cancel()
        #expect((concurrency.waiting, rate.waiting) == (0, 1))
        clock.advance(by: .seconds(1))
        #expect(held.paths == ["a", "c"])
    }

    @Test func aRequestWhoseSessionEndsWhileItWaitsIsNotSent() throws {
        let (rate, concurrency) = (RateLimit(1, per: .seconds(1)), ConcurrencyLimit(1))
        let sender = sender(rate, concurrency)
        let admission = EndedAdmission()
        _ = sender.observed(request("a"))
        held.exchanges.all[0].respond()
        var waiting = request("b")
        waiting.admissions = [admission]
        let observer = sender.observed(waiting)
        clock.advance(by: .seconds(1))
        #expect(error(of: observer) is EndedAdmission.Ended)
        #expect(held.paths == ["a"])
        #expect(concurrency.inProgress == 0)
    }

    @Test func closingReachesTheOtherSender() async {
        let events = Gathered<String>()
        let sender = LimitingSender(next: ClosingSender(events: events), concurrencyLimit: ConcurrencyLimit(1))
        sender.close()
        await sender.shutdown(drain: .seconds(1))
        #expect(events.all == ["close", "shutdown"])
        #expect(sender.traits.declaredSecrets == ["X-Key"])
    }
}

/// A sender whose responses have bodies that end when their reader is released.
private struct StreamSender: RequestSender {
    func send(_ request: HttpRequest) async throws -> HttpResponse {
        let abandoned = Context<Void>()
        let buffer = ByteBuffer(onSpace: {}, onAbandon: { abandoned.emit() })
        abandoned.observer.onCompleted { buffer.finish(CancellationError()) }
        return HttpResponse(request: request, status: 200, bytes: ByteStream(buffer))
    }
}

private struct ClosingSender: TraitDeclaring {
    let events: Gathered<String>
    var traits: SenderTraits {
        var traits = SenderTraits()
        traits.declaredSecrets = ["X-Key"]
        return traits
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse { HttpResponse(request: request, status: 200) }
    func close() { events.append("close") }
    func shutdown(drain time: Duration) async { events.append("shutdown") }
}

/// The admission of a session that has ended.
private final class EndedAdmission: Admission {
    struct Ended: Error {}

    let gate = 1
    var refusal: (any Error)? { Ended() }
}
