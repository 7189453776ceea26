import Dispatch
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

/// Chains of the user's own nodes, without HTTP: the session of a request is that in which it was made.
@Suite final class RequestSessionTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    @Test func aRequestThatWaitsForItsQueueIsNotSentInTheNextSession() async throws {
        let queue = DispatchQueue(label: "held back")
        queue.suspend()
        let chain = ChainConfiguratorNode(next: setup.node, work: .dispatch(on: queue), answer: .inPlace)
        let old = (0..<50).map { chain.process($0) }
        setup.refresher.endSession()
        api.token = 100
        queue.resume()
        for request in old {
            #expect(await thrown(AccessSafeError.self) { try await request.value }?.code == .signedOut)
        }
        #expect(api.calls.isEmpty)
    }

    @Test(arguments: [ExecutionPlace.inPlace, .concurrent])
    func aRequestThatWaitsInFrontOfTheGateIsNotSentInTheNextSession(work: ExecutionPlace) async throws {
        let (asked, online) = (Context<Void>(), Context<Void>())
        let gate = setup.node
        let waiting = ClosureNode<Int, String> { data in
            asked.emit()
            return online.observer.flatMap { gate.process(data) }
        }
        let old = ChainConfiguratorNode(next: waiting, work: work, answer: .inPlace).process(1)
        try await asked.observer.value
        setup.refresher.endSession()
        api.token = 100
        online.emit()
        #expect(await thrown(AccessSafeError.self) { try await old.value }?.code == .signedOut)
        #expect(api.calls.isEmpty)
    }

    @Test func anExecutedRequestThatWaitsIsNotSentInTheNextSession() async throws {
        let (asked, online) = (Context<Void>(), Context<Void>())
        let gate = setup.node
        let waiting = ChainConfiguratorNode(
            next: ClosureNode<Int, String>(async: { data in
                asked.emit()
                try await online.observer.value
                return try await gate.execute(data)
            }))
        let old = Task { try await waiting.execute(1) }
        try await asked.observer.value
        setup.refresher.endSession()
        online.emit()
        #expect(await thrown(AccessSafeError.self) { try await old.value }?.code == .signedOut)
        #expect(api.calls.isEmpty)
    }

    @Test func theRequestsOfARefreshBelongToTheSessionInWhichItStarted() async throws {
        // The refresh of one token goes through the gate of another, whose session ends before it starts.
        let inner = setup.node
        let outer = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { inner.inline(7).map { _ in } }, clock: setup.clock,
            executor: InlineExecutor())
        let server = ScriptedApi()
        let ending = Ending(AccessSafeNode(next: server.node, updateTokenChain: outer).inline(1))
        setup.refresher.endSession()
        server.calls.first?.refuse()
        api.calls.first?.succeed()
        server.calls.last?.succeed()
        #expect(ending.value == "1 with 1")
    }
}
