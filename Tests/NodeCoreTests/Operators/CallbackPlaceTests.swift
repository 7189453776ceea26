import Dispatch
import NodeCore
import TestSupport
import Testing

/// Where operators that an application adds to a chain call their listeners: on the chain's queue for callbacks, however
/// the work ends.
@Suite struct CallbackPlaceTests {
    private let callbacks = NamedQueue("callbacks")
    private let places = Recorder<String>()

    /// A chain whose work goes on until the test ends it.
    private func chain(_ context: Context<Int>, work: ExecutionPlace = .concurrent) -> Node<Void, Int> {
        ChainConfiguratorNode(
            next: ClosureNode<Void, Int> { context.observer }, work: work, answer: .dispatch(on: callbacks.queue))
    }

    /// The places where `observer` reports its end: before the end of the work, and in order.
    private func place<Value: Sendable>(
        _ observer: Observer<Value>, _ event: () -> Void
    ) async -> String {
        let (ends, end) = AsyncStream<String>.makeStream()
        observer.defer { end.yield(NamedQueue.current) }
        event()
        for await place in ends { return place }
        return "canceled"
    }

    @Test(arguments: [true, false])
    func aCombinedFailureArrivesOnTheQueueThoughTheOtherWorkRuns(isFirst: Bool) async {
        let (failing, running) = (Context<Int>(), Context<Int>())
        let works = (chain(failing).process(()), chain(running).process(()))
        let both = isFirst ? works.0.combine(works.1) : works.1.combine(works.0)
        #expect(await place(both.map { $0 }) { failing.emit(error: Oops()) } == "callbacks")
    }

    @Test func anOperatorBehindTheQueueIsCanceledOnIt() async {
        let work = chain(Context<Int>()).process(())
        work.defer { places.add("work on \(NamedQueue.current)") }
        let mapped = work.map { $0 + 1 }
        mapped.defer { places.add("first map on \(NamedQueue.current)") }
        let last = mapped.map { $0 + 1 }
        #expect(await place(last) { last.cancel() } == "callbacks")
        #expect(places.events == ["work on callbacks", "first map on callbacks"])
    }

    @Test func eachQueueHasTheCancelOfItsOperators() async {
        let other = NamedQueue("other")
        let context = Context<Int>()
        let work = context.observer.dispatchOn(callbacks.queue)
        let mapped = work.map { $0 + 1 }
        mapped.defer { places.add(NamedQueue.current) }
        let last = mapped.dispatchOn(other.queue).map { $0 + 1 }
        #expect(await place(last) { last.cancel() } == "other")
        callbacks.drain()
        #expect(places.events == ["callbacks"])
        #expect(context.observer.ending == "canceled")
    }

    @Test func aCanceledCopyReportsAtOnceAndTheOtherGoesOn() async throws {
        let context = Context<Int>()
        let work = chain(context).process(())
        let (canceled, kept) = (work.multicast(), work.multicast())
        #expect(await place(canceled) { canceled.cancel() } == "callbacks")
        #expect(!context.isSettled)
        context.emit(data: 7)
        #expect(try await kept.value == 7)
    }

    @Test(arguments: [true, false])
    func aCopyThatIsCanceledBeforeTheStartLeavesTheWorkToTheOthers(hasQueue: Bool) async throws {
        let start = DispatchQueue(label: "start", attributes: .initiallyInactive)
        let chain = ChainConfiguratorNode(
            next: ClosureNode<Void, Int> { .emit(data: 7) }, work: .dispatch(on: start),
            answer: hasQueue ? .dispatch(on: callbacks.queue) : .inPlace)
        let work = chain.process(())
        let (canceled, kept) = (work.multicast(), work.multicast())
        canceled.cancel()
        start.activate()
        #expect(try await kept.value == 7)
        #expect(canceled.ending == "canceled")
    }
}
