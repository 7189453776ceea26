import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class CancellationTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    /// Which of ten frozen requests (the first five refused, the others not sent) are canceled.
    static let choices: [Set<Int>] = [[0], [4], [5], [9], [0, 5], [1, 2, 3, 4], Set(0..<5), Set(5..<10), Set(0..<9)]

    @Test(arguments: choices) func cancellingFrozenRequestsTakesOutThoseOnly(choice: Set<Int>) {
        let refused = setup.send(0..<5)
        for call in api.calls { call.refuse() }
        let endings = refused + setup.send(5..<10)
        for index in choice { endings[index].observer.cancel() }
        #expect(setup.refresher.frozenCount == 10 - choice.count)
        api.finishRefresh()
        #expect(api.calls.dropFirst(5).map(\.request) == (0..<10).filter { !choice.contains($0) })
        for call in api.calls.dropFirst(5) { call.succeed() }
        for (index, ending) in endings.enumerated() {
            #expect(ending.count == 1)
            #expect(ending.isCanceled == choice.contains(index))
            #expect((ending.value == "\(index) with 2") != choice.contains(index))
        }
        #expect(api.refreshes.count == 1)
    }

    @Test func cancellingAllDoesNotBreakTheGate() {
        let refused = setup.send(0..<5)
        for call in api.calls { call.refuse() }
        for ending in refused { ending.observer.cancel() }
        #expect(refused.allSatisfy { $0.isCanceled && $0.count == 1 })
        #expect(!api.refreshes[0].isSettled, "the refresh goes on")
        let ending = setup.send(9)
        #expect(api.calls.count == 5)
        api.finishRefresh()
        #expect(api.calls.count == 6)
        api.calls[5].succeed()
        #expect(ending.value == "9 with 2")
        #expect(api.refreshes.count == 1)
    }

    @Test func cancellingAllBeforeAFailureDoesNotBreakTheGate() {
        let ending = setup.send()
        api.calls[0].refuse()
        ending.observer.cancel()
        api.refreshes[0].emit(error: Failure(text: "down"))
        #expect(ending.isCanceled)
        let next = setup.send()
        api.calls[1].refuse()
        api.finishRefresh()
        api.calls[2].succeed()
        #expect(next.value == "0 with 2")
    }

    @Test func cancellingBeforeTheAnswerReachesTheServerAndCausesNothing() {
        let ending = setup.send()
        ending.observer.cancel()
        #expect(api.calls[0].context.isSettled)
        #expect(ending.isCanceled)
        #expect(api.refreshes.isEmpty)
    }

    @Test func cancellingAReplayReachesTheServer() {
        let ending = setup.send()
        api.calls[0].refuse()
        api.finishRefresh()
        ending.observer.cancel()
        #expect(api.calls[1].context.isSettled)
        #expect(ending.isCanceled && ending.count == 1)
    }

    @Test func cancellingFromAReplayTakesOutThoseThatFollow() {
        let endings = setup.send(0..<3)
        for call in api.calls { call.refuse() }
        let node = AccessSafeNode(
            next: ClosureNode<Int, String> { _ in .emit(data: "first") }, updateTokenChain: setup.refresher)
        let last = endings[2].observer
        // Its answer comes while the others are still being released.
        endings[1].observer.cancel()
        let first = node.inline(0).onCompleted { _ in last.cancel() }
        api.finishRefresh()
        #expect(first.outcome?.value == "first")
        #expect(api.calls.dropFirst(3).map(\.request) == [0, 2])
        #expect(endings[2].isCanceled)
        #expect(api.calls.last?.context.isSettled ?? false, "it had been sent; the cancel reached the server")
    }

    @Test(.timeLimit(.minutes(1)))
    func cancellingATaskThatWaitsForTheTokenTakesItOut() async throws {
        let (setup, api) = (setup, api)
        let task = Task { try await setup.node.execute(1) }
        try await api.waitForCall()
        api.calls[0].refuse()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(setup.refresher.frozenCount == 0)
        api.finishRefresh()
        #expect(api.calls.count == 1)
    }

    @Test func cancellingWhoAskedForATokenDoesNotStopTheRefresh() {
        let asked = setup.refresher.inline()
        asked.cancel()
        #expect(!api.refreshes[0].isSettled)
        #expect(setup.refresher.frozenCount == 0)
    }

    @Test func theEndOfTheSessionFailsWhoWaitsAndStopsTheRefresh() {
        let sent = setup.send(0..<4)
        api.calls[0].refuse()
        api.calls[1].refuse()
        let unsent = setup.send(4)
        setup.refresher.endSession(cause: Failure(text: "logout"))
        #expect(api.refreshes[0].isSettled)
        for ending in [sent[0], sent[1], unsent] {
            #expect(ending.code == .signedOut)
            #expect((ending.error as? AccessSafeError)?.cause as? Failure == Failure(text: "logout"))
        }
        // What was in progress keeps its own answer and is never sent again in another session.
        api.calls[2].refuse()
        api.calls[3].succeed()
        #expect(sent[2].error as? Refusal == Refusal(status: 401))
        #expect(sent[3].value == "3 with 1")
        #expect(api.refreshes.count == 1)
        let next = setup.send(9)
        api.calls[4].refuse()
        api.finishRefresh()
        api.calls[5].succeed()
        #expect(next.value == "9 with 2")
    }

    @Test func theEndOfTheSessionWithNothingUnderWayDoesNothing() {
        setup.refresher.endSession()
        let ending = setup.send()
        api.calls[0].succeed()
        #expect(ending.value == "0 with 1")
    }
}
