import Models
import NodeCore
import ResponseProcessing
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct RetryNodeTests {
    /// The waits that a node asked for; the test ends each of them.
    final class Waits: ChainClock {
        private let start = ContinuousClock.now
        private let time = Mutex(Duration.zero)
        private let waits = Mutex<[(delay: Duration, context: Context<Void>)]>([])

        var delays: [Duration] { waits.withLock { $0.map(\.delay) } }

        /// How long it is since the start.
        var elapsed: Duration {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }

        var now: ContinuousClock.Instant { start + elapsed }

        func wait(for delay: Duration) -> Observer<Void> {
            let context = Context<Void>()
            waits.withLock { $0.append((delay, context)) }
            return context.observer
        }

        func end(_ index: Int) {
            waits.withLock { $0[index].context }.emit()
        }

        func isCanceled(_ index: Int) -> Bool {
            waits.withLock { $0[index].context }.observer.outcome?.isCanceled ?? false
        }
    }

    /// The sendings that reached the node's next one; the test answers each of them.
    final class Sendings: Sendable {
        private let sendings = Mutex<[(request: HttpRequest, context: Context<String>)]>([])

        var attempts: [Int] { sendings.withLock { $0.map(\.request.attempt) } }

        func node() -> Node<HttpRequest, String> {
            ClosureNode { request in
                let context = Context<String>()
                self.sendings.withLock { $0.append((request, context)) }
                return context.observer
            }
        }

        func settle(_ index: Int, _ outcome: Outcome<String>) {
            let context = sendings.withLock { $0[index].context }
            context.settle(outcome)
        }

        /// - Parameter resends: how often the sender has sent the request again by itself.
        func fail(
            _ index: Int, _ code: TransportError.Code, resends: Int = 0,
            wasProcessed: TransportError.Processing? = nil
        ) {
            let request = sendings.withLock { $0[index].request }
            let raw = HttpRequest(method: request.method, url: request.url, attempt: request.attempt + resends)
            let error = TransportError(code, of: raw, reason: "scripted", wasProcessed: wasProcessed)
            settle(index, .failed(error))
        }

        func refuse(_ index: Int, _ status: Int, _ headers: HttpHeaders = HttpHeaders()) throws {
            let attempt = sendings.withLock { $0[index].request.attempt }
            settle(index, .failed(HttpError(try answer(status, headers: headers, attempt: attempt))))
        }
    }

    private let waits = Waits()
    private let sendings = Sendings()

    private func start(
        _ policy: RetryPolicy = .exponential(jitter: 0), _ method: HttpMethod = .get, chance: Double = 0
    ) throws -> Observer<String> {
        let node = RetryNode(next: sendings.node(), policy: policy, clock: waits, chance: { chance })
        return node.inline(HttpRequest(method: method, url: try someUrl("http://example.com")))
    }

    @Test func aFirstSendingThatSucceedsIsTheOnlyOne() throws {
        let result = try start()
        sendings.settle(0, .completed("one"))
        #expect(result.outcome?.value == "one")
        #expect(sendings.attempts == [1])
        #expect(waits.delays.isEmpty)
    }

    @Test func aFailureIsFollowedByADelayAndAnotherSending() throws {
        let result = try start()
        sendings.fail(0, .connectionRefused)
        #expect(sendings.attempts == [1])
        #expect(waits.delays == [.milliseconds(200)])
        waits.end(0)
        #expect(sendings.attempts == [1, 2])
        sendings.fail(1, .connectionRefused)
        #expect(waits.delays == [.milliseconds(200), .milliseconds(400)])
        waits.end(1)
        #expect(result.outcome == nil)
        sendings.settle(2, .completed("three"))
        #expect(result.outcome?.value == "three")
        #expect(sendings.attempts == [1, 2, 3])
    }

    @Test func theLastErrorIsTheRequestsAndTellsItsAttempt() throws {
        let result = try start(.constant(.seconds(1), maxAttempts: 2))
        sendings.fail(0, .connectionRefused)
        waits.end(0)
        sendings.fail(1, .connectionRefused)
        let error = try #require(result.outcome?.error as? TransportError)
        #expect(error.code == .connectionRefused)
        #expect(error.attempt == 2)
        #expect(error.description == "GET http://example.com (attempt 2) failed: scripted [connectionRefused]")
        #expect(waits.delays == [.seconds(1)])
    }

    @Test func ofASenderThatWasClosedMeanwhileTheLastErrorBeforeCounts() throws {
        let result = try start(.constant(.seconds(1)))
        try sendings.refuse(0, 503)
        waits.end(0)
        sendings.fail(1, .senderClosed, wasProcessed: .no)
        #expect((result.outcome?.error as? HttpError)?.status == 503)
        #expect(sendings.attempts == [1, 2])
    }

    @Test func anAttemptThatWasSentBeforeItsSenderClosedCounts() throws {
        let result = try start(.constant(.seconds(1)))
        try sendings.refuse(0, 503)
        waits.end(0)
        sendings.fail(1, .senderClosed, wasProcessed: .unknown)
        #expect((result.outcome?.error as? TransportError)?.code == .senderClosed)
    }

    @Test func aSenderThatWasClosedBeforeIsTheError() throws {
        let result = try start(.constant(.seconds(1)))
        sendings.fail(0, .senderClosed)
        #expect((result.outcome?.error as? TransportError)?.code == .senderClosed)
    }

    @Test func thePolicyNeverSendsNothingAgain() throws {
        let result = try start(.never)
        sendings.fail(0, .connectionLost)
        #expect((result.outcome?.error as? TransportError)?.code == .connectionLost)
        #expect(waits.delays.isEmpty)
    }

    @Test func aSendingThatTheSenderRepeatedCountsAsAnAttempt() throws {
        let result = try start(.constant(.seconds(1), maxAttempts: 3))
        sendings.fail(0, .connectionRefused, resends: 1)
        waits.end(0)
        #expect(sendings.attempts == [1, 3])
        sendings.fail(1, .connectionRefused)
        #expect((result.outcome?.error as? TransportError)?.attempt == 3)
        #expect(waits.delays == [.seconds(1)])
    }

    @Test func whatIsNotWorthItFailsAtOnce() throws {
        let result = try start(.exponential(), .post)
        sendings.fail(0, .connectionLost)
        #expect((result.outcome?.error as? TransportError)?.code == .connectionLost)
        #expect(waits.delays.isEmpty)
        #expect(sendings.attempts == [1])
    }

    @Test(
        arguments: [
            ("3", 3_000), ("0", 200), ("soon", 200), ("-1", 200), ("1.5", 200), ("10", 10_000),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 200),
        ])
    func theServersWishIsHeeded(retryAfter: String, milliseconds: Int) throws {
        let result = try start()
        defer { result.cancel() }
        try sendings.refuse(0, 503, ["Retry-After": retryAfter])
        #expect(waits.delays == [.milliseconds(milliseconds)])
    }

    @Test(arguments: ["11", "86400", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func aWishThatThePolicyDoesNotAllowEndsTheRequestWithTheResponse(retryAfter: String) throws {
        let result = try start()
        try sendings.refuse(0, 503, ["Retry-After": retryAfter])
        let error = try #require(result.outcome?.error as? HttpError)
        #expect(error.status == 503)
        #expect(error.response.headers["Retry-After"] == retryAfter)
        #expect(waits.delays.isEmpty)
        #expect(sendings.attempts == [1])
    }

    @Test func theTimeLimitIsForAllAttemptsTogether() throws {
        let node = RetryNode(
            next: sendings.node(), policy: .constant(.seconds(2), maxAttempts: 9, timeLimit: .seconds(10)),
            clock: waits)
        let result = node.inline(HttpRequest(method: .get, url: try someUrl("http://example.com")))
        waits.elapsed = .seconds(3)
        sendings.fail(0, .connectionRefused)
        waits.elapsed = .seconds(5)
        waits.end(0)
        waits.elapsed = .seconds(8)
        sendings.fail(1, .connectionRefused)
        waits.end(1)
        waits.elapsed = .milliseconds(10_001)
        sendings.fail(2, .connectionRefused)
        #expect((result.outcome?.error as? TransportError)?.code == .connectionRefused)
        #expect(waits.delays == [.seconds(2), .seconds(2)])
        #expect(sendings.attempts == [1, 2, 3])
    }

    @Test(arguments: [TransportError.Processing.no, .unknown])
    func theTimeLimitIsForLostConnectionsToo(wasProcessed: TransportError.Processing) throws {
        let policy = RetryPolicy.constant(.zero, maxAttempts: 9, timeLimit: .milliseconds(100))
        let node = RetryNode(next: sendings.node(), policy: policy, clock: waits)
        let result = node.inline(HttpRequest(method: .get, url: try someUrl("http://example.com")))
        waits.elapsed = .milliseconds(300)
        sendings.fail(0, .connectionLost, wasProcessed: wasProcessed)
        #expect((result.outcome?.error as? TransportError)?.code == .connectionLost)
        #expect(sendings.attempts == [1])
    }

    @Test func chanceShortensTheDelay() throws {
        let result = try start(.exponential(), chance: 1)
        defer { result.cancel() }
        try sendings.refuse(0, 429)
        #expect(waits.delays == [.milliseconds(100)])
    }

    @Test func aCancelEndsADelayAndNothingMoreIsSent() throws {
        let result = try start()
        let ends = Mutex<[String]>([])
        result.onCompleted { _ in ends.withLock { $0.append("completed") } }
            .onError { _ in ends.withLock { $0.append("failed") } }
            .onCanceled { ends.withLock { $0.append("canceled") } }
            .defer { ends.withLock { $0.append("defer") } }
        sendings.fail(0, .connectionRefused)
        result.cancel()
        #expect(waits.isCanceled(0))
        waits.end(0)
        #expect(sendings.attempts == [1])
        #expect(ends.withLock { $0 } == ["canceled", "defer"])
    }

    @Test func aCancelReachesTheSendingUnderWay() throws {
        let result = try start()
        sendings.fail(0, .connectionRefused)
        waits.end(0)
        result.cancel()
        sendings.settle(1, .completed("late"))
        #expect(result.outcome?.isCanceled == true)
        #expect(sendings.attempts == [1, 2])
    }

    @Test func aCanceledSendingIsNotSentAgain() throws {
        let result = try start()
        sendings.settle(0, .canceled)
        #expect(result.outcome?.isCanceled == true)
        #expect(waits.delays.isEmpty)
    }

    @Test func oneNodeServesManyRequests() throws {
        let node = RetryNode(
            next: sendings.node(), policy: .constant(.seconds(1), maxAttempts: 2), clock: waits)
        let request = HttpRequest(method: .get, url: try someUrl("http://example.com"))
        let (first, second) = (node.inline(request), node.inline(request))
        sendings.fail(0, .connectionRefused)
        sendings.settle(1, .completed("second"))
        waits.end(0)
        sendings.settle(2, .completed("first"))
        #expect(first.outcome?.value == "first")
        #expect(second.outcome?.value == "second")
    }

    /// Attempts and delays that end at once, as with a server that refuses every connection and a policy without delays.
    @Test func aHundredThousandAttemptsTakeASmallStack() throws {
        let request = HttpRequest(method: .get, url: try someUrl("http://example.com"))
        let attempts = Atomic(0)
        let node = RetryNode<String>(
            next: ClosureNode { request in
                attempts.add(1, ordering: .relaxed)
                let raw = HttpRequest(method: request.method, url: request.url, attempt: request.attempt)
                return .emit(error: TransportError(.connectionRefused, of: raw, reason: "scripted"))
            }, policy: .constant(.milliseconds(1), maxAttempts: 100_000), clock: InstantClock())
        let error = Mutex<(any Error)?>(nil)
        onSmallStack {
            let end = node.inline(request).outcome?.error
            error.withLock { $0 = end }
        }
        #expect(attempts.load(ordering: .relaxed) == 100_000)
        #expect((error.withLock { $0 } as? TransportError)?.code == .connectionRefused)
    }
}

/// A clock whose delays are over at once.
private struct InstantClock: ChainClock {
    var now: ContinuousClock.Instant { .now }

    func wait(for delay: Duration) -> Observer<Void> { .emit() }
}
