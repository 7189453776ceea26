import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct NodeTests {
    final class Plain: Node<Int, String>, @unchecked Sendable {}

    /// A node as a user writes it.
    final class Adder: Node<Int, Int>, @unchecked Sendable {
        let next: Node<Int, Int>

        init(next: Node<Int, Int>) { self.next = next }

        override func process(_ data: Int) -> Observer<Int> {
            next.process(data + 1).map { $0 * 10 }
        }
    }

    @Test func aNodeWithoutAnOverrideFailsAndNamesItself() async throws {
        let error = try #require(await Plain().process(1).settled.error as? ChainError)
        #expect(error.code == .notImplemented)
        #expect(
            error.description
                == "Plain overrides neither execute(_:) nor process(_:).")
        await #expect(throws: ChainError.self) { try await Plain().execute(1) }
        #expect("\(try #require(await Node<Int, Int>().process(1).settled.error))".hasPrefix("Node overrides neither"))
    }

    /// A new node may get the address of a released one.
    @Test func aTaskThatOutlivesItsNodeTakesNoOtherNodeForIt() async throws {
        let (next, result) = (Context<Node<Int, Int>>(), Context<Int>())
        let starting: @Sendable (Int) -> Observer<Int> = { data in
            Task {
                let outcome = await (try next.observer.value).process(1).settled
                result.settle(outcome)
            }
            return .emit(data: data)
        }
        let doubling: @Sendable (Int) async throws -> Int = { $0 * 2 }
        var starter: ClosureNode<Int, Int>? = ClosureNode(starting)
        _ = try await starter?.execute(1)
        let address = starter.map { ObjectIdentifier($0) }
        // They take the memory that is free already.
        var nodes = (0..<1000).map { _ in ClosureNode(async: doubling) }
        nodes.reserveCapacity(2000)
        starter = nil
        while nodes.count < 2000, nodes.last.map({ ObjectIdentifier($0) }) != address {
            nodes.append(ClosureNode(async: doubling))
        }
        next.emit(data: try #require(nodes.last))
        #expect(try await result.observer.value == 2)
    }

    @Test func aNodeHandsAChangedValueOnAndChangesTheAnswer() async throws {
        let chain = Adder(next: Adder(next: ClosureNode { .emit(data: $0) }))
        #expect(chain.process(1).ending == "completed 300")
        #expect(try await chain.execute(1) == 300)
    }

    @Test func aNodeWithoutInputIsCalledWithoutOne() async throws {
        let node = ClosureNode<Void, Int> { .emit(data: 1) }
        #expect(node.process().ending == "completed 1")
        #expect(try await node.execute() == 1)
        let silent = ClosureNode<Void, Void> { .emit() }
        try await silent.execute()
    }

    @Test func executeThrowsTheChainsOwnErrorAndACancelAsCancellation() async {
        await #expect(throws: Oops("a")) {
            try await ClosureNode<Int, Int> { _ in .emit(error: Oops("a")) }.execute(1)
        }
        await #expect(throws: CancellationError.self) {
            try await ClosureNode<Int, Int> { _ in Observer(.canceled) }.execute(1)
        }
    }

    @Test func executeInACancelledTaskSendsNothing() async {
        let recorder = Recorder<Int>()
        let node = ClosureNode<Int, Int> {
            recorder.add($0)
            return .emit(data: $0)
        }
        await #expect(throws: CancellationError.self) { try await cancelledTask { try await node.execute(1) }.value }
        #expect(recorder.events == [])
    }

    @Test func cancellingTheTaskOfExecuteCancelsTheChain() async {
        let context = Context<Int>()
        let (started, start) = AsyncStream<Void>.makeStream()
        let node = Adder(
            next: ClosureNode { _ in
                start.yield()
                return context.observer
            })
        let task = Task { try await node.execute(1) }
        for await _ in started { break }
        let (told, tell) = AsyncStream<Void>.makeStream()
        context.onCancel { tell.yield() }
        task.cancel()
        for await _ in told { break }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!context.emit(data: 1))
    }

    @Test @MainActor func executeStartsTheWorkOffTheMainActorAndResumesOnIt() async throws {
        let node = ClosureNode<Int, Bool> { _ in
            dispatchPrecondition(condition: .notOnQueue(.main))
            return .emit(data: true)
        }
        #expect(try await node.execute(1))
        MainActor.assertIsolated()
    }

    @Test func oneChainServesAThousandConcurrentCallsAndEachGetsItsOwnAnswer() async {
        let waiting = Mutex<[(Int, Context<Int>)]>([])
        let last = ClosureNode<Int, Int> { data in
            if data % 3 == 0 { return .emit(data: data) }
            let context = Context<Int>()
            waiting.withLock { $0.append((data, context)) }
            return context.observer
        }
        let queue = NamedQueue("answers")
        let chain = ChainConfiguratorNode(
            next: LoadIndicatableNode(
                next: Adder(next: Adder(next: last)), activity: LoadActivity()),
            answer: .dispatch(on: queue.queue))
        let answers = Mutex<[Int: [Int]]>([:])
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            chain.process(number).onCompleted { answer in
                answers.withLock { $0[number, default: []].append(answer) }
            }
        }
        await eventually { waiting.withLock { $0.count } == 667 }
        let contexts = waiting.withLock { $0 }
        DispatchQueue.concurrentPerform(iterations: contexts.count) { index in
            let (data, context) = contexts[contexts.count - 1 - index]
            context.emit(data: data)
        }
        await eventually { answers.withLock { $0.count } == 1_000 }
        let expected = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, [($0 + 2) * 100]) })
        #expect(answers.withLock { $0 } == expected)
    }

    @Test func aThousandTasksExecuteOneChain() async throws {
        let chain = ChainConfiguratorNode(
            next: Adder(
                next: ClosureNode(async: { data in
                    await Task.yield()
                    return data
                })))
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<1_000 { group.addTask { (number, try await chain.execute(number)) } }
            var count = 0
            for try await (number, answer) in group {
                count += 1
                #expect(answer == (number + 1) * 10)
            }
            #expect(count == 1_000)
        }
    }
}

