import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import AccessSafe

/// A refresh chain whose own request goes through the gate that waits for it.
@Suite struct RefreshInsideRefreshTests {
    /// How the refresh chain reaches its own gate.
    enum Way: CaseIterable, Sendable {
        case directly, throughAQueue, underAJournal, inATask, asARefresh
    }

    @Test(arguments: Way.allCases) func itFailsAtOnce(way: Way) async {
        let ring = Ring()
        defer { ring.open() }
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { ring.enter(by: way) }, clock: TestClock(),
            executor: InlineExecutor())
        let node = AccessSafeNode(
            next: ClosureNode<Int, Int> { _ in .emit(error: Refusal(status: 401)) }, updateTokenChain: refresher)
        ring.close(node, refresher)
        let error = await node.inline(1).settled.error
        #expect((error as? AccessSafeError)?.code == .refreshInsideRefresh)
        #expect(refresher.frozenCount == 0)
    }

    @Test func theSameRefreshStartedByAnotherGatesRefreshFailsToo() {
        let ring = Ring()
        defer { ring.open() }
        let inner = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { ring.enter(by: .directly) }, clock: TestClock(),
            executor: InlineExecutor())
        let outer = TokenRefresherNode(tokenRefreshChain: inner, clock: TestClock(), executor: InlineExecutor())
        let node = AccessSafeNode(
            next: ClosureNode<Int, Int> { _ in .emit(error: Refusal(status: 401)) }, updateTokenChain: outer)
        ring.close(node, outer)
        #expect((node.inline(1).outcome?.error as? AccessSafeError)?.code == .refreshInsideRefresh)
    }

    @Test func aRefreshMayGoThroughAnotherGate() {
        let api = ScriptedApi()
        let other = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { .emit() }, clock: TestClock(), executor: InlineExecutor())
        let guarded = AccessSafeNode(next: api.node, updateTokenChain: other)
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { guarded.inline(9).map { _ in } }, clock: TestClock(),
            executor: InlineExecutor())
        let asked = refresher.inline()
        api.calls[0].refuse()
        api.calls[1].succeed()
        #expect(asked.outcome?.value != nil)
    }

    @Test func whatARefreshLeavesBehindIsAnOrdinaryRequestAfterItsEnd() async throws {
        let (api, ring) = (ScriptedApi(), Ring())
        defer { ring.open() }
        let (secondRefresh, isDone) = (Context<Void>(), Context<Void>())
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode {
                guard ring.left == nil else { return secondRefresh.observer }
                ring.leave(
                    Task {
                        try await isDone.observer.value
                        try await ring.enter(by: .directly).value
                    })
                return .emit()
            }, clock: TestClock(), executor: InlineExecutor())
        ring.close(AccessSafeNode(next: api.node.lengths, updateTokenChain: refresher), refresher)
        #expect(refresher.inline().outcome?.value != nil)
        let asked = refresher.inline()
        isDone.emit()
        await eventually("two requests are frozen") { refresher.frozenCount == 2 }
        secondRefresh.emit()
        #expect(asked.outcome?.value != nil)
        api.calls[0].succeed()
        try await ring.left?.value
    }
}

extension Node<Int, String> {
    /// The same chain with an answer of another type.
    fileprivate var lengths: Node<Int, Int> {
        ClosureNode { self.inline($0).map(\.count) }
    }
}

/// Lets a refresh chain know the chain that it is a part of.
private final class Ring: Sendable {
    private let parts = Mutex<(node: Node<Int, Int>, refresher: TokenRefresherNode)?>(nil)

    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// What the first refresh left behind.
    var left: Task<Void, any Error>? { task.withLock { $0 } }

    func leave(_ left: Task<Void, any Error>) { task.withLock { $0 = left } }

    func close(_ node: Node<Int, Int>, _ refresher: TokenRefresherNode) {
        parts.withLock { $0 = (node, refresher) }
    }

    /// A ring that stays closed keeps itself alive.
    func open() {
        parts.withLock { $0 = nil }
        task.withLock { $0 = nil }
    }

    func enter(by way: RefreshInsideRefreshTests.Way) -> Observer<Void> {
        guard let parts = parts.withLock({ $0 }) else { return .emit() }
        let node = parts.node
        switch way {
        case .directly: return node.inline(2).map { _ in }
        case .throughAQueue:
            return ChainConfiguratorNode(next: node, answer: .inPlace).inline(2).map { _ in }
        case .underAJournal:
            return Journal().record { node.inline(2).map { _ in } }
        case .inATask: return Observer(async: { _ = try await node.execute(2) })
        case .asARefresh: return parts.refresher.inline()
        }
    }
}
