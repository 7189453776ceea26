import Dispatch
import NodeCore
import TestSupport
import Testing

@Suite struct ChainConfiguratorNodeTests {
    let begin = NamedQueue("begin")
    let end = NamedQueue("end")

    @Test func theChainRunsOnOneQueueAndAnswersOnAnother() {
        let recorder = Recorder<String>()
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode {
                recorder.add("work on \(NamedQueue.current)")
                return .emit(data: $0)
            }, beginQueue: begin.queue, endQueue: end.queue)
        node.process(1).onCompleted { recorder.add("answer \($0) on \(NamedQueue.current)") }
        begin.drain()
        end.drain()
        #expect(recorder.events == ["work on begin", "answer 1 on end"])
    }

    @Test(arguments: ObserverTests.ends)
    func anAnswerThatComesLaterArrivesToo(answer: Outcome<Int>) {
        let context = Context<Int>()
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode { _ in context.observer }, beginQueue: begin.queue, endQueue: end.queue)
        let recorder = node.process(1).recorded()
        begin.drain()
        end.drain()
        #expect(recorder.events == [])
        context.settle(answer)
        begin.drain()
        end.drain()
        #expect(recorder.events == Observer(answer).recorded().events)
    }

    @Test func byDefaultItWorksInTheBackgroundAndAnswersOnMain() async {
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode {
                dispatchPrecondition(condition: .notOnQueue(.main))
                return .emit(data: $0)
            })
        let (answers, answer) = AsyncStream<Int>.makeStream()
        node.process(1).onCompleted {
            dispatchPrecondition(condition: .onQueue(.main))
            answer.yield($0)
        }
        for await value in answers {
            #expect(value == 1)
            break
        }
    }

    @Test func inPlaceListenersAreCalledWhereTheNodesRan() async {
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode { .emit(data: $0) }, work: .dispatch(on: begin.queue), answer: .inPlace)
        let (places, place) = AsyncStream<String>.makeStream()
        begin.queue.suspend()
        node.process(1).onCompleted { _ in place.yield(NamedQueue.current) }
        begin.queue.resume()
        for await place in places {
            #expect(place == "begin")
            break
        }
    }

    @Test func aCancelStopsWorkThatWaitsInTheQueue() {
        let recorder = Recorder<String>()
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode {
                recorder.add("work")
                return .emit(data: $0)
            }, beginQueue: begin.queue, endQueue: end.queue)
        begin.queue.suspend()
        let observer = node.process(1)
        let events = observer.recorded()
        observer.cancel()
        begin.queue.resume()
        begin.drain()
        end.drain()
        #expect(recorder.events == [])
        #expect(events.events == ["canceled", "defer"])
    }

    @Test func aCancelReachesTheWorkThatHasStartedAndTheAnswerThatWaits() {
        let context = Context<Int>()
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode { _ in context.observer }, beginQueue: begin.queue, endQueue: end.queue)
        let started = node.process(1)
        begin.drain()
        started.cancel()
        #expect(context.observer.ending == "canceled")

        let ready = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode { .emit(data: $0) }, beginQueue: begin.queue, endQueue: end.queue)
        end.queue.suspend()
        let waiting = ready.process(1)
        let events = waiting.recorded()
        begin.drain()
        waiting.cancel()
        end.queue.resume()
        end.drain()
        #expect(events.events == ["canceled", "defer"])
    }

    @Test func executeGoesPastBothQueues() async throws {
        begin.queue.suspend()
        end.queue.suspend()
        let node = ChainConfiguratorNode<Int, Int>(
            next: LoadIndicatableNode(
                next: ChainConfiguratorNode(
                    next: ClosureNode { .emit(data: $0) }, beginQueue: begin.queue, endQueue: end.queue),
                activity: LoadActivity()),
            beginQueue: begin.queue, endQueue: end.queue)
        #expect(try await node.execute(1) == 1)
        let under = LoadIndicatableNode(next: node, activity: LoadActivity())
        #expect(try await under.execute(2) == 2)
        begin.queue.resume()
        end.queue.resume()
    }

    @Test func awaitOnTheObserverWaitsForTheWorkOnlyAndNotForTheAnswersQueue() async throws {
        end.queue.suspend()
        let node = ChainConfiguratorNode<Int, Int>(
            next: ClosureNode { .emit(data: $0) }, beginQueue: begin.queue, endQueue: end.queue)
        #expect(try await node.process(1).value == 1)
        end.queue.resume()
    }
}
