import Dispatch
import NodeCore
import TestSupport
import Testing

/// A cancel travels from the consumer to the producer, whatever stands between them.
@Suite struct CancelTests {
    let hop = NamedQueue("hop")

    @Test(arguments: Way.allCases)
    func aCancelReachesTheProducerOnceThroughEveryOperator(way: Way) async {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        let observer = way.from(context.observer, on: hop.queue) { recorder.add("closure") }
        let events = observer.recorded()
        let (told, tell) = AsyncStream<Void>.makeStream()
        context.onCancel {
            recorder.add("producer")
            tell.yield()
        }
        observer.cancel()
        observer.cancel()
        for await _ in told { break }
        for _ in 0..<4 { hop.drain() }
        #expect(context.observer.ending == "canceled")
        #expect(!context.emit(data: 1))
        #expect(recorder.events == ["producer"])
        #expect(events.events == ["canceled", "defer"])
    }

    @Test(arguments: Way.allCases)
    func aCancelOfTheProducerReachesTheConsumer(way: Way) async {
        let context = Context<Int>()
        let observer = way.from(context.observer, on: hop.queue)
        context.cancel()
        await #expect(throws: CancellationError.self) { try await observer.value }
        #expect(observer.ending == "canceled")
    }

    @Test(arguments: Way.allCases)
    func aCancelAfterTheEndChangesNothing(way: Way) async throws {
        let context = Context<Int>()
        let observer = way.from(context.observer, on: hop.queue)
        let recorder = Recorder<String>()
        context.onCancel { recorder.add("producer") }
        context.emit(data: 1)
        #expect(try await observer.value == 1)
        for _ in 0..<4 { hop.drain() }
        observer.cancel()
        #expect(observer.ending == "completed 1")
        #expect(recorder.events == [])
    }

    static let secondPhases: [@Sendable (Observer<Int>, Observer<Int>) -> Observer<Int>] = [
        { first, second in first.flatMap { _ in second } },
        { first, second in first.then { _ in second } },
        { first, second in first.flatMap { _ in throw Oops() }.recover { _ in second } },
        { first, second in first.chain { _ in second }.map { $1 } },
        { first, second in first.flatMap { _ in first.flatMap { _ in second } } },
    ]

    @Test(arguments: secondPhases.indices)
    func aCancelReachesTheWorkThatIsUnderWay(index: Int) {
        let first = Context<Int>(), second = Context<Int>()
        let observer = CancelTests.secondPhases[index](first.observer, second.observer)
        let events = observer.recorded()
        first.emit(data: 1)
        #expect(!second.isSettled)
        observer.cancel()
        #expect(second.observer.ending == "canceled")
        #expect(events.events == ["canceled", "defer"])
    }

    @Test(arguments: secondPhases.indices)
    func aCancelBeforeTheSecondWorkStopsTheFirstAndNeverStartsTheSecond(index: Int) {
        let first = Context<Int>(), second = Context<Int>()
        let observer = CancelTests.secondPhases[index](first.observer, second.observer)
        observer.cancel()
        #expect(first.observer.ending == "canceled")
        #expect(!second.isSettled)
    }

    @Test func aCancelWhileTheSecondWorkIsBeingStartedReachesIt() {
        let first = Context<Int>(), second = Context<Int>()
        let slot = Recorder<Observer<Int>>()
        let observer = first.observer.flatMap { _ in
            elsewhere { slot.events[0].cancel() }
            return second.observer
        }
        slot.add(observer)
        first.emit(data: 1)
        #expect(observer.ending == "canceled")
        #expect(second.observer.ending == "canceled")
    }

    @Test func aValueThatArrivesAtACanceledResultIsDropped() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        let shared = context.observer
        let kept = shared.multicast()
        let canceled = shared.multicast()
        let mapped = canceled.map { _ in recorder.add("closure") }
        mapped.cancel()
        context.emit(data: 1)
        #expect(kept.ending == "completed 1")
        #expect(mapped.ending == "canceled")
        #expect(recorder.events == [])
    }

    @Test func aCancelStopsADeliveryThatWaitsInTheQueue() {
        let context = Context<Int>()
        hop.queue.suspend()
        let observer = context.observer.dispatchOn(hop.queue)
        let events = observer.recorded()
        context.emit(data: 1)
        #expect(observer.ending == "running")
        observer.cancel()
        #expect(observer.ending == "canceled")
        #expect(events.events == [])
        hop.queue.resume()
        hop.drain()
        #expect(events.events == ["canceled", "defer"])
    }

    @Test func aCancelFromWithinAListenerComesTooLate() {
        let context = Context<Int>()
        let observer = context.observer
        let recorder = Recorder<String>()
        observer.onCompleted { _ in
            observer.cancel()
            recorder.add("completed")
        }
        observer.onCanceled { recorder.add("canceled") }
        observer.onCompleted { _ in recorder.add("completed too") }
        context.emit(data: 1)
        #expect(recorder.events == ["completed", "completed too"])
    }
}
