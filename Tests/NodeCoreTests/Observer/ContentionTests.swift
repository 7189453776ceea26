import Dispatch
import NodeCore
import Synchronization
import Testing

/// Many threads at once; what counts is that everything happens exactly once.
@Suite struct ContentionTests {
    static let rounds = 300
    static let threads = 6

    @Test func oneOfManySettlersWinsAndEveryListenerIsCalledOnce() {
        for _ in 0..<ContentionTests.rounds {
            let context = Context<Int>()
            let observer = context.observer
            let wins = Atomic(0), calls = Atomic(0), cancels = Atomic(0)
            context.onCancel { cancels.add(1, ordering: .relaxed) }
            DispatchQueue.concurrentPerform(iterations: ContentionTests.threads) { thread in
                for _ in 0..<4 { observer.onSettled { _ in calls.add(1, ordering: .relaxed) } }
                switch thread % 3 {
                case 0: if context.emit(data: thread) { wins.add(1, ordering: .relaxed) }
                case 1: if context.emit(error: Oops()) { wins.add(1, ordering: .relaxed) }
                default: observer.cancel()
                }
                for _ in 0..<4 { observer.onSettled { _ in calls.add(1, ordering: .relaxed) } }
            }
            #expect(wins.load(ordering: .relaxed) + cancels.load(ordering: .relaxed) == 1)
            #expect(observer.outcome?.isCanceled == (cancels.load(ordering: .relaxed) == 1))
            #expect(calls.load(ordering: .relaxed) == ContentionTests.threads * 8)
        }
    }

    @Test func theOrderOfOneThreadsListenersHoldsUnderContention() {
        for _ in 0..<ContentionTests.rounds {
            let context = Context<Int>()
            let observer = context.observer
            let recorder = Recorder<(thread: Int, number: Int)>()
            DispatchQueue.concurrentPerform(iterations: ContentionTests.threads) { thread in
                for number in 0..<8 {
                    observer.onCompleted { _ in recorder.add((thread, number)) }
                    if thread == 0, number == 4 { context.emit(data: 1) }
                }
            }
            for thread in 0..<ContentionTests.threads {
                #expect(recorder.events.filter { $0.thread == thread }.map(\.number) == Array(0..<8))
            }
        }
    }

    @Test func listenersOfOneObserverNeverRunSideBySide() {
        for _ in 0..<ContentionTests.rounds {
            let context = Context<Int>()
            let observer = context.observer
            let running = Atomic(0), overlaps = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: ContentionTests.threads) { thread in
                if thread == 0 { context.emit(data: 1) }
                for _ in 0..<8 {
                    observer.onCompleted { _ in
                        if running.add(1, ordering: .relaxed).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
                        running.subtract(1, ordering: .relaxed)
                    }
                }
            }
            #expect(overlaps.load(ordering: .relaxed) == 0)
        }
    }

    @Test func aChainThatIsSettledAndCanceledAtOnceEndsOnceAndTheSame() {
        let queue = DispatchQueue(label: "chain", attributes: .concurrent)
        for round in 0..<ContentionTests.rounds {
            let first = Context<Int>(), second = Context<Int>(), third = Context<Int>()
            let chain = first.observer
                .map { $0 + 1 }
                .flatMap { value in second.observer.map { $0 + value } }
                .mapError { $0 }
                .combine(third.observer)
                .map { $0 + $1 }
                .dispatchOn(queue)
                .multicast()
            let calls = Atomic(0)
            let recorder = Recorder<String>()
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                chain.onSettled { _ in calls.add(1, ordering: .relaxed) }
                switch thread {
                case 0: first.emit(data: 1)
                case 1: second.emit(data: 2)
                case 2: third.emit(data: 3)
                default: if round % 2 == 0 { chain.cancel() }
                }
            }
            chain.onSettled { _ in
                recorder.add(chain.ending)
                done.signal()
            }
            done.wait()
            #expect(calls.load(ordering: .relaxed) == 4)
            #expect(recorder.events == [chain.ending])
            #expect(["completed 7", "canceled"].contains(chain.ending))
            if round % 2 == 1 { #expect(chain.ending == "completed 7") }
        }
    }

    @Test func theLastOfManySeatsCancelsTheWorkOnce() {
        for _ in 0..<ContentionTests.rounds {
            let context = Context<Int>()
            let cancels = Atomic(0)
            context.onCancel { cancels.add(1, ordering: .relaxed) }
            let seats = (0..<ContentionTests.threads).map { _ in context.observer.multicast() }
            DispatchQueue.concurrentPerform(iterations: seats.count) { seats[$0].cancel() }
            #expect(cancels.load(ordering: .relaxed) == 1)
        }
    }

    @Test func anObserverThatIsAbandonedUnderContentionFailsOrIsCanceled() {
        for _ in 0..<ContentionTests.rounds {
            let slot = Mutex<Context<Int>?>(Context())
            guard let observer = slot.withLock({ $0?.observer }) else { return }
            let calls = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 3) { thread in
                observer.onSettled { _ in calls.add(1, ordering: .relaxed) }
                switch thread {
                case 0: _ = slot.withLock { $0.take() }
                case 1: observer.cancel()
                default: observer.map { $0 }.cancel()
                }
            }
            #expect(calls.load(ordering: .relaxed) == 3)
            let code = (observer.outcome?.error as? ChainError)?.code
            #expect(observer.outcome?.isCanceled == true || code == .abandoned)
        }
    }
}
