import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

/// Which token a request was sent with decides what its rejection means.
@Suite final class TicketTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    /// A chain that sends a request again after a failure, as `RetryNode` does: behind the gate.
    private var retrying: AccessSafeNode<Int, String> {
        let api = api
        return AccessSafeNode(
            next: ClosureNode<Int, String>(async: { request in
                do {
                    return try await api.node.execute(request)
                } catch is Failure {
                    try await [any Admission]().readmit()
                    return try await api.node.execute(request)
                }
            }), updateTokenChain: setup.refresher)
    }

    @Test func aRetryThatIsRejectedWithTheNewTokenRefreshesIt() {
        let retried = Ending(retrying.inline(1))
        let other = setup.send(2)
        api.calls[1].refuse()
        api.finishRefresh()
        api.calls[0].context.emit(error: Failure(text: "503"))
        #expect(api.calls.map(\.token) == [1, 1, 2, 2])
        api.calls[3].refuse()
        #expect(api.refreshes.count == 2)
        #expect(api.calls.count == 4, "it was the current token: no replay without a refresh")
        api.finishRefresh()
        api.calls[4].succeed()
        #expect(retried.value == "1 with 3")
        api.calls[2].succeed()
        #expect(other.value == "2 with 2")
    }

    @Test func aRetryThatWaitedForARefreshIsRejectedWithItsToken() {
        let retried = Ending(retrying.inline(1))
        _ = setup.send(2)
        api.calls[1].refuse()
        api.calls[0].context.emit(error: Failure(text: "503"))
        #expect(api.calls.count == 2, "the retry waits for the refresh")
        api.finishRefresh()
        let retry = api.calls.first { $0.request == 1 && $0.token == 2 }
        retry?.refuse()
        #expect(api.refreshes.count == 2)
        api.finishRefresh()
        api.calls.last?.succeed()
        #expect(retried.value == "1 with 3")
    }

    @Test func aReplayWithoutARefreshThatIsRejectedRefreshes() {
        let (first, late) = (setup.send(0), setup.send(1))
        api.calls[0].refuse()
        api.finishRefresh()
        api.calls[1].refuse()
        #expect(api.calls.map(\.token) == [1, 1, 2, 2])
        #expect(api.refreshes.count == 1)
        api.calls[3].refuse()
        #expect(api.refreshes.count == 2)
        api.finishRefresh()
        api.calls[4].refuse()
        #expect(late.error as? Refusal == Refusal(status: 401), "one refresh a request")
        #expect(api.refreshes.count == 2)
        api.calls[2].succeed()
        #expect(first.value == "0 with 2")
    }

    @Test func noRequestIsSentMoreThanThreeTimesHoweverOftenTheTokenChanges() {
        let ending = setup.send(1)
        for _ in 0..<3 {
            let asked = setup.refresher.inline()
            api.finishRefresh()
            #expect(asked.outcome?.value != nil)
            api.calls.last?.refuse()
        }
        #expect(ending.error as? Refusal == Refusal(status: 401))
        #expect(api.calls.map(\.token) == [1, 2, 3])
    }

    /// How a token is taken out of a store by a part of the chain that was slower than a refresh.
    @Test func aTokenThatIsTakenAfterARefreshIsTheNewOne() {
        let (refreshes, held) = (PairRefreshes(), Context<Void>())
        defer { refreshes.hangUp() }
        let store = TokenStore(TokenPair(accessToken: "1"))
        let refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
        let api = api
        // A slow provider: asked in front of the sender, answers later.
        let slow = AccessSafeNode(
            next: ClosureNode<Int, String> { request in
                held.observer.flatMap {
                    api.token = store.accessToken.flatMap { Int($0) } ?? 0
                    return api.node.inline(request)
                }
            }, updateTokenChain: refresher)
        let ending = Ending(slow.inline(1))
        _ = refresher.inline()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "2"))
        held.emit()
        #expect(api.calls.map(\.token) == [2])
        api.calls[0].refuse()
        #expect(refreshes.calls.count == 2)
        #expect(api.calls.count == 1, "it was the current token: no replay without a refresh")
        refreshes.calls[1].context.emit(data: TokenPair(accessToken: "3"))
        api.calls[1].succeed()
        #expect(ending.value == "1 with 3")
    }

    @Test func theTokenOfAnotherStoreSaysNothingAboutThisOne() {
        let refreshes = PairRefreshes()
        defer { refreshes.hangUp() }
        let (store, other) = (TokenStore(TokenPair(accessToken: "1")), TokenStore(TokenPair(accessToken: "9")))
        let refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
        let (api, held) = (api, Context<Void>())
        let node = AccessSafeNode(
            next: ClosureNode<Int, String> { request in
                _ = store.accessToken
                return held.observer.flatMap {
                    _ = other.accessToken
                    return api.node.inline(request)
                }
            }, updateTokenChain: refresher)
        let ending = Ending(node.inline(1))
        _ = refresher.inline()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "2"))
        held.emit()
        api.calls[0].refuse()
        #expect(refreshes.calls.count == 1, "it was sent with the older token")
        api.calls[1].succeed()
        #expect(ending.value == "1 with 1")
    }
}
