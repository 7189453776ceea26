import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class EarlyRefreshTests: Sendable {
    let api = ScriptedApi()
    let clock = TestClock()

    deinit { api.hangUp() }

    private func setup(_ freshness: TokenFreshness, refreshes: Int = 10) -> AccessSafeNode<Int, String> {
        let refresher = TokenRefresherNode(
            tokenRefreshChain: api.refreshNode, limits: RefreshLimits(refreshes: refreshes),
            freshness: { freshness }, clock: clock, executor: InlineExecutor())
        return AccessSafeNode(next: api.node, updateTokenChain: refresher)
    }

    @Test(arguments: [TokenFreshness.expiring, .expired])
    func aRequestIsSentAfterOneRefreshEvenIfItsTokenSeemsToHaveExpiredAgain(freshness: TokenFreshness) {
        let node = setup(freshness)
        let ending = Ending(node.inline(1))
        #expect(api.refreshes.count == 1)
        api.finishRefresh()
        #expect(api.refreshes.count == 1)
        #expect(api.calls.map(\.token) == [2])
        api.calls[0].succeed()
        #expect(ending.value == "1 with 2")
    }

    @Test func aReplayAfterARefreshIsSentToo() {
        let node = setup(.expired)
        let ending = Ending(node.inline(1))
        api.finishRefresh()
        api.calls[0].refuse()
        api.finishRefresh()
        #expect(api.refreshes.count == 2)
        api.calls[1].succeed()
        #expect(ending.value == "1 with 3")
    }

    @Test func aRetryAfterARefreshIsSentToo() {
        let api = api
        let refresher = TokenRefresherNode(
            tokenRefreshChain: api.refreshNode, freshness: { .expired }, clock: clock, executor: InlineExecutor())
        let node = AccessSafeNode(
            next: ClosureNode<Int, String>(async: { request in
                do {
                    return try await api.node.execute(request)
                } catch is Failure {
                    try await [any Admission]().readmit()
                    return try await api.node.execute(request)
                }
            }), updateTokenChain: refresher)
        let ending = Ending(node.inline(1))
        api.finishRefresh()
        api.calls[0].context.emit(error: Failure(text: "503"))
        #expect(api.refreshes.count == 2)
        api.finishRefresh()
        #expect(api.refreshes.count == 2)
        api.calls[1].succeed()
        #expect(ending.value == "1 with 3")
    }

    @Test func atTheLimitATokenThatHasExpiredIsNotSent() {
        let node = setup(.expired, refreshes: 1)
        _ = node.inline(1)
        api.finishRefresh()
        let journal = Journal()
        let ending = journal.record { Ending(node.inline(2)) }
        #expect(ending.code == .refreshLimitReached)
        #expect(api.calls.map(\.request) == [1])
        #expect(journal.texts == ["No token refresh, since the limit of refreshes is reached."])
    }

    @Test func atTheLimitATokenThatExpiresSoonIsSent() {
        let node = setup(.expiring, refreshes: 1)
        _ = node.inline(1)
        api.finishRefresh()
        _ = node.inline(2)
        #expect(api.calls.map(\.request) == [1, 2])
    }

    @Test func atTheLimitARequestThatIsToBeSentAgainFailsWithItsRejection() {
        // The token is known to have expired once the first request has been sent.
        let (api, freshness) = (api, Fresh())
        let refresher = TokenRefresherNode(
            tokenRefreshChain: api.refreshNode, limits: RefreshLimits(refreshes: 1), freshness: { freshness.value },
            clock: clock, executor: InlineExecutor())
        let node = AccessSafeNode(next: api.node, updateTokenChain: refresher)
        let ending = Ending(node.inline(1))
        _ = refresher.inline()
        api.finishRefresh()
        freshness.expire()
        api.calls[0].refuse()
        #expect(ending.error as? Refusal == Refusal(status: 401))
        #expect(api.calls.count == 1)
    }
}

/// A token that is fresh until it expires.
private final class Fresh: Sendable {
    private let hasExpired = Atomic(false)

    var value: TokenFreshness { hasExpired.load(ordering: .acquiring) ? .expired : .fresh }

    func expire() { hasExpired.store(true, ordering: .releasing) }
}
