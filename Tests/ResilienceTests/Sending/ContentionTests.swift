import HttpMessages
import NetChainTestKit
import NodeCore
import Synchronization
import Testing

@testable import Resilience

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Many tasks at once, some of them canceled. Meant to be run under Thread Sanitizer too.
@Suite(.serialized) struct ContentionTests {
    /// Counts how many requests it has at once, and yields, so that others get in between.
    private final class CountingSender: RequestSender {
        let most = Atomic(0)
        let sent = Atomic(0)
        private let now = Atomic(0)

        func send(_ request: HttpRequest) async throws -> HttpResponse {
            let count = now.add(1, ordering: .acquiringAndReleasing).newValue
            most.max(count, ordering: .relaxed)
            sent.add(1, ordering: .relaxed)
            defer { now.subtract(1, ordering: .acquiringAndReleasing) }
            for _ in 0..<3 { await Task.yield() }
            try Task.checkCancellation()
            return HttpResponse(request: request, status: 200)
        }
    }

    /// Sends `count` requests, each in a task of its own, and cancels every third one, sooner or later.
    ///
    /// - Returns: how many completed, were rejected by a limit, and were canceled.
    private func send(_ count: Int, by sender: LimitingSender) async -> (completed: Int, full: Int, canceled: Int) {
        await withTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                let priority = [TaskPriority.background, .low, .medium, .high][number % 4]
                group.addTask(priority: priority) {
                    let task = Task { try await sender.send(request("\(number)")) }
                    if number.isMultiple(of: 3) {
                        for _ in 0..<number % 7 { await Task.yield() }
                        task.cancel()
                    }
                    switch await task.result {
                    case .success: return 0
                    case .failure(let error): return error is LimitError ? 1 : error is CancellationError ? 2 : 3
                    }
                }
            }
            var counts = [0, 0, 0, 0]
            for await end in group { counts[end] += 1 }
            #expect(counts[3] == 0)
            return (counts[0], counts[1], counts[2])
        }
    }

    @Test(arguments: 0..<10) func noMoreThanTheSlotsAreInProgressAndNoneIsLost(round: Int) async {
        let (limit, counting) = (ConcurrencyLimit(8), CountingSender())
        let sender = LimitingSender(next: counting, concurrencyLimit: limit)
        let ends = await send(2_000, by: sender)
        #expect(ends.completed + ends.canceled == 2_000)
        #expect(ends.canceled <= 667)
        #expect(counting.most.load(ordering: .relaxed) <= 8)
        #expect((limit.inProgress, limit.waiting) == (0, 0))
    }

    @Test(arguments: 0..<10) func aFullQueueRejectsAndTheOthersAreSent(round: Int) async {
        let (limit, counting) = (ConcurrencyLimit(2, waiting: 20), CountingSender())
        let sender = LimitingSender(next: counting, concurrencyLimit: limit)
        let ends = await send(1_000, by: sender)
        #expect(ends.completed + ends.canceled + ends.full == 1_000)
        #expect(counting.most.load(ordering: .relaxed) <= 2)
        #expect((limit.inProgress, limit.waiting) == (0, 0))
    }

    @Test(arguments: 0..<10) func tokensAreNeitherLostNorTakenTwice(round: Int) async {
        let start = ContinuousClock.now
        let (rate, counting) = (RateLimit(50_000, per: .seconds(1), burst: 5), CountingSender())
        let sender = LimitingSender(next: counting, rateLimit: rate, concurrencyLimit: ConcurrencyLimit(64))
        let ends = await send(1_000, by: sender)
        let elapsed = start.duration(to: .now)
        #expect(ends.completed + ends.canceled == 1_000)
        #expect(Double(counting.sent.load(ordering: .relaxed)) <= 5 + elapsed / .seconds(1) * 50_000)
        #expect(rate.waiting == 0)
    }

    @Test(arguments: 0..<10) func pausesFromManyThreadsEnd(round: Int) async {
        let rule = RateLimitRule { response in
            response.request.url.path.hasSuffix("7") ? .microseconds(100) : nil
        }
        let (rate, counting) = (RateLimit.following(rule), CountingSender())
        let ends = await send(500, by: LimitingSender(next: counting, rateLimit: rate))
        #expect(ends.completed + ends.canceled == 500)
        #expect(rate.waiting == 0)
    }

    private final class Done: Sendable {
        let flag = Atomic(false)
    }

    /// A clock that is advanced by other threads while requests come and go.
    @Test(arguments: 0..<10) func aTimerThatRacesWithCancelsLosesNone(round: Int) async {
        let clock = TestClock()
        let (rate, counting) = (RateLimit(1, per: .seconds(1), burst: 3), CountingSender())
        let sender = LimitingSender(next: counting, rateLimit: rate, clock: clock)
        let done = Done()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    while !done.flag.load(ordering: .acquiring) {
                        clock.advance(by: .milliseconds(700))
                        await Task.yield()
                    }
                }
            }
            let ends = await send(500, by: sender)
            done.flag.store(true, ordering: .releasing)
            #expect(ends.completed + ends.canceled == 500)
        }
        #expect(rate.waiting == 0)
        #expect(clock.delays.isEmpty)
    }
}
