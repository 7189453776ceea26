import Dispatch
import NodeCore
import TestSupport
import Testing

@Suite struct MapTests {
    /// Both ways that an operator meets its work: settled already, or settled later.
    static func both<Value: Sendable, Other: Sendable>(
        _ end: Outcome<Value>, _ operation: (Observer<Value>) -> Observer<Other>
    ) -> [String] {
        let context = Context<Value>()
        let later = operation(context.observer)
        context.settle(end)
        return [operation(Observer(end)).ending, later.ending]
    }

    static func twice(_ ending: String) -> [String] { [ending, ending] }

    @Test func mapChangesTheValueAndPassesTheOtherEnds() {
        #expect(MapTests.both(.completed(1)) { $0.map { "\($0 + 1)!" } } == MapTests.twice("completed 2!"))
        let failed = MapTests.both(Outcome<Int>.failed(Oops("a"))) { $0.map { $0 + 1 } }
        #expect(failed == MapTests.twice("error \(Oops("a"))"))
        #expect(MapTests.both(Outcome<Int>.canceled) { $0.map { $0 + 1 } } == MapTests.twice("canceled"))
    }

    @Test func whatAMapThrowsFailsTheResult() {
        let endings = MapTests.both(.completed(1)) { $0.map { value -> Int in throw Oops("\(value)") } }
        #expect(endings == MapTests.twice("error \(Oops("1"))"))
    }

    @Test func flatMapEndsAsTheSecondWorkDoes() {
        for end in [Outcome<String>.completed("b"), .failed(Oops("b")), .canceled] {
            #expect(
                MapTests.both(.completed(1)) { $0.flatMap { _ in Observer(end) } }
                    == MapTests.twice(Observer(end).ending))
            let second = Context<String>()
            let observer = Observer.emit(data: 1).flatMap { _ in second.observer }
            second.settle(end)
            #expect(observer.ending == Observer(end).ending)
        }
    }

    @Test func flatMapPassesAnErrorAndACancelWithoutAsking() {
        let recorder = Recorder<Int>()
        let ask: @Sendable (Int) -> Observer<Int> = {
            recorder.add($0)
            return .emit(data: $0)
        }
        #expect(MapTests.both(.failed(Oops())) { $0.flatMap(ask) } == MapTests.twice("error \(Oops())"))
        #expect(MapTests.both(.canceled) { $0.flatMap(ask) } == MapTests.twice("canceled"))
        #expect(recorder.events == [])
    }

    @Test func whatAFlatMapThrowsFailsTheResult() {
        let endings = MapTests.both(.completed(1)) { $0.flatMap { _ -> Observer<Int> in throw Oops("b") } }
        #expect(endings == MapTests.twice("error \(Oops("b"))"))
    }

    @Test func filterKeepsTheElementsInTheirOrder() {
        let kept = MapTests.both(.completed([5, 2, 4, 1])) { $0.filter { $0 > 1 } }
        #expect(kept == MapTests.twice("completed [5, 2, 4]"))
        #expect(MapTests.both(.completed([1])) { $0.filter { _ in throw Oops() } } == MapTests.twice("error \(Oops())"))
    }

    @Test func processLooksAndReturnsTheSameObserver() throws {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        let observer = context.observer.process { $0.onCompleted { recorder.add("saw \($0)") } }
        context.emit(data: 1)
        #expect(recorder.events == ["saw 1"])
        #expect(observer.ending == "completed 1")
        #expect(throws: Oops()) { try observer.process { _ in throw Oops() } }
    }

    @Test func anOperatorRunsOnceOnTheSettlingThread() {
        let context = Context<Int>()
        let settling = NamedQueue("settling")
        let recorder = Recorder<String>()
        let observer = context.observer
            .map { value in
                recorder.add("map \(NamedQueue.current)")
                return value
            }
            .flatMap { value in
                recorder.add("flatMap \(NamedQueue.current)")
                return Observer.emit(data: value)
            }
        observer.onCompleted { _ in recorder.add("listener \(NamedQueue.current)") }
        settling.queue.sync { _ = context.emit(data: 1) }
        observer.onCompleted { _ in recorder.add("late \(NamedQueue.current)") }
        #expect(recorder.events == ["map settling", "flatMap settling", "listener settling", "late none"])
    }
}
