import Dispatch
import NodeCore
import Testing

/// Work that runs on a queue.
struct QueueTests {
    let one = NamedQueue("one")

    @Test(arguments: ObserverTests.ends)
    func theWorkAndWhatListensToItRunThere(end: Outcome<Int>) {
        let recorder = Recorder<String>()
        let observer = Observer(on: one.queue) {
            recorder.add("work on \(NamedQueue.current)")
            return end
        }
        observer.onSettled { _ in recorder.add("listener on \(NamedQueue.current)") }
        one.drain()
        #expect(observer.ending == Observer(end).ending)
        observer.onSettled { _ in recorder.add("late on \(NamedQueue.current)") }
        one.drain()
        #expect(recorder.events == ["work on one", "listener on one", "late on one"])
    }

    @Test func workThatIsCancelledInTheQueueIsNotDone() {
        let queue = DispatchQueue(label: "busy", attributes: .initiallyInactive)
        let observer = Observer<Int>(on: queue) {
            Issue.record("it ran")
            return .completed(1)
        }
        observer.cancel()
        queue.activate()
        queue.sync {}
        #expect(observer.ending == "canceled")
    }
}
