import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RepeatingTests {
    @Test func itRunsUntilAValueIsAccepted() async {
        let rounds = Recorder<Int>()
        let result = Observer.repeating(until: { $0 == 30 }) { round in
            rounds.add(round)
            return .emit(data: round * 10)
        }
        #expect(await result.settled.value == 30)
        #expect(rounds.events == [1, 2, 3])
    }

    @Test func anotherEndOfARoundIsTheEnd() async {
        for end in [Outcome<Int>.failed(Oops()), .canceled] {
            let result = Observer.repeating(until: { _ in false }) { round in
                round < 3 ? .emit(data: 1) : Observer(end)
            }
            #expect(Observer(await result.settled).ending == Observer(end).ending)
        }
    }

    @Test func whatAClosureThrowsFailsTheResult() async {
        let thrownByWork = Observer<Int>.repeating(until: { _ in false }) { round in
            guard round < 3 else { throw Oops() }
            return .emit(data: 1)
        }
        #expect(await thrownByWork.settled.error is Oops)
        let thrownByEnd = Observer<Int>.repeating(until: { _ in throw Oops() }) { _ in .emit(data: 1) }
        #expect(await thrownByEnd.settled.error is Oops)
    }

    @Test func aDelayStandsBetweenTwoRounds() async {
        let contexts = Recorder<Context<Void>>()
        let delays = Recorder<Duration>()
        let rounds = Recorder<Int>()
        let result = Observer.repeating(
            delay: .seconds(2), until: { $0 == 3 },
            clock: ClosureClock { delay in
                delays.add(delay)
                let context = Context<Void>()
                contexts.add(context)
                return context.observer
            }
        ) { round in
            rounds.add(round)
            return .emit(data: round)
        }
        await eventually { contexts.events.count == 1 }
        #expect(rounds.events == [1])
        contexts.events[0].emit()
        await eventually { contexts.events.count == 2 }
        #expect(rounds.events == [1, 2])
        #expect(result.outcome == nil)
        contexts.events[1].emit()
        #expect(await result.settled.value == 3)
        #expect(delays.events == [.seconds(2), .seconds(2)])
    }

    @Test func aDelayThatFailsFailsTheResult() async {
        let result = Observer<Int>.repeating(
            delay: .seconds(1), until: { _ in false }, clock: ClosureClock { _ in .emit(error: Oops()) }
        ) { _ in .emit(data: 1) }
        #expect(await result.settled.error is Oops)
    }

    @Test(arguments: [false, true])
    func aCancelReachesTheRoundOrTheDelayInProgress(isInDelay: Bool) async {
        let (work, delay) = (Context<Int>(), Context<Void>())
        let rounds = Recorder<Int>()
        let delays = Recorder<Int>()
        let clock = ClosureClock { _ in
            delays.add(1)
            return delay.observer
        }
        let result = Observer.repeating(delay: .seconds(1), until: { _ in false }, clock: clock) { round in
            rounds.add(round)
            return work.observer
        }
        if isInDelay { work.emit(data: 1) }
        await eventually { rounds.events == [1] && (!isInDelay || delays.events == [1]) }
        result.cancel()
        #expect(result.outcome?.isCanceled == true)
        await eventually { isInDelay ? delay.isSettled : work.isSettled }
        #expect((isInDelay ? delay.observer.outcome?.isCanceled : work.observer.outcome?.isCanceled) == true)
        #expect(rounds.events == [1])
    }

    @Test func aCancelFromWithinARoundStartsNoOther() async {
        let canceled = Mutex<Observer<Int>?>(nil)
        let first = Context<Int>()
        let rounds = Recorder<Int>()
        let result = Observer.repeating(until: { _ in false }) { round in
            rounds.add(round)
            if round == 1 { return first.observer }
            if round == 5 { canceled.withLock { $0 }?.cancel() }
            return .emit(data: round)
        }
        canceled.withLock { $0 = result }
        first.emit(data: 1)
        #expect(await result.settled.isCanceled == true)
        await eventually { rounds.events.count == 5 }
        #expect(rounds.events == [1, 2, 3, 4, 5])
        canceled.withLock { $0 = nil }
    }

    @Test func aRoundThatIsAbandonedFailsTheResult() async {
        let result = Observer.repeating(until: { _ in false }) { _ in Context<Int>().observer }
        #expect((await result.settled.error as? ChainError)?.code == .abandoned)
    }

    /// Rounds that have ended when they are returned, and such that end while they are started.
    @Test func aMillionRoundsTakeASmallStack() async {
        let result = Observer.repeating(until: { $0 == 1_000_000 }) { round in
            if round % 2 == 0 { return .emit(data: round) }
            let context = Context<Int>()
            context.emit(data: round)
            return context.observer
        }
        #expect(await result.settled.value == 1_000_000)
    }

    @Test func roundsThatEndOnOtherThreadsTakeASmallStack() async throws {
        let result = Observer.repeating(until: { $0 == 20_000 }) { round in
            let context = Context<Int>()
            DispatchQueue.global().async { context.emit(data: round) }
            return context.observer
        }
        #expect(try await result.value == 20_000)
    }

    @Test func whatARoundHeldIsReleased() async {
        final class Token: Sendable {}
        let tokens = Mutex<[() -> Token?]>([])
        let last = Context<Int>()
        let result = Observer.repeating(until: { _ in false }) { round in
            let token = Token()
            tokens.withLock { $0.append { [weak token] in token } }
            if round == 100 { return last.observer }
            return Observer.emit(data: round).map { value in
                withExtendedLifetime(token) { value }
            }
        }
        await eventually { tokens.withLock { $0.count == 100 && $0.allSatisfy { $0() == nil } } }
        #expect(tokens.withLock { $0.count { $0() != nil } } == 0)
        result.cancel()
    }
}
