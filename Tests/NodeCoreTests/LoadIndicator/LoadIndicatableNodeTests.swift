import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct LoadIndicatableNodeTests {
    /// An indicator that keeps what it was told and can be waited for.
    final class Lamp: LoadIndicator {
        let recorder = Recorder<String>()
        private let told = DispatchSemaphore(value: 0)

        func show() { tell("show") }
        func hide() { tell("hide") }

        private func tell(_ event: String) {
            recorder.add(event)
            told.signal()
        }

        /// What it has been told once that is `count` events more.
        func events(after count: Int) -> [String] {
            for _ in 0..<count { told.wait() }
            return recorder.events
        }
    }

    @Test(arguments: ObserverTests.ends)
    func theIndicatorIsOnFromTheSendingUntilTheEnd(end: Outcome<Int>) {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let context = Context<Int>()
        let node = LoadIndicatableNode<Int, Int>(
            next: ClosureNode { _ in
                #expect(activity.count == 1)
                return context.observer
            }, activity: activity)
        let observer = node.inline(1)
        #expect(lamp.events(after: 1) == ["show"])
        context.settle(end)
        #expect(activity.count == 0)
        #expect(lamp.events(after: 1) == ["show", "hide"])
        #expect(observer.ending == Observer(end).ending)
    }

    @Test func aCancelByTheConsumerTurnsItOff() {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let context = Context<Int>()
        let node = LoadIndicatableNode<Int, Int>(next: ClosureNode { _ in context.observer }, activity: activity)
        let observer = node.inline(1).map { $0 }
        observer.cancel()
        observer.cancel()
        #expect(!context.emit(data: 1))
        #expect(activity.count == 0)
        #expect(lamp.events(after: 2) == ["show", "hide"])
    }

    @Test func anAbandonedRequestTurnsItOff() {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let node = LoadIndicatableNode<Int, Int>(next: ClosureNode { _ in Context<Int>().observer }, activity: activity)
        #expect((node.inline(1).outcome?.error as? ChainError)?.code == .abandoned)
        #expect(activity.count == 0)
        #expect(lamp.events(after: 2) == ["show", "hide"])
    }

    @Test func theLastOfSeveralRequestsTurnsItOff() {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let contexts = (0..<3).map { _ in Context<Int>() }
        let node = LoadIndicatableNode<Int, Int>(next: ClosureNode { contexts[$0].observer }, activity: activity)
        let other = LoadIndicatableNode<Int, Int>(next: ClosureNode { contexts[$0].observer }, activity: activity)
        let observers = [node.inline(0), other.inline(1), node.inline(2)]
        #expect(activity.count == 3)
        contexts[0].emit(data: 1)
        contexts[1].emit(error: Oops())
        #expect(activity.count == 1)
        observers[2].cancel()
        #expect(activity.count == 0)
        #expect(lamp.events(after: 2) == ["show", "hide"])
    }

    @Test func executeIsCountedToo() async throws {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let node = LoadIndicatableNode<Int, Int>(
            next: ClosureNode(async: {
                #expect(activity.count == 1)
                return $0
            }), activity: activity)
        #expect(try await node.execute(1) == 1)
        #expect(activity.count == 0)
    }

    @Test func requestsOnManyThreadsShowAndHideInTurn() {
        let lamp = Lamp()
        let activity = LoadActivity(indicator: lamp)
        let node = LoadIndicatableNode<Int, Int>(
            next: ClosureNode { _ in Context<Int>().observer }, activity: activity)
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            let context = Context<Int>()
            let one = LoadIndicatableNode<Int, Int>(next: ClosureNode { _ in context.observer }, activity: activity)
            let observer = number % 2 == 0 ? one.inline(number) : node.inline(number)
            if number % 4 == 0 { observer.cancel() } else { context.emit(data: 1) }
        }
        #expect(activity.count == 0)
        // The last event follows the last count on the activity's queue: wait for as many as there have to be.
        var events = lamp.events(after: 2)
        while events.last != "hide" { events = lamp.events(after: 1) }
        #expect(events.enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? "show" : "hide") })
    }

    @Test func theSharedActivityCountsWithoutAnIndicator() async throws {
        let node = LoadIndicatableNode<Int, Bool>(
            next: ClosureNode { _ in .emit(data: LoadActivity.shared.count > 0) })
        #expect(try await node.execute(1))
    }
}
