import Dispatch
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class AccessSafeNodeTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    @Test func whatIsNotAnAccessFailurePassesUnchanged() {
        let (value, error, canceled) = (setup.send(1), setup.send(2), setup.send(3))
        api.calls[0].succeed()
        api.calls[1].context.emit(error: Failure(text: "no network"))
        api.calls[2].context.cancel()
        #expect(value.value == "1 with 1")
        #expect(error.error as? Failure == Failure(text: "no network"))
        #expect(canceled.isCanceled)
        #expect(api.refreshes.isEmpty)
    }

    @Test(arguments: [401, 403]) func aRefusedRequestIsSentAgainWithTheNewToken(status: Int) {
        let ending = setup.send(7)
        api.calls[0].refuse(status)
        #expect(ending.count == 0)
        api.finishRefresh()
        #expect(api.calls.map(\.request) == [7, 7])
        api.calls[1].succeed()
        #expect(ending.value == "7 with 2")
        #expect(api.refreshes.count == 1)
    }

    @Test func anErrorThatIsNoRefusalByItsOwnWordIsNone() {
        let ending = setup.send()
        api.calls[0].refuse(404)
        #expect(ending.error as? Refusal == Refusal(status: 404))
        #expect(api.refreshes.isEmpty)
    }

    @Test func thePredicateDecidesWhatARefusalIs() {
        let node = AccessSafeNode(next: api.node, updateTokenChain: setup.refresher) { error in
            (error as? Refusal)?.status == 401
        }
        let forbidden = Ending(node.inline(1))
        api.calls[0].refuse(403)
        #expect(forbidden.error as? Refusal == Refusal(status: 403))
        let unauthorized = Ending(node.inline(2))
        api.calls[1].refuse(401)
        #expect(unauthorized.count == 0)
        #expect(api.refreshes.count == 1)
    }

    @Test func fiveHundredRefusedRequestsCauseOneRefreshAndEachIsAnsweredOnce() {
        let endings = setup.send(0..<500)
        for call in api.calls { call.refuse() }
        #expect(api.refreshes.count == 1)
        #expect(setup.refresher.frozenCount == 500)
        api.finishRefresh()
        let replays = api.calls.dropFirst(500)
        #expect(replays.map(\.request) == Array(0..<500), "in the order of arrival")
        for call in replays { call.succeed() }
        #expect(endings.map(\.value) == (0..<500).map { "\($0) with 2" })
        #expect(endings.allSatisfy { $0.count == 1 })
        #expect(api.calls.count == 1000)
        #expect(api.refreshes.count == 1)
    }

    @Test func requestsThatArriveDuringARefreshAreNotSentBeforeItEnds() {
        let first = setup.send(0)
        api.calls[0].refuse()
        let endings = setup.send(1..<101)
        #expect(api.calls.count == 1)
        api.finishRefresh()
        #expect(api.calls.map(\.request) == [0] + Array(0..<101))
        #expect(api.calls.dropFirst().allSatisfy { $0.token == 2 })
        for call in api.calls.dropFirst() { call.succeed() }
        #expect(([first] + endings).allSatisfy { $0.count == 1 && $0.value != nil })
    }

    @Test func lateRefusalsAreSentAgainAtOnceWithoutARefresh() {
        let endings = setup.send(0..<10)
        let sent = api.calls
        sent[0].refuse()
        api.finishRefresh()
        for call in sent.dropFirst() { call.refuse() }
        #expect(api.refreshes.count == 1)
        #expect(api.calls.count == 20)
        for call in api.calls.dropFirst(10) { call.succeed() }
        #expect(endings.allSatisfy { $0.value?.hasSuffix("with 2") ?? false })
    }

    @Test func aRequestThatIsRefusedAgainPassesItsErrorUp() {
        let ending = setup.send()
        api.calls[0].refuse()
        api.finishRefresh()
        api.calls[1].refuse(403)
        #expect(ending.error as? Refusal == Refusal(status: 403))
        #expect(api.refreshes.count == 1)
        #expect(api.calls.count == 2)
    }

    @Test func aDeadNewTokenCausesTwoRefreshesAtMostWhoeverWaited() {
        let refused = setup.send(0..<50)
        for call in api.calls { call.refuse() }
        let unsent = setup.send(50..<100)
        var answered = 50
        while api.refreshes.contains(where: { !$0.isSettled }) {
            api.finishRefresh()
            for call in api.calls.dropFirst(answered) {
                answered += 1
                call.refuse()
            }
        }
        #expect((refused + unsent).allSatisfy { $0.error as? Refusal == Refusal(status: 401) && $0.count == 1 })
        // The first fifty are sent twice; the others are sent for the first time after the first refresh.
        #expect(api.calls.count == 200)
        #expect(api.refreshes.count == 2)
    }

    @Test func aReplayThatMeetsTheNextRefreshWaitsForIt() {
        // What is released first is refused on the spot, so that a second refresh runs before the other is sent.
        let (api, setup) = (api, setup)
        let node = AccessSafeNode(
            next: ClosureNode<Int, String> { request in
                request == 0 && api.token == 2 ? .emit(error: Refusal(status: 401)) : api.node.inline(request)
            }, updateTokenChain: setup.refresher)
        let refused = Ending(node.inline(1))
        api.calls[0].refuse()
        let unsent = Ending(node.inline(0))
        let last = Ending(node.inline(2))
        // The refused one would go first; without it the unsent one is the first to be released.
        refused.observer.cancel()
        api.finishRefresh()
        #expect(api.refreshes.count == 2)
        #expect(api.calls.count == 1, "the last one waits again")
        api.finishRefresh()
        for call in api.calls.dropFirst() { call.succeed() }
        #expect(unsent.value == "0 with 3")
        #expect(last.value == "2 with 3")
        #expect(api.calls.map(\.request) == [1, 0, 2])
    }

    @Test func theInputOfAReplayIsTheSame() {
        let api = api
        let received = Received()
        let node = AccessSafeNode(
            next: ClosureNode<[UInt8], String> { body in
                received.add(body)
                return api.node.inline(body.count)
            }, updateTokenChain: setup.refresher)
        let body = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let ending = Ending(node.inline(body))
        api.calls[0].refuse()
        api.finishRefresh()
        api.calls[1].succeed()
        #expect(received.all == [body, body])
        #expect(ending.value == "10000 with 2")
    }

    @Test func aRefreshThatAnswersAtOnceWorksToo() {
        let api = api
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode {
                api.token += 1
                return .emit()
            }, clock: .system, executor: InlineExecutor())
        let node = AccessSafeNode(
            next: ClosureNode<Int, String> { _ in
                api.token == 1 ? .emit(error: Refusal(status: 401)) : .emit(data: "token \(api.token)")
            }, updateTokenChain: refresher)
        #expect(node.inline(1).outcome?.value == "token 2")
    }

    @Test func aRefreshOfTheClassicFormDoesNotWaitForTheQueueOfItsCallbacks() {
        let (api, queue) = (api, DispatchQueue(label: "nobody serves it"))
        queue.suspend()
        defer { queue.resume() }
        let service = ChainConfiguratorNode(
            next: api.refreshNode, work: .inPlace, answer: .dispatch(on: queue))
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { service.inline(()) }, clock: .system, executor: InlineExecutor())
        let ending = Ending(AccessSafeNode(next: api.node, updateTokenChain: refresher).inline(1))
        api.calls[0].refuse()
        #expect(api.refreshes.count == 1)
        api.finishRefresh()
        #expect(api.calls.count == 2)
        api.calls.last?.succeed()
        #expect(ending.value == "1 with 2")
    }

    @Test func theRefresherCanBeAskedForANewToken() {
        let setup = setup
        let asked = setup.refresher.inline()
        let ending = setup.send()
        #expect(api.refreshes.count == 1)
        #expect(api.calls.isEmpty)
        api.finishRefresh()
        #expect(asked.outcome?.value != nil)
        api.calls[0].succeed()
        #expect(ending.value == "0 with 2")
    }

    @Test func asyncCallersAndClosuresWork() async throws {
        let token = Received()
        let refresher = TokenRefresherNode {
            await Task.yield()
            token.add([2])
        }
        let node = AccessSafeNode(
            next: ClosureNode<Int, Int>(async: { request in
                guard !token.all.isEmpty else { throw Refusal(status: 401) }
                return request
            }), updateTokenChain: refresher)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for request in 0..<100 { group.addTask { try await node.execute(request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values.sorted() == Array(0..<100))
        #expect(token.all.count == 1)
    }

    @Test func theChainShowsTheGateAndItsRefreshAsABranch() {
        let chain = setup.node.chain
        #expect(chain.names == ["AccessSafeNode", "Api"])
        #expect(chain.links[0].branches.map(\.names) == [["TokenRefresherNode", "Refresh"]])
    }
}
