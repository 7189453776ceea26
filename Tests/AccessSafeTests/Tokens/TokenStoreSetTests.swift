import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tokens that are put in follow the rules of those that a refresh has got.
@Suite final class TokenStoreSetTests: Sendable {
    let clock = WallClock()
    let api = ScriptedApi()
    let refreshes = PairRefreshes()
    let store: TokenStore
    let refresher: TokenRefresherNode
    let node: AccessSafeNode<Int, String>

    init() {
        store = TokenStore(TokenPair(accessToken: "a1"), margin: .seconds(30), now: { [clock] in clock.now })
        refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
        node = AccessSafeNode(next: api.node, updateTokenChain: refresher)
    }

    deinit {
        refreshes.hangUp()
        api.hangUp()
    }

    /// A way in which a pair gets into the store.
    enum Way: CaseIterable, Sendable { case set, refresh }

    private func bring(_ pair: TokenPair, by way: Way) {
        switch way {
        case .set: store.set(pair)
        case .refresh:
            _ = refresher.inline()
            refreshes.calls.last?.context.emit(data: pair)
        }
    }

    /// Lifetime in seconds, seconds after the arrival, what is known then.
    static let lifetimes: [(Double, Double, TokenFreshness)] = [
        (100, 69, .fresh), (100, 70, .expiring), (100, 100, .expired),
        (20, 9, .fresh), (20, 10, .expiring), (20, 20, .expired),
        (0, 0, .fresh), (0, 1000, .fresh), (-3600, 0, .fresh), (-3600, 3600, .fresh),
    ]

    @Test(arguments: lifetimes, Way.allCases)
    func atLeastHalfOfALifetimeIsUsed(row: (Double, Double, TokenFreshness), way: Way) {
        bring(TokenPair(accessToken: "a2", expiresAt: clock.now + row.0), by: way)
        clock.turn(by: row.1)
        #expect(store.freshness == row.2)
    }

    @Test(arguments: Way.allCases) func aLateRejectionOfTheOlderTokenIsSentAgainWithoutARefresh(way: Way) {
        let ending = Ending(node.inline(1))
        bring(TokenPair(accessToken: "a2"), by: way)
        let refreshesBefore = refreshes.calls.count
        api.calls[0].refuse()
        #expect(refreshes.calls.count == refreshesBefore)
        #expect(api.calls.count == 2)
        api.calls[1].succeed()
        #expect(ending.value != nil)
    }

    @Test func aRejectionOfTheTokenThatWasPutInRefreshesIt() {
        store.set(TokenPair(accessToken: "a2"))
        _ = node.inline(1)
        api.calls[0].refuse()
        #expect(refreshes.calls.map(\.old.accessToken) == ["a2"])
    }

    @Test(arguments: Way.allCases) func anEarlyRefreshThatFailedIsTriedAgainForTheNextToken(way: Way) {
        store.set(TokenPair(accessToken: "a2", expiresAt: clock.now + 100))
        clock.turn(by: 80)
        _ = node.inline(1)
        refreshes.calls[0].context.emit(error: Failure(text: "down"))
        _ = node.inline(2)
        #expect(refreshes.calls.count == 1)
        bring(TokenPair(accessToken: "a3", expiresAt: clock.now + 100), by: way)
        clock.turn(by: 80)
        let refreshesBefore = refreshes.calls.count
        _ = node.inline(3)
        #expect(refreshes.calls.count == refreshesBefore + 1)
        #expect(refreshes.calls.last?.old.accessToken == "a3")
    }
}
