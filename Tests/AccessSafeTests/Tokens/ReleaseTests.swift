import Dispatch
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import AccessSafe

/// Whatever is released may come back to the store and the refresher that held it: no lock is held meanwhile.
@Suite struct ReleaseTests {
    let store = TokenStore(TokenPair(accessToken: "a1"))
    let refreshes = PairRefreshes()

    /// An error that asks the store, and what else is given, when it is released.
    private final class Curious: Error {
        private let ask: @Sendable () -> Void

        init(_ ask: @escaping @Sendable () -> Void) { self.ask = ask }

        deinit { ask() }
    }

    private final class Count: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }

    @Test func theCauseOfALogoutMayAskTheStore() {
        let (store, count) = (store, Count())
        let cause = {
            Curious {
                _ = store.pair
                count.add()
            }
        }
        store.clear(cause: cause())
        store.clear(cause: cause())
        #expect(count.value == 1)
        store.set(TokenPair(accessToken: "a2"))
        #expect(count.value == 2)
    }

    @Test func theCauseOfASessionsEndMayAskTheRefresher() {
        let count = Count()
        let refresher = TokenRefresherNode(
            tokenRefreshChain: refreshes.node.void, clock: TestClock(), executor: InlineExecutor())
        refresher.endSession(
            cause: Curious { [weak refresher] in
                _ = refresher?.frozenCount
                count.add()
            })
        refresher.endSession()
        #expect(count.value == 1)
    }

    @Test func theErrorOfARefreshMayAskTheRefresher() {
        let count = Count()
        let refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
        defer { refreshes.hangUp() }
        for _ in 0..<2 {
            let asked = refresher.inline()
            refreshes.calls.last?.context.emit(
                error: Curious { [weak refresher] in
                    _ = refresher?.frozenCount
                    count.add()
                })
            #expect(asked.outcome?.error != nil)
            refreshes.hangUp()
        }
        #expect(count.value >= 1)
    }

    /// A node may keep a request for longer than its chain, such as a queue for requests without a network.
    @Test func aRequestThatOutlivesItsRefresherIsRefused() throws {
        var refresher: TokenRefresherNode? = TokenRefresherNode(
            store: store, clock: TestClock(), refresh: refreshes.node)
        let admission = try AccessAdmission(try #require(refresher), madeAt: .now, name: "AccessSafeNode")
        #expect(admission.refusal == nil)
        refresher = nil
        #expect((admission.refusal as? AccessSafeError)?.code == .signedOut)
    }

    @Test(.timeLimit(.minutes(1))) func aRefresherThatIsReleasedMeanwhileMayAskTheStore() {
        let (store, count, rounds) = (store, Count(), 10_000)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<rounds {
                let curious = Curious {
                    _ = store.pair
                    count.add()
                }
                let node = ClosureNode<TokenPair, TokenPair> { pair in
                    withExtendedLifetime(curious) { .emit(data: pair) }
                }
                _ = TokenRefresherNode(store: store, clock: .system, refresh: node)
            }
        }
        #expect(count.value == 4 * rounds)
    }
}

extension Node<TokenPair, TokenPair> {
    fileprivate var void: Node<Void, Void> {
        ClosureNode { self.inline(TokenPair(accessToken: "a")).map { _ in } }
    }
}
