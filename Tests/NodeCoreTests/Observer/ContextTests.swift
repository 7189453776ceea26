import Dispatch
import NodeCore
import Testing

@Suite struct ContextTests {
    @Test func aCancelReachesTheProducerBeforeTheListeners() {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.observer.onSettled { _ in recorder.add("listener") }
        context.onCancel { recorder.add("producer") }
        context.onCancel { recorder.add("producer's second") }
        context.observer.cancel()
        context.observer.cancel()
        #expect(recorder.events == ["producer", "producer's second", "listener"])
    }

    @Test func aCancelHandlerThatComesTooLateIsCalledAtOnce() {
        let context = Context<Int>()
        context.observer.cancel()
        let recorder = Recorder<String>()
        context.onCancel { recorder.add("late") }
        #expect(recorder.events == ["late"])
    }

    @Test(arguments: ObserverTests.ends)
    func aCancelHandlerIsNotCalledAfterAnEndByTheProducer(end: Outcome<Int>) {
        let context = Context<Int>()
        let recorder = Recorder<String>()
        context.onCancel { recorder.add("before") }
        context.settle(end)
        context.observer.cancel()
        context.onCancel { recorder.add("after") }
        #expect(recorder.events == [])
    }

    @Test func nothingButCancelIsHeardAfterACancel() {
        let context = Context<Int>()
        let recorder = context.observer.recorded()
        context.observer.cancel()
        #expect(!context.emit(data: 1))
        #expect(!context.emit(error: Oops()))
        #expect(recorder.events == ["canceled", "defer"])
        #expect(context.observer.recorded().events == ["canceled", "defer"])
    }

    @Test func aDroppedContextFailsItsObserver() throws {
        var context: Context<[String]>? = Context()
        let observer = try #require(context).observer
        let mapped = observer.map { $0.count }
        context = nil
        let error = try #require(observer.outcome?.error as? ChainError)
        #expect(error.code == .abandoned)
        #expect(
            error.description
                == "The producer of Observer<Array<String>> released its Context without settling it.")
        #expect((mapped.outcome?.error as? ChainError)?.description == error.description)
    }
}
