#if os(Linux)
import Glibc
import NetChainTestKit
import NodeCore
import Synchronization
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Many answers at once, each of which somebody does something with that takes long.
@Suite(.timeLimit(.minutes(1))) struct CurlAnswersTests {
    private static let count = 64

    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.hold("/held/:id")
        sender = try makeSender { $0.limits.requestsPerOrigin = Self.count + 1 }
    }

    private func urls() -> [URL] {
        (0..<Self.count).map { server.url("/held/\($0)") }
    }

    /// Waits until all requests have come, and answers them while the sender's thread looks at none: it finds all answers
    /// in one turn.
    ///
    /// - Parameter others: how many requests are in progress that stay so.
    private func answerAll(besides others: Int = 0) async throws {
        var exchanges: [LoopbackExchange] = []
        for _ in 0..<Self.count { exchanges.append(try await server.nextRequest("/held/:id")) }
        await withTaskExecutorPreference(sender.executor(for: server.url("/"))) {
            for exchange in exchanges { exchange.respond(.text(exchange.request.parameters["id"] ?? "")) }
            let limit = ContinuousClock.now + .seconds(10)
            while server.counts.requestsInProgress > others, .now < limit { sched_yield() }
        }
    }

    private func work() {
        let end = ContinuousClock.now + .milliseconds(1)
        while .now < end {}
    }

    /// Returns once `condition` is true; the suite's limit of time ends it.
    private func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    private func loopThread() async -> pthread_t {
        await withTaskExecutorPreference(sender.executor(for: server.url("/"))) { pthread_self() }
    }

    @Test func listenersAreCalledBesideTheSendersThread() async throws {
        let loop = await loopThread()
        let calls = Mutex<[(isRight: Bool, isBeside: Bool)]>([])
        for (index, url) in urls().enumerated() {
            sender.send(.get, url).onCompleted { answer in
                work()
                calls.withLock { $0.append((answer.text == "\(index)", pthread_self() != loop)) }
            }
        }
        try await answerAll()
        await until { calls.withLock { $0.count } == Self.count }
        let all = calls.withLock { $0 }
        #expect(all.count == Self.count)
        #expect(all.allSatisfy { $0.isRight })
        let beside = all.count { $0.isBeside }
        #expect(beside > 0)
        #expect(beside < Self.count, "it is seen on the sender's thread how long they take")
    }

    @Test func tasksThatPreferTheSendersThreadGoOnThere() async throws {
        let loop = await loopThread()
        let right = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (index, url) in urls().enumerated() {
                if index.isMultiple(of: 2) {
                    sender.send(.get, url).onCompleted { _ in work() }
                } else {
                    group.addTask(executorPreference: sender.executor(for: url)) {
                        let answer = sender.send(.get, url).map { ($0.text, pthread_self()) }
                        return try await answer.value == ("\(index)", loop)
                    }
                }
            }
            try await answerAll()
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(right == Self.count / 2)
    }

    @Test func eachRequestEndsWhenTheSenderIsClosedMeanwhile() async throws {
        let loop = await loopThread()
        server.hold("/other")
        let other = sender.send(.get, server.url("/other"))
        _ = try await server.nextRequest("/other")
        let ends = Mutex<[Int: Outcome<UrlDataResponse>]>([:])
        for (index, url) in urls().enumerated() {
            sender.send(.get, url).onSettled { [sender] outcome in
                work()
                ends.withLock { $0[index] = outcome }
                if pthread_self() != loop { sender.close() }
            }
        }
        try await answerAll(besides: 1)
        await until { other.outcome != nil && ends.withLock { $0.count } == Self.count }
        #expect(ends.withLock { $0.count } == Self.count)
        #expect((other.outcome?.error as? TransportError)?.code == .senderClosed)
        for (index, outcome) in ends.withLock({ $0 }) {
            switch outcome {
            case .completed(let answer): #expect(answer.text == "\(index)")
            case .failed(let error): #expect((error as? TransportError)?.code == .senderClosed)
            case .canceled: Issue.record("nobody canceled it")
            }
        }
    }

    @Test func whoIsCanceledWhileTheQueueHasTheAnswerHearsNone() async throws {
        let loop = await loopThread()
        let completed = Mutex(0)
        let canceled = Mutex(0)
        let all = urls().map { sender.send(.get, $0) }
        for observer in all {
            observer.onCanceled { canceled.withLock { $0 += 1 } }
            observer.onCompleted { _ in
                work()
                completed.withLock { $0 += 1 }
                if pthread_self() != loop { for other in all { other.cancel() } }
            }
        }
        try await answerAll()
        await until { completed.withLock { $0 } + canceled.withLock { $0 } == Self.count }
        #expect(completed.withLock { $0 } + canceled.withLock { $0 } == Self.count)
        #expect(canceled.withLock { $0 } > 0)
    }
}
#endif
