import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

/// Long chains of operators, on a thread of 512 KiB.
@Suite(.timeLimit(.minutes(2)))
struct StackTests {
    /// Work that a test ends, one after the other.
    final class Waiting: Sendable {
        private let contexts = Mutex<[Context<Void>]>([])

        /// Work that ends later.
        func work() -> Observer<Void> {
            let context = Context<Void>()
            contexts.withLock { $0.append(context) }
            return context.observer
        }

        /// Ends all of it, also what comes meanwhile; at most so many.
        func endAll(most: Int = .max) {
            var count = 0
            while count < most, let context = contexts.withLock({ $0.popLast() }) {
                context.emit()
                count += 1
            }
        }
    }

    @Sendable private static func countdown(_ count: Int, _ waiting: Waiting) -> Observer<Int> {
        waiting.work().flatMap { count == 0 ? .emit(data: 7) : countdown(count - 1, waiting) }
    }

    @Test(arguments: [false, true]) func aLongChainOfOperatorsNeedsAConstantStack(isSettled: Bool) {
        onSmallStack {
            let context = Context<Int>()
            var observer = isSettled ? Observer.emit(data: 0) : context.observer
            for _ in 0..<100_000 { observer = observer.flatMap { .emit(data: $0 + 1) } }
            context.emit(data: 0)
            #expect(observer.outcome?.value == 100_000)
        }
    }

    /// Work that has ended when the operator gets it, and whose listeners have been called.
    @Test func aLongChainOfEndedWorkNeedsAConstantStack() {
        onSmallStack {
            let context = Context<Int>()
            var observer = context.observer
            for _ in 0..<100_000 {
                observer = observer.flatMap { number in
                    let next = Context<Int>()
                    next.emit(data: number + 1)
                    return next.observer
                }
            }
            context.emit(data: 0)
            #expect(observer.outcome?.value == 100_000)
        }
    }

    @Test func cancelingALongChainNeedsAConstantStack() {
        onSmallStack {
            let context = Context<Int>()
            var observer = context.observer
            for _ in 0..<100_000 { observer = observer.map { $0 + 1 } }
            observer.cancel()
            #expect(context.isSettled && observer.outcome?.isCanceled == true)
        }
    }

    @Test func cancelingAFoldOfCombineNeedsAConstantStack() {
        onSmallStack {
            let contexts = (0..<100_000).map { _ in Context<Int>() }
            var observer = Observer.emit(data: 0)
            for context in contexts { observer = observer.combine(context.observer).map { $0 + $1 } }
            observer.cancel()
            #expect(contexts.allSatisfy(\.isSettled) && observer.outcome?.isCanceled == true)
        }
    }

    @Test func aRecursionOfFlatMapOnWorkInProgressNeedsAConstantStack() {
        onSmallStack {
            let waiting = Waiting()
            let observer = Self.countdown(1_000_000, waiting)
            waiting.endAll()
            #expect(observer.outcome?.value == 7)
        }
    }

    /// One thread starts all the work and ends it: what ended before its `flatMap` would call the closure within this call.
    @Test func theSameInATask() async throws {
        let node = ClosureNode<Void, Int> {
            let waiting = Waiting()
            let observer = Self.countdown(20_000, waiting)
            DispatchQueue.global().async { waiting.endAll() }
            return observer
        }
        #expect(try await node.execute() == 7)
    }

    @Test func cancelingItNeedsAConstantStackToo() {
        onSmallStack {
            let waiting = Waiting()
            let observer = Self.countdown(400_000, waiting)
            waiting.endAll(most: 200_000)
            let ends = Recorder<String>()
            observer.onCanceled { ends.add("canceled") }
            observer.cancel()
            #expect(ends.events == ["canceled"])
            waiting.endAll()
            #expect(observer.outcome?.isCanceled == true)
        }
    }

    @Test func aFailureAtTheEndOfItArrives() {
        @Sendable func failing(_ count: Int, _ waiting: Waiting) -> Observer<Int> {
            waiting.work().flatMap { () -> Observer<Int> in
                if count == 0 { throw Oops() }
                return failing(count - 1, waiting)
            }
        }
        onSmallStack {
            let waiting = Waiting()
            let observer = failing(100_000, waiting)
            waiting.endAll()
            #expect(observer.outcome?.error is Oops)
        }
    }
}
