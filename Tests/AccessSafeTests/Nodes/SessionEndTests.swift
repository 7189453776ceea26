import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

/// A logout while the frozen requests are let go one after another.
@Suite final class SessionEndTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    /// A chain behind the gate that signs out and in again when the first request comes with a new token.
    private func node(signsOutAt request: Int) -> AccessSafeNode<Int, String> {
        let (api, refresher) = (api, setup.refresher)
        return AccessSafeNode(
            next: ClosureNode<Int, String> { data in
                if data == request, api.token == 2 {
                    refresher.endSession(cause: Failure(text: "logout"))
                    api.token = 100
                }
                return api.node.inline(data)
            }, updateTokenChain: refresher)
    }

    @Test func whatHasNotBeenLetGoIsNotSentInTheNewSession() {
        let node = node(signsOutAt: 0)
        let refused = (0..<3).map { Ending(node.inline($0)) }
        for call in api.calls { call.refuse() }
        let unsent = (3..<5).map { Ending(node.inline($0)) }
        api.finishRefresh()
        #expect(api.calls.dropFirst(3).map(\.request) == [0], "and this one asks for its token behind the gate")
        for ending in refused[1...] + unsent { #expect(ending.code == .signedOut) }
        let next = Ending(node.inline(9))
        api.calls.last?.succeed()
        #expect(next.value == "9 with 100")
    }

    @Test func aSessionThatEndsWhileItsRefreshBeginsSendsNothing() {
        // The early refresh asks what is known of the token; the session ends in between.
        let (api, clock) = (api, TestClock())
        let holder = Holder()
        let refresher = TokenRefresherNode(
            tokenRefreshChain: api.refreshNode,
            freshness: {
                holder.endSessionOnce()
                return .fresh
            }, clock: clock, executor: InlineExecutor())
        holder.hold(refresher)
        defer { holder.letGo() }
        let ending = Ending(AccessSafeNode(next: api.node, updateTokenChain: refresher).inline(1))
        #expect(ending.code == .signedOut)
        #expect(api.calls.isEmpty)
    }
}
