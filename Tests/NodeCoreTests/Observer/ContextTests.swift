import Dispatch
import NodeCore
import Testing

@Suite struct ContextTests {
    @Test func aCancelReachesTheProducerBeforeTheListeners() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.observer.onSettled { _ in recorder.add("listener") }
        context.onCancel { recorder.add("producer") }
        context.onCancel { recorder.add("producer's second") }
        context.observer.cancel()
        context.observer.cancel()
        #expect(recorder.events == ["producer", "producer's second", "listener"])
    }

    @Test func aCancelHandlerThatComesTooLateIsCalledAtOnce() {
        let context = Context<Int>()
        context.observer.cancel()
        let recorder = Recorder<String>()
        context.onCancel { recorder.add("late") }
        #expect(recorder.events == ["late"])
    }

    @Test(arguments: ObserverTests.ends)
    func aCancelHandlerIsNotCalledAfterAnEndByTheProducer(end: Outcome<Int>) {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.onCancel { recorder.add("before") }
        context.settle(end)
        context.observer.cancel()
        context.onCancel { recorder.add("after") }
        #expect(recorder.events == [])
    }

    @Test func nothingButCancelIsHeardAfterACancel() {
        let context = Context<Int>()
        let recorder = context.observer.recorded()
        context.observer.cancel()
        #expect(!context.emit(data: 1))
        #expect(!context.emit(error: Oops()))
        #expect(recorder.events == ["canceled", "defer"])
        #expect(context.observer.recorded().events == ["canceled", "defer"])
    }

    @Test func aDroppedContextFailsItsObserver() throws {
        var context: Context<[String]>? = Context()
        let observer = try #require(context).observer
        let mapped = observer.map { $0.count }
        context = nil
        let error = try #require(observer.outcome?.error as? ChainError)
        #expect(error.code == .abandoned)
        #expect(
            error.description
                == "The producer of Observer<Array<String>> released its Context without settling it.")
        #expect((mapped.outcome?.error as? ChainError)?.description == error.description)
    }

    @Test func aContextThatFollowsMayBeDropped() {
        let work = Context<Int>()
        let observer = {
            let context = Context<Int>()
            context.follow(work.observer)
            return context.observer
        }()
        let recorder = observer.recorded()
        #expect(observer.ending == "running")
        work.emit(data: 1)
        #expect(recorder.events == ["completed 1", "defer"])
    }

    @Test func aFollowedObserverHearsACancelAndItsAbandonmentIsPassedOn() {
        let work = Context<Int>()
        let context = Context<Int>()
        context.follow(work.observer)
        context.observer.cancel()
        #expect(work.observer.ending == "canceled")

        let late = Context<Int>()
        context.follow(late.observer)
        #expect(late.observer.ending == "canceled")

        let other = Context<Int>()
        var abandoned: Context<Int>? = Context()
        if let abandoned { other.follow(abandoned.observer) }
        abandoned = nil
        #expect((other.observer.outcome?.error as? ChainError)?.code == .abandoned)
    }

    @Test func ofSeveralFollowedObserversTheFirstToEndWinsAndACancelReachesAll() {
        let works = (0..<3).map { _ in Context<Int>() }
        let context = Context<Int>()
        for work in works { context.follow(work.observer) }
        context.observer.cancel()
        #expect(works.map(\.observer.ending) == ["canceled", "canceled", "canceled"])

        let racers = (0..<3).map { _ in Context<Int>() }
        let race = Context<Int>()
        for racer in racers { race.follow(racer.observer) }
        racers[1].emit(data: 1)
        #expect(race.observer.ending == racers[1].observer.ending)
        #expect(racers.map(\.isSettled) == [false, true, false])
    }

    @Test(arguments: ObserverTests.ends)
    func followingASettledObserverSettlesAtOnce(end: Outcome<Int>) {
        let context = Context<Int>()
        context.follow(Observer(end))
        #expect(context.observer.ending == Observer(end).ending)
    }
}
