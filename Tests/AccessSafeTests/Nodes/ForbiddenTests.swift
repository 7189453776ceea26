import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class ForbiddenTests: Sendable {
    let setup = Setup(limits: RefreshLimits(refreshes: 10, per: .seconds(60)))
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    /// A request that is forbidden whatever its token is.
    private func sendForbidden() -> Ending {
        let ending = setup.send(403)
        while let call = api.calls.last, call.request == 403, !call.context.isSettled {
            call.refuse(403)
            if api.refreshes.last?.isSettled == false { api.finishRefresh() }
        }
        return ending
    }

    @Test func forbiddenRequestsLeaveTheRefreshesToTheOthers() {
        for _ in 0..<30 { #expect(sendForbidden().error as? Refusal == Refusal(status: 403)) }
        #expect(api.refreshes.count == 1, "the age of the first token is not known")
        let ending = setup.send(1)
        api.calls.last?.refuse(401)
        #expect(api.refreshes.count == 2)
        api.finishRefresh()
        api.calls.last?.succeed()
        #expect(ending.value == "1 with 3")
    }

    @Test func aTokenThatIsOlderThanTheWindowIsRefreshedOnceMore() {
        _ = sendForbidden()
        setup.clock.advance(by: .seconds(59))
        _ = sendForbidden()
        #expect(api.refreshes.count == 1)
        setup.clock.advance(by: .seconds(1))
        _ = sendForbidden()
        #expect(api.refreshes.count == 2)
    }

    @Test func aForbiddenRequestPassesUpWhileAnotherOnesRefreshRuns() {
        _ = setup.refresher.inline()
        api.finishRefresh()
        let (forbidden, expired) = (setup.send(1), setup.send(2))
        api.calls[1].refuse(401)
        api.calls[0].refuse(403)
        #expect(forbidden.error as? Refusal == Refusal(status: 403))
        api.finishRefresh()
        api.calls.last?.succeed()
        #expect(expired.value == "2 with 3")
    }

    @Test func thePredicateDoesNotMakeAForbiddenRequestAnExpiredOne() {
        let node = AccessSafeNode(next: api.node, updateTokenChain: setup.refresher) { $0 is Refusal }
        _ = setup.refresher.inline()
        api.finishRefresh()
        let (forbidden, missing) = (Ending(node.inline(1)), Ending(node.inline(2)))
        api.calls[0].refuse(403)
        #expect(forbidden.error as? Refusal == Refusal(status: 403))
        #expect(api.refreshes.count == 1)
        api.calls[1].refuse(404)
        #expect(missing.count == 0)
        #expect(api.refreshes.count == 2)
    }

    @Test func aNewLoginsTokenIsYoung() {
        let refreshes = PairRefreshes()
        defer { refreshes.hangUp() }
        let store = TokenStore()
        let refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
        let node = AccessSafeNode(next: api.node, updateTokenChain: refresher)
        store.set(TokenPair(accessToken: "1"))
        let ending = Ending(node.inline(1))
        api.calls[0].refuse(403)
        #expect(ending.error as? Refusal == Refusal(status: 403))
        #expect(refreshes.calls.isEmpty)
    }

    @Test func anErrorOfOnesOwnIsNotForbiddenUnlessItSaysSo() {
        struct Expired: AccessFailure {
            let isAccessFailure = true
        }
        #expect(!Expired().isForbidden)
    }
}
