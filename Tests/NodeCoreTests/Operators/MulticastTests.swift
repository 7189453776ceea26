import Dispatch
import NodeCore
import TestSupport
import Testing

@Suite struct MulticastTests {
    @Test(arguments: ObserverTests.ends)
    func everyCopyEndsAsTheWorkDoes(end: Outcome<Int>) {
        let context = Context<Int>()
        let copies = (0..<3).map { _ in context.observer.multicast() }
        context.settle(end)
        #expect(copies.map(\.ending) == Array(repeating: Observer(end).ending, count: 3))
        #expect(context.observer.multicast().ending == Observer(end).ending)
        #expect(Observer(end).multicast().ending == Observer(end).ending)
    }

    @Test func cancellingOneCopyEndsThatOneOnly() {
        let context = Context<Int>()
        let (canceled, kept) = (context.observer.multicast(), context.observer.multicast())
        let events = (canceled.recorded(), kept.recorded())
        canceled.cancel()
        canceled.cancel()
        #expect(!context.isSettled)
        context.emit(data: 1)
        #expect(events.0.events == ["canceled", "defer"])
        #expect(events.1.events == ["completed 1", "defer"])
    }

    @Test func cancellingTheLastCopyCancelsTheWork() {
        let context = Context<Int>()
        let (one, two) = (context.observer.multicast(), context.observer.multicast())
        one.cancel()
        one.cancel()
        #expect(!context.isSettled)
        two.cancel()
        #expect(context.observer.ending == "canceled")
    }

    @Test(.timeLimit(.minutes(1))) func aRunWaitsForACopyOfWorkThatDeliversOnAQueue() async throws {
        let context = Context<Int>()
        let shared = context.observer.dispatchOn(NamedQueue("shared").queue)
        let isStarted = Context<Void>()
        let node = ClosureNode<Void, Int> {
            defer { isStarted.emit() }
            return shared.multicast()
        }
        let value = Task { try await node.execute() }
        try await isStarted.observer.value
        context.emit(data: 1)
        #expect(try await value.value == 1)
    }

    @Test(.timeLimit(.minutes(1))) func aRunDoesNotWaitForTheQueueOfWorkThatHasEnded() async throws {
        let queue = NamedQueue("blocked").queue
        let context = Context<Int>()
        let work = context.observer.dispatchOn(queue)
        context.emit(data: 1)
        _ = try await work.value
        queue.sync {}
        queue.suspend()
        defer { queue.resume() }
        let node = ClosureNode<Void, Int> { work }
        #expect(try await node.execute() == 1)
    }

    @Test func cancellingTheWorkCancelsEveryCopy() {
        let context = Context<Int>()
        let copies = (0..<2).map { _ in context.observer.multicast() }
        context.observer.cancel()
        #expect(copies.map(\.ending) == ["canceled", "canceled"])
    }

    @Test func aCopyOfACopyHoldsItsSeat() {
        let context = Context<Int>()
        let copy = context.observer.multicast()
        let (one, two) = (copy.multicast(), copy.multicast())
        one.cancel()
        #expect(!context.isSettled)
        two.cancel()
        #expect(context.observer.ending == "canceled")
    }
}
