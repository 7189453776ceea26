import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

/// A refresh that succeeds after its time limit.
@Suite final class LateRefreshTests: Sendable {
    let api = ScriptedApi()
    let clock = TestClock()
    let refreshes = PairRefreshes()
    let store = TokenStore(TokenPair(accessToken: "a1", refreshToken: "r1"))
    let refresher: TokenRefresherNode
    let node: AccessSafeNode<Int, String>

    init() {
        refresher = TokenRefresherNode(
            store: store, limits: RefreshLimits(timeout: .seconds(10)), clock: clock, executor: InlineExecutor(),
            refresh: refreshes.node)
        node = AccessSafeNode(next: api.node, updateTokenChain: refresher)
    }

    deinit {
        refreshes.hangUp()
        api.hangUp()
    }

    private func timeOut() -> Ending {
        let ending = Ending(node.inline(1))
        api.calls[0].refuse()
        clock.advance(by: .seconds(10))
        return ending
    }

    private func succeedLate() {
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2", refreshToken: "r2"))
    }

    @Test func itsTokensAreStoredThoughThoseThatWaitedHaveFailed() {
        let journal = Journal()
        let waiting = journal.record { timeOut() }
        #expect(waiting.code == .refreshTimedOut)
        clock.advance(by: .seconds(1))
        succeedLate()
        #expect(store.pair == TokenPair(accessToken: "a2", refreshToken: "r2"))
        #expect(waiting.count == 1)
        #expect(
            journal.texts.suffix(2) == [
                "The token refresh failed after 10000 ms (AccessSafeError).", "The token was refreshed in 11000 ms.",
            ])
    }

    @Test func aRejectionOfTheOldTokenIsSentAgainWithoutARefresh() {
        let late = Ending(node.inline(0))
        let call = api.calls[0]
        _ = refresher.inline()
        clock.advance(by: .seconds(10))
        succeedLate()
        call.refuse()
        #expect(refreshes.calls.count == 1)
        api.calls[1].succeed()
        #expect(late.value != nil)
    }

    @Test func newerTokensWinOverIt() {
        _ = timeOut()
        store.set(TokenPair(accessToken: "new"))
        succeedLate()
        #expect(store.accessToken == "new")
    }

    @Test func theEndOfTheSessionCancelsIt() {
        _ = timeOut()
        store.clear()
        #expect(refreshes.calls[0].context.isSettled)
        store.set(TokenPair(accessToken: "b1"))
        succeedLate()
        #expect(store.accessToken == "b1")
    }

    @Test func theNextRefreshCancelsIt() {
        _ = timeOut()
        let next = refresher.inline()
        #expect(refreshes.calls[0].context.isSettled)
        #expect(refreshes.calls[1].old.refreshToken == "r1")
        refreshes.calls[1].context.emit(data: TokenPair(accessToken: "a2"))
        #expect(next.outcome?.value != nil)
        #expect(store.accessToken == "a2")
    }

    @Test func itsFailureChangesNothing() {
        let waiting = timeOut()
        refreshes.calls[0].context.emit(error: Failure(text: "late"))
        #expect(waiting.code == .refreshTimedOut)
        #expect(store.accessToken == "a1")
        let next = refresher.inline()
        refreshes.calls[1].context.emit(data: TokenPair(accessToken: "a2"))
        #expect(next.outcome?.value != nil)
    }

    @Test(.timeLimit(.minutes(1))) func anAsyncRefreshIsNotCanceledByItsTimeLimit() async throws {
        let (store, isReady) = (store, Context<Void>())
        let refresher = TokenRefresherNode(store: store, limits: RefreshLimits(timeout: .milliseconds(1))) { _ in
            try await isReady.observer.value
            return TokenPair(accessToken: "a2", refreshToken: "r2")
        }
        let error = await refresher.inline().settled.error as? AccessSafeError
        #expect(error?.code == .refreshTimedOut)
        isReady.emit()
        await eventually("the tokens are stored") { store.accessToken == "a2" }
    }
}
