import AccessSafe
import NodeCore
import Synchronization
import TestSupport
import Testing

/// A refresh serves every request that waits for it, so an unimportant one that causes it does not slow it down.
@Suite struct RefreshPriorityTests {
    @Test func aRefreshThatABackgroundRequestCausesRunsAtHighPriority() async throws {
        let (begun, joined) = (Context<TaskPriority>(), Context<Void>())
        let (store, during) = (TokenStore(TokenPair(accessToken: "old")), Context<TaskPriority>())
        let refresher = TokenRefresherNode(store: store) { (_: TokenPair) in
            begun.emit(data: Task.currentPriority)
            try await joined.observer.value
            during.emit(data: Task.currentPriority)
            return TokenPair(accessToken: "new")
        }
        let chain = AccessSafeNode<Int, String>(
            next: ClosureNode { _ in
                store.accessToken == "new" ? .emit(data: "sent") : .emit(error: Refusal(status: 401))
            }, updateTokenChain: refresher)
        let first = Task.detached(priority: .background) { try await chain.execute(1) }
        _ = try await begun.observer.value
        let second = Task.detached(priority: .high) { try await chain.execute(2) }
        await eventually("both wait") { refresher.frozenCount == 2 }
        joined.emit()
        #expect(try await begun.observer.value >= .high)
        #expect(try await during.observer.value >= .high)
        #expect(try await first.value == "sent")
        #expect(try await second.value == "sent")
    }
}
