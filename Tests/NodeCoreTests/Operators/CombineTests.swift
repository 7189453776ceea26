import NodeCore
import Testing

@Suite struct CombineTests {
    /// Ends both works in all the ways that they can: before, in this order, in the other order.
    static func all<Joined: Sendable>(
        _ first: Outcome<Int>, _ second: Outcome<String>,
        _ operation: (Observer<Int>, Observer<String>) -> Observer<Joined>
    ) -> Set<String> {
        let one = Context<Int>(), two = Context<String>()
        let inOrder = operation(one.observer, two.observer)
        one.settle(first)
        two.settle(second)
        let three = Context<Int>(), four = Context<String>()
        let inOtherOrder = operation(three.observer, four.observer)
        four.settle(second)
        three.settle(first)
        let five = Context<Int>(), six = Context<String>()
        let oneThere = operation(Observer(first), six.observer)
        six.settle(second)
        let otherThere = operation(five.observer, Observer(second))
        five.settle(first)
        let settled = operation(Observer(first), Observer(second))
        return Set([inOrder, inOtherOrder, oneThere, otherThere, settled].map(\.ending))
    }

    @Test func combineGivesBothValues() {
        #expect(CombineTests.all(.completed(1), .completed("a")) { $0.combine($1) } == ["completed (1, \"a\")"])
    }

    @Test func combineFailsOrIsCanceledWithEither() {
        let error = "error \(Oops())"
        #expect(CombineTests.all(.failed(Oops()), .completed("a")) { $0.combine($1) } == [error])
        #expect(CombineTests.all(.completed(1), .failed(Oops())) { $0.combine($1) } == [error])
        #expect(CombineTests.all(.canceled, .completed("a")) { $0.combine($1) } == ["canceled"])
        #expect(CombineTests.all(.completed(1), .canceled) { $0.combine($1) } == ["canceled"])
    }

    @Test func combineToleranceForgivesOneError() {
        #expect(
            CombineTests.all(.completed(1), .completed("a")) { $0.combineTolerance($1) }
                == ["completed (Optional(1), Optional(\"a\"))"])
        #expect(
            CombineTests.all(.failed(Oops()), .completed("a")) { $0.combineTolerance($1) }
                == ["completed (nil, Optional(\"a\"))"])
        #expect(
            CombineTests.all(.completed(1), .failed(Oops())) { $0.combineTolerance($1) }
                == ["completed (Optional(1), nil)"])
        #expect(
            CombineTests.all(.failed(Oops("first")), .failed(Oops("second"))) { $0.combineTolerance($1) }
                == ["error \(Oops("first"))"])
        #expect(CombineTests.all(.canceled, .failed(Oops())) { $0.combineTolerance($1) } == ["canceled"])
        #expect(CombineTests.all(.completed(1), .canceled) { $0.combineTolerance($1) } == ["canceled"])
    }

    @Test func theFirstErrorCancelsTheOtherWorkBeforeListenersHearOfIt() {
        for isFirst in [true, false] {
            let one = Context<Int>(), two = Context<Int>()
            let recorder = Recorder<String>()
            one.observer.combine(two.observer).onError { recorder.add("\($0)") }
            let (failing, running) = isFirst ? (one, two) : (two, one)
            running.onCancel { recorder.add("canceled") }
            failing.emit(error: Oops())
            #expect(recorder.events == ["canceled", "\(Oops())"])
        }
    }

    @Test func combineToleranceLetsTheOtherWorkRunAfterAnError() {
        let one = Context<Int>(), two = Context<Int>()
        let observer = one.observer.combineTolerance(two.observer)
        one.emit(error: Oops())
        #expect(!two.isSettled)
        #expect(observer.ending == "running")
    }

    @Test(arguments: [true, false])
    func aCancelOfTheResultReachesBoth(tolerates: Bool) {
        let one = Context<Int>(), two = Context<Int>()
        if tolerates {
            one.observer.combineTolerance(two.observer).cancel()
        } else {
            one.observer.combine(two.observer).cancel()
        }
        #expect(one.observer.ending == "canceled")
        #expect(two.observer.ending == "canceled")
    }

    @Test func anObserverMayBeCombinedWithItself() {
        let context = Context<Int>()
        let observer = context.observer.combine(context.observer)
        context.emit(data: 1)
        #expect(observer.ending == "completed (1, 1)")
    }
}
