import Dispatch
import NodeCore
import TestSupport
import Testing

@Suite struct DispatchOnTests {
    let one = NamedQueue("one")
    let two = NamedQueue("two")

    @Test(arguments: ObserverTests.ends)
    func listenersAreCalledOnTheQueueInOrderHoweverItEnds(end: Outcome<Int>) {
        let context = Context<Int>()
        for work in [context.observer, Observer(end)] {
            let observer = work.dispatchOn(one.queue)
            let recorder = Recorder<String>()
            for number in 0..<3 { observer.onSettled { _ in recorder.add("\(number) on \(NamedQueue.current)") } }
            context.settle(end)
            one.drain()
            #expect(recorder.events == ["0 on one", "1 on one", "2 on one"])
            observer.onSettled { _ in recorder.add("late on \(NamedQueue.current)") }
            one.drain()
            #expect(recorder.events.last == "late on one")
        }
    }

    @Test func aCancelIsDeliveredOnTheQueue() {
        let context = Context<Int>()
        let observer = context.observer.dispatchOn(one.queue)
        let recorder = Recorder<String>()
        observer.onCanceled { recorder.add(NamedQueue.current) }
        observer.cancel()
        one.drain()
        #expect(recorder.events == ["one"])
        #expect(context.observer.ending == "canceled")
    }

    @Test func theLastHopDecidesAndOperatorsBetweenRunOnTheirs() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.observer
            .dispatchOn(one.queue)
            .map { value in
                recorder.add("map on \(NamedQueue.current)")
                return value
            }
            .dispatchOn(two.queue)
            .onCompleted { _ in recorder.add("listener on \(NamedQueue.current)") }
        context.emit(data: 1)
        one.drain()
        two.drain()
        #expect(recorder.events == ["map on one", "listener on two"])
    }

    @Test func aConcurrentQueueKeepsTheOrderOfListeners() {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        for _ in 0..<100 {
            let context = Context<Int>()
            let observer = context.observer.dispatchOn(queue)
            let recorder = Recorder<Int>()
            let done = DispatchSemaphore(value: 0)
            for number in 0..<4 { observer.onCompleted { _ in recorder.add(number) } }
            context.emit(data: 1)
            for number in 4..<8 { observer.onCompleted { _ in recorder.add(number) } }
            observer.defer { done.signal() }
            done.wait()
            #expect(recorder.events == Array(0..<8))
        }
    }
}