/// Nodes that are written with `execute`, such that are written with `process`, and both in a chain.
@Suite(.timeLimit(.minutes(1))) struct BothWaysTests {
    @TaskLocal static var value = 0

    final class Old: Node<Int, Int>, @unchecked Sendable {
        let next: Node<Int, Int>
        let seen: Recorder<Int>

        init(_ next: Node<Int, Int>, _ seen: Recorder<Int> = Recorder()) {
            self.next = next
            self.seen = seen
        }

        override func process(_ data: Int) -> Observer<Int> {
            next.process(data + 1).map {
                self.seen.add(BothWaysTests.value)
                return $0 * 2
            }
        }
    }

    final class New: Node<Int, Int>, @unchecked Sendable {
        let next: Node<Int, Int>

        init(_ next: Node<Int, Int>) { self.next = next }

        override func execute(_ data: Int) async throws -> Int { try await next.execute(data + 1) * 2 }
    }

    final class Last: Node<Int, Int>, @unchecked Sendable {
        override func execute(_ data: Int) async throws -> Int { data }
    }

    final class OldLast: Node<Int, Int>, @unchecked Sendable {
        override func process(_ data: Int) -> Observer<Int> { .emit(data: data) }
    }

    /// The node of CoreNetKit's documentation.
    class WrapperNode: Node<Void, Void>, @unchecked Sendable {
        override func process(_ data: Void) -> Observer<Void> { Observer(async: {}) }
    }

    final class Calling: Node<Int, Int>, @unchecked Sendable {
        override func process(_ data: Int) -> Observer<Int> { super.process(data) }
    }

    final class CallingNew: Node<Int, Int>, @unchecked Sendable {
        override func execute(_ data: Int) async throws -> Int { try await super.execute(data) }
    }

    @Test func theyWorkInAnyOrderAndCalledEitherWay() async throws {
        let seen = Recorder<Int>()
        for last in [Last(), OldLast()] as [Node<Int, Int>] {
            let chain = New(Old(Old(New(New(Old(last, seen))), seen), seen))
            let values = try await Self.$value.withValue(5) {
                [try await chain.execute(0), try await chain.process(0).value, try await Old(chain).process(0).value]
            }
            #expect(values == [6 * 64, 6 * 64, 7 * 128])
        }
        #expect(seen.events.count == 18 && seen.events.allSatisfy { $0 == 5 })
        try await WrapperNode().execute()
        try await WrapperNode().process().value
    }

    @Test func aNodeThatOverridesNeitherFailsWhereverItIs() async {
        for node in [Calling(), CallingNew(), Node<Int, Int>()] {
            for chain in [node, New(node), Old(node), New(Old(node))] {
                for outcome in [await Outcome.of { try await chain.execute(1) }, await chain.process(1).settled] {
                    #expect((outcome.error as? ChainError)?.code == .notImplemented)
                }
            }
        }
    }

    @Test func aCancelReachesTheLastNodeThroughBoth() async {
        let context = Context<Int>()
        let (started, start) = AsyncStream<Void>.makeStream()
        let chain = New(
            Old(
                New(
                    ClosureNode { _ in
                        start.yield()
                        return context.observer
                    })))
        let observer = chain.process(1)
        for await _ in started { break }
        observer.cancel()
        #expect(observer.ending == "canceled")
        await eventually { context.isSettled }
        #expect(context.observer.ending == "canceled")
    }
}
