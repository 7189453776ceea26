import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import AccessSafe

/// Many threads at once. Meant to be run under Thread Sanitizer too.
@Suite(.serialized) struct ContentionTests {
    @Test(arguments: 0..<10) func fiveHundredThreadsOfRequestsOneRefreshEachAnsweredOnce(round: Int) async {
        let server = ThreadedServer(crowd: 500)
        let refresher = TokenRefresherNode(tokenRefreshChain: server.refresh())
        let node = AccessSafeNode(next: server.node, updateTokenChain: refresher)
        let answers = await Answers.gather(500) { node.inline($0) }
        #expect(answers.values == Array(0..<500))
        #expect(server.refreshes.load(ordering: .relaxed) == 1)
        #expect(server.sent.load(ordering: .relaxed) == 1000)
        #expect(server.late.load(ordering: .relaxed) == 72, "refusals that arrive after the refresh")
    }

    @Test(arguments: 0..<10) func requestsDuringARefreshOfAnotherThreadAreSentAfterIt(round: Int) async {
        let server = ThreadedServer()
        let isReady = Flag()
        let refresher = TokenRefresherNode(tokenRefreshChain: server.refresh(until: { isReady.isSet }))
        let node = AccessSafeNode(next: server.node, updateTokenChain: refresher)
        let asked = refresher.inline()
        let answers = await Answers.gather(100) { request in
            if request == 99 { isReady.set() }
            return node.inline(request)
        }
        #expect(asked.outcome?.value != nil)
        #expect(answers.values == Array(0..<100))
        #expect(server.sentDuringRefresh.load(ordering: .relaxed) == 0)
        #expect(server.sent.load(ordering: .relaxed) == 100)
        #expect(server.refreshes.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: 0..<10) func cancelsFromOtherThreadsEndTheirsOnly(round: Int) async {
        let server = ThreadedServer()
        let refresher = TokenRefresherNode(tokenRefreshChain: server.refresh())
        let node = AccessSafeNode(next: server.node, updateTokenChain: refresher)
        let queue = DispatchQueue(label: "cancel", attributes: .concurrent)
        let answers = await Answers.gather(500) { request in
            let observer = node.inline(request)
            if request.isMultiple(of: 3) { queue.async { observer.cancel() } }
            return observer
        }
        #expect(answers.failures.isEmpty)
        #expect(answers.canceled.allSatisfy { $0.isMultiple(of: 3) })
        #expect(answers.values.count + answers.canceled.count == 500)
        #expect(server.refreshes.load(ordering: .relaxed) == 1)
        #expect(refresher.frozenCount == 0)
    }

    @Test(arguments: 0..<10) func tokensThatExpireAllTheTimeLoseNobody(round: Int) async {
        let server = ThreadedServer()
        let limits = RefreshLimits(refreshes: 1_000_000)
        let refresher = TokenRefresherNode(tokenRefreshChain: server.refresh(), limits: limits)
        let node = AccessSafeNode(next: server.node, updateTokenChain: refresher)
        let answers = await Answers.gather(500) { request in
            if request.isMultiple(of: 50) { server.valid.add(1, ordering: .acquiringAndReleasing) }
            return node.inline(request)
        }
        #expect(answers.values.count + answers.failures.count == 500)
        #expect(answers.failures.allSatisfy { $0 as? Refusal == Refusal(status: 401) }, "refused twice")
        #expect(server.refreshes.load(ordering: .relaxed) <= 20)
    }

    @Test(arguments: 0..<10) func logoutsFromOtherThreadsLeaveNobodyWaiting(round: Int) async {
        let server = ThreadedServer()
        let store = TokenStore(TokenPair(accessToken: "1"))
        let refresh = server.refresh()
        let refresher = TokenRefresherNode(
            store: store, limits: RefreshLimits(refreshes: 1_000_000),
            refresh: ClosureNode<TokenPair, TokenPair> { _ in refresh.inline().map { TokenPair(accessToken: "2") } })
        let node = AccessSafeNode(next: server.node, updateTokenChain: refresher)
        let answers = await Answers.gather(200) { request in
            if request == 100 { store.clear() }
            return node.inline(request)
        }
        #expect(store.pair == nil, "the logout wins")
        for error in answers.failures {
            #expect(error is Refusal || (error as? AccessSafeError)?.code == .signedOut)
        }
        #expect(answers.values.count + answers.failures.count == 200)
        #expect(refresher.frozenCount == 0)
    }
}

private final class Flag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() { flag.store(true, ordering: .releasing) }
}

/// What became of many requests that were sent from all threads at once.
private final class Answers: Sendable {
    private let ends = Mutex<[Int: [Outcome<Int>]]>([:])

    var values: [Int] { ends.withLock { $0.values.flatMap { $0 }.compactMap(\.value) }.sorted() }
    var failures: [any Error] { ends.withLock { $0.values.flatMap { $0 }.compactMap(\.error) } }
    var canceled: [Int] { ends.withLock { $0.filter { $0.value.contains { $0.isCanceled } }.keys.sorted() } }

    /// Sends from all threads and waits until all have ended; each ends once.
    static func gather(_ count: Int, _ send: @escaping @Sendable (Int) -> Observer<Int>) async -> Answers {
        let answers = Answers()
        let counter = Counter(left: count)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: count) { index in
                    send(index).onSettled { outcome in
                        answers.ends.withLock { $0[index, default: []].append(outcome) }
                        if counter.isLast() { continuation.resume() }
                    }
                }
            }
        }
        #expect(answers.ends.withLock { $0.values.allSatisfy { $0.count == 1 } })
        return answers
    }
}

private final class Counter: Sendable {
    private let left: Atomic<Int>

    init(left: Int) { self.left = Atomic(left) }

    func isLast() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
