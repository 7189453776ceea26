import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

/// Recursions through operators, on a thread of 512 KiB.
@Suite(.timeLimit(.minutes(2)))
struct StackTests {
    /// How a round of the recursion ends.
    enum Round: CaseIterable {
        case atOnce, settledBefore, settledLater

        /// Work that ends so. What ends later is put into `waiting`.
        func work(_ waiting: Waiting) -> Observer<Void> {
            switch self {
            case .atOnce: return .emit()
            case .settledBefore:
                let context = Context<Void>()
                context.emit()
                return context.observer
            case .settledLater:
                let context = Context<Void>()
                waiting.add(context)
                return context.observer
            }
        }
    }

    /// Work that is ended one after the other, each by the stack's outermost frame.
    final class Waiting: Sendable {
        private let contexts = Mutex<[Context<Void>]>([])

        private let isEndingAll: Bool

        /// - Parameter isEndingAll: whether another thread ends each at once.
        init(isEndingAll: Bool = false) { self.isEndingAll = isEndingAll }

        func add(_ context: Context<Void>) {
            if isEndingAll { return DispatchQueue.global().async { context.emit() } }
            contexts.withLock { $0.append(context) }
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

    @Sendable private static func countdown(_ count: Int, _ round: Round, _ waiting: Waiting) -> Observer<Int> {
        round.work(waiting).flatMap { count == 0 ? .emit(data: 7) : countdown(count - 1, round, waiting) }
    }

    @Test(arguments: Round.allCases) func aRecursionOfFlatMapNeedsAConstantStack(round: Round) {
        onSmallStack {
            let waiting = Waiting()
            // What ends later is the usual case, and takes the least time here.
            let observer = Self.countdown(round == .settledLater ? 1_000_000 : 100_000, round, waiting)
            waiting.endAll()
            #expect(observer.outcome?.value == 7)
        }
    }

    @Test(arguments: Round.allCases) func theSameInATask(round: Round) async throws {
        let node = ClosureNode<Void, Int> {
            let waiting = Waiting(isEndingAll: true)
            return Self.countdown(20_000, round, waiting)
        }
        #expect(try await node.execute() == 7)
    }

    @Test func cancelingItNeedsAConstantStackToo() {
        onSmallStack {
            let waiting = Waiting()
            let observer = Self.countdown(400_000, .settledLater, waiting)
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
            Round.settledLater.work(waiting).flatMap { () -> Observer<Int> in
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
