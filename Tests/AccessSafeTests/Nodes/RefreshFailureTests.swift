import Logging
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class RefreshFailureTests: Sendable {
    let setup = Setup(limits: RefreshLimits(refreshes: 3, per: .seconds(60), timeout: .seconds(10)))
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    /// Ten requests that wait for a refresh: five were refused, five have not been sent.
    private func freeze() -> [Ending] {
        let sent = api.calls.count
        let refused = setup.send(0..<5)
        for call in api.calls.dropFirst(sent) { call.refuse() }
        return refused + setup.send(5..<10)
    }

    @Test func aFailedRefreshFailsEveryFrozenRequestWithItsErrorAndTheNextRefusalTriesAgain() {
        let endings = freeze()
        api.refreshes[0].emit(error: Failure(text: "invalid_grant"))
        #expect(endings.allSatisfy { $0.error as? Failure == Failure(text: "invalid_grant") && $0.count == 1 })
        #expect(api.calls.count == 5, "nothing was sent again")
        let ending = setup.send()
        api.calls[5].refuse()
        #expect(api.refreshes.count == 2)
        api.finishRefresh()
        api.calls[6].succeed()
        #expect(ending.value == "0 with 2")
    }

    @Test func aRefreshThatTakesTooLongFailsAllThatWaitAndIsCanceledByTheNextOne() {
        let endings = freeze()
        setup.clock.advance(by: .seconds(9))
        #expect(endings.allSatisfy { $0.count == 0 })
        setup.clock.advance(by: .seconds(1))
        #expect(endings.allSatisfy { $0.code == .refreshTimedOut && $0.count == 1 })
        #expect(!api.refreshes[0].isSettled, "it may still succeed")
        #expect(setup.clock.delays.count == 0)
        let ending = setup.send()
        api.calls.last?.refuse()
        #expect(api.refreshes.count == 2)
        #expect(api.refreshes[0].isSettled, "the cancel reached the refresh")
        api.finishRefresh()
        api.calls.last?.succeed()
        #expect(ending.value == "0 with 2")
    }

    @Test func aRefreshThatIgnoresItsCancelChangesNothingOnceTheNextOneHasBegun() {
        let answer = Context<Void>()
        let deaf = ClosureNode<Void, Void> {
            let context = Context<Void>()
            answer.observer.onSettled { context.settle($0) }
            return context.observer
        }
        let refresher = TokenRefresherNode(
            tokenRefreshChain: deaf, limits: RefreshLimits(timeout: .seconds(10)), clock: setup.clock,
            executor: InlineExecutor())
        let first = refresher.inline()
        setup.clock.advance(by: .seconds(10))
        #expect((first.outcome?.error as? AccessSafeError)?.code == .refreshTimedOut)
        let second = refresher.inline()
        answer.emit()
        #expect(second.outcome?.value != nil)
        #expect(refresher.ticket(madeAt: .now)?.generation == 1, "the first one doesn't count")
    }

    @Test func theTimeLimitEndsWithTheRefresh() {
        _ = freeze()
        #expect(setup.clock.delays.count == 1)
        api.finishRefresh()
        #expect(setup.clock.delays.count == 0)
    }

    @Test func theDefaultTimerStopsARefreshToo() async throws {
        let answer = Context<Void>()
        let refresher = TokenRefresherNode(limits: RefreshLimits(timeout: .milliseconds(1))) {
            try await answer.observer.value
        }
        let error = await thrown(AccessSafeError.self) { try await refresher.execute() }
        #expect(error?.code == .refreshTimedOut)
        // The refresh goes on after its time limit.
        answer.emit()
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max), .nanoseconds(Int64.max)])
    func unusualTimeLimitsDoNotTrap(limit: Duration) async {
        let refresher = TokenRefresherNode(limits: RefreshLimits(timeout: limit)) {}
        let outcome = await refresher.inline().settled
        #expect(outcome.value != nil || limit <= .zero)
    }

    @Test func atTheLimitOfRefreshesPerWindowARequestFailsWithItsOwnRejection() {
        for _ in 0..<3 {
            let sent = api.calls.count
            let ending = setup.send()
            api.calls[sent].refuse()
            api.refreshes.last?.emit(error: Failure(text: "down"))
            #expect(ending.error as? Failure == Failure(text: "down"))
        }
        let journal = Journal()
        let ending = journal.record { setup.send() }
        api.calls.last?.refuse()
        #expect(ending.error as? Refusal == Refusal(status: 401))
        #expect(journal.levels == [.warning])
        #expect(journal.texts == ["No token refresh, since the limit of refreshes is reached (Refusal)."])
        #expect((setup.refresher.inline().outcome?.error as? AccessSafeError)?.code == .refreshLimitReached)
        #expect(api.refreshes.count == 3)

        setup.clock.advance(by: .seconds(60))
        let later = setup.send()
        api.calls.last?.refuse()
        api.finishRefresh()
        api.calls.last?.succeed()
        #expect(later.value == "0 with 2")
    }

    @Test func tokensThatAreDeadOnArrivalReachTheLimit() {
        for _ in 0..<3 {
            let ending = setup.send()
            api.calls.last?.refuse()
            api.finishRefresh()
            api.calls.last?.refuse()
            #expect(ending.error as? Refusal == Refusal(status: 401))
        }
        let ending = setup.send()
        api.calls.last?.refuse()
        #expect(ending.error as? Refusal == Refusal(status: 401))
        #expect(api.refreshes.count == 3)
    }

    @Test func aRefreshThatCancelsItselfFailsEverybody() {
        let endings = freeze()
        api.refreshes[0].cancel()
        #expect(endings.allSatisfy { $0.code == .refreshCanceled && $0.count == 1 })
        #expect(setup.refresher.frozenCount == 0)
    }

    @Test func aRefreshThatLetsGoOfItsContextFailsEverybody() {
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { Context<Void>().observer }, clock: .system, executor: InlineExecutor())
        #expect((refresher.inline().outcome?.error as? ChainError)?.code == .abandoned)
    }

    @Test func aRefresherWithoutAChainOfItsOwnFails() {
        let refresher = TokenRefresherNode(
            tokenRefreshChain: Node<Void, Void>(), clock: .system, executor: InlineExecutor())
        #expect((refresher.inline().outcome?.error as? ChainError)?.code == .notImplemented)
    }

    @Test func textsNeverShowTheCausesText() {
        let error = AccessSafeError(.refreshLimitReached, cause: Failure(text: "secret"))
        #expect(error.description.hasSuffix("Cause: Failure."))
        #expect(error.errorDescription == error.description)
        for code: AccessSafeError.Code in [
            .refreshCanceled, .refreshInsideRefresh, .refreshLimitReached, .refreshTimedOut, .signedOut,
        ] {
            #expect(!AccessSafeError(code, cause: Failure(text: "secret")).description.contains("secret"))
        }
    }
}

extension Observer {
    /// How the work ends, once it does.
    var settled: Outcome<Value> {
        get async {
            await withCheckedContinuation { continuation in
                onSettled { continuation.resume(returning: $0) }
            }
        }
    }
}
