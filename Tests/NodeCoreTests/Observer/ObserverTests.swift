import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct ObserverTests {
    static let ends: [Outcome<Int>] = [.completed(1), .failed(Oops()), .canceled]
    static let events: [[String]] = [
        ["completed 1", "defer"], ["error Oops(text: \"oops\")", "defer"], ["canceled", "defer"],
    ]

    @Test(arguments: zip(ends, events))
    func eachCallbackHearsItsOwnEndAndDeferHearsAll(end: Outcome<Int>, expected: [String]) {
        let context = Context<Int>()
        let before = context.observer.recorded()
        #expect(before.events == [])
        #expect(context.settle(end))
        #expect(before.events == expected)
        #expect(context.observer.recorded().events == expected)
        #expect(Observer(end).recorded().events == expected)
    }

    @Test(arguments: ends, ends)
    func theFirstEndWinsAndALaterAttemptIsToldSo(first: Outcome<Int>, later: Outcome<Int>) {
        let context = Context<Int>()
        let recorder = context.observer.recorded()
        #expect(!context.isSettled)
        #expect(context.settle(first))
        let ending = context.observer.ending
        #expect(!context.settle(later))
        #expect(!context.emit(data: 7))
        #expect(!context.emit(error: Oops("late")))
        #expect(!context.cancel())
        #expect(context.isSettled)
        #expect(context.observer.ending == ending)
        #expect(recorder.events.count == 2)
    }

    @Test func listenersAreCalledInTheOrderOfRegistrationWhenItSettles() {
        let context = Context<Int>()
        let recorder = Recorder<Int>()
        for number in 0..<10 { context.observer.onCompleted { _ in recorder.add(number) } }
        context.emit(data: 1)
        for number in 10..<12 { context.observer.onCompleted { _ in recorder.add(number) } }
        #expect(recorder.events == Array(0..<12))
    }

    @Test func aListenerThatAListenerAddsComesAfterThoseRegisteredBefore() {
        let context = Context<Int>()
        let observer = context.observer
        let recorder = Recorder<String>()
        observer.onCompleted { _ in
            recorder.add("first")
            observer.onCompleted { _ in
                recorder.add("added")
                observer.onCompleted { _ in recorder.add("added by the added") }
            }
        }
        observer.onCompleted { _ in recorder.add("second") }
        context.emit(data: 1)
        #expect(recorder.events == ["first", "second", "added", "added by the added"])
    }

    @Test func aListenerAddedByAnotherThreadDuringDeliveryIsCalledInTurnOnTheDeliveringThread() {
        let context = Context<Int>()
        let observer = context.observer
        let recorder = Recorder<String>()
        let settling = NamedQueue("settling")
        observer.onCompleted { _ in
            elsewhere { observer.onCompleted { _ in recorder.add("third on \(NamedQueue.current)") } }
            recorder.add("first on \(NamedQueue.current)")
        }
        observer.onCompleted { _ in recorder.add("second on \(NamedQueue.current)") }
        settling.queue.sync { _ = context.emit(data: 1) }
        #expect(recorder.events == ["first on settling", "second on settling", "third on settling"])
    }

    @Test func listenersRunOnTheThreadThatSettlesAndAtOnceWhenItIsSettled() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        let settling = NamedQueue("settling")
        let late = NamedQueue("late")
        context.observer.onCompleted { _ in recorder.add(NamedQueue.current) }
        settling.queue.sync { _ = context.emit(data: 1) }
        late.queue.sync { _ = context.observer.onCompleted { _ in recorder.add(NamedQueue.current) } }
        late.queue.sync { _ = Observer.emit(data: 1).onCompleted { _ in recorder.add(NamedQueue.current) } }
        #expect(recorder.events == ["settling", "late", "late"])
    }

    @Test(arguments: [true, false])
    func noLockIsHeldWhileListenersRun(cancels: Bool) {
        let context = Context<Int>()
        let observer = context.observer
        let recorder = Recorder<Bool>()
        let look: @Sendable () -> Void = {
            elsewhere {
                observer.cancel()
                observer.onSettled { _ in }
                _ = observer.map { $0 }
                recorder.add(context.isSettled && observer.outcome != nil && !context.emit(data: 2))
            }
        }
        context.onCancel(look)
        observer.onSettled { _ in look() }
        if cancels { observer.cancel() } else { context.emit(data: 1) }
        #expect(recorder.events == (cancels ? [true, true] : [true]))
    }

    @Test func callbacksReturnTheSameObserverSoThatTheyCanBeChained() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        let observer = context.observer
            .onCompleted { recorder.add("completed \($0)") }
            .onError { _ in recorder.add("error") }
            .onCanceled { recorder.add("canceled") }
            .defer { recorder.add("defer") }
        context.emit(data: 1)
        #expect(recorder.events == ["completed 1", "defer"])
        #expect(observer.outcome?.value == 1)
    }

    @Test func cancellingASettledObserverDoesNothing() {
        let settled = Observer.emit(data: 1)
        settled.cancel()
        #expect(settled.ending == "completed 1")
    }

    @Test func voidNeedsNoValue() async throws {
        let context = Context<Void>()
        let recorder = context.observer.recorded()
        #expect(context.emit())
        #expect(!context.emit())
        #expect(recorder.events == ["completed ()", "defer"])
        try await Observer.emit().value
    }

    @Test func anOutcomeTellsItsParts() throws {
        #expect(try Outcome.completed(1).get() == 1)
        #expect(throws: Oops()) { try Outcome<Int>.failed(Oops()).get() }
        #expect(throws: CancellationError.self) { try Outcome<Int>.canceled.get() }
        #expect(Outcome.completed(1).value == 1 && Outcome<Int>.failed(Oops()).value == nil)
        #expect(Outcome<Int>.failed(Oops()).error as? Oops == Oops() && Outcome.completed(1).error == nil)
        #expect(Outcome<Int>.canceled.isCanceled && !Outcome.completed(1).isCanceled)
    }
}
