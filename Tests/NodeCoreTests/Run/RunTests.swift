import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

/// Where the nodes of a run run, and what they know of their caller.
@Suite(.timeLimit(.minutes(1)))
struct RunTests {
    @TaskLocal static var value = 0

    let queue = NamedQueue("one")

    /// A node that is answered from a thread which knows nothing of the run, and tells what it sees on the way up.
    private func node(_ seen: Recorder<Int>) -> Node<Int, Int> {
        ClosureNode { number in
            seen.add(RunTests.value)
            let context = Context<Int>()
            DispatchQueue.global().async { context.emit(data: number) }
            return context.observer
                .map { value in
                    seen.add(RunTests.value)
                    return value
                }
                .flatMap { value -> Observer<Int> in
                    seen.add(RunTests.value)
                    return .emit(data: value)
                }
        }
    }

    @Test func theNodesOfAnExecutionRunInTheCallersTask() async throws {
        let seen = Recorder<Int>()
        let value = try await RunTests.$value.withValue(7) { try await node(seen).execute(1) }
        #expect(value == 1)
        #expect(seen.events == [7, 7, 7])
    }

    @Test(arguments: [false, true]) func theNodesOfAProcessRunInOneTask(isOnQueue: Bool) async throws {
        let seen = Recorder<Int>()
        let names = Recorder<String>()
        let end = NamedQueue("end")
        let chain = ChainConfiguratorNode(
            next: ClosureNode<Int, Int> { [node = node(seen)] number in
                names.add(NamedQueue.current)
                return node.process(number).map { value in
                    names.add(NamedQueue.current)
                    return value
                }
            }, work: isOnQueue ? .dispatch(on: queue.queue) : .concurrent, answer: .dispatch(on: end.queue))
        let (callbacks, callback) = AsyncStream<(Int, String)>.makeStream()
        RunTests.$value.withValue(8) {
            _ = chain.process(1).onCompleted { _ in callback.yield((RunTests.value, NamedQueue.current)) }
        }
        for await (value, name) in callbacks {
            #expect(value == 8 && name == "end")
            break
        }
        #expect(seen.events == [8, 8, 8])
        // The closure of an operator is called where its work ends.
        #expect(names.events.first == (isOnQueue ? "one" : "none"))
    }

    @Test func theCallersPriorityHoldsToTheEnd() async throws {
        let seen = Recorder<TaskPriority>()
        let node = ClosureNode<Int, Int> { number in
            seen.add(Task.currentPriority)
            return Observer.after(.milliseconds(1)).map {
                seen.add(Task.currentPriority)
                return number
            }
        }
        let chain = ChainConfiguratorNode(next: node, answer: .inPlace)
        _ = try await Task(priority: .high) { try await node.execute(1) + chain.process(1).value }.value
        #expect(seen.events.count == 4 && seen.events.allSatisfy { $0 >= .high })
    }

    @Test func withoutAQueueListenersAreCalledWhereTheWorkEnds() {
        let context = Context<Int>()
        let names = Recorder<String>()
        context.observer.map { $0 + 1 }.onCompleted { _ in names.add(NamedQueue.current) }
        queue.queue.sync { _ = context.emit(data: 1) }
        #expect(names.events == ["one"])
    }

    /// Code of the main actor may be called from a callback on the main queue.
    @Test func callbacksOnTheMainQueueAreTheMainActors() async {
        let node = ChainConfiguratorNode(next: ClosureNode<Int, Int> { .emit(data: $0) })
        let (callbacks, callback) = AsyncStream<Int>.makeStream()
        node.process(4).onCompleted { value in MainActor.assumeIsolated { _ = callback.yield(value) } }
        for await value in callbacks {
            #expect(value == 4)
            break
        }
    }

    /// A node may call a chain that names queues for its callbacks: nobody serves these queues here.
    @Test func aChainThatANodeCallsJoinsTheRun() async throws {
        let idle = DispatchQueue(label: "idle", attributes: .initiallyInactive)
        defer { idle.activate() }
        let seen = Recorder<Int>()
        let inner = ChainConfiguratorNode(next: node(seen), work: .dispatch(on: idle), answer: .dispatch(on: idle))
        let outer = ClosureNode<Int, Int> { number in
            Observer.after(.milliseconds(1)).flatMap { inner.process(number) }
        }
        #expect(try await RunTests.$value.withValue(3) { try await outer.execute(1) } == 1)
        #expect(seen.events == [3, 3, 3])
    }

    /// What a listener of the caller's starts is a run of its own.
    @Test func aChainThatACallbackStartsDoesNotJoin() async throws {
        let first = ChainConfiguratorNode(next: ClosureNode<Int, Int> { .emit(data: $0) }, answer: .inPlace)
        let second = ChainConfiguratorNode(
            next: ClosureNode<Int, Int> { .emit(data: $0) }, answer: .dispatch(on: queue.queue))
        let (callbacks, callback) = AsyncStream<String>.makeStream()
        first.process(1).onCompleted { value in
            second.process(value).onCompleted { _ in callback.yield(NamedQueue.current) }
        }
        for await name in callbacks {
            #expect(name == "one")
            break
        }
    }

    @Test func anExecutionInsideARunIsARunOfItsOwn() async throws {
        let seen = Recorder<Int>()
        let inner = node(seen)
        let outer = ClosureNode<Int, Int> { number in
            Observer(async: { try await RunTests.$value.withValue(5) { try await inner.execute(number) } })
                .map { value in
                    seen.add(RunTests.value)
                    return value
                }
        }
        _ = try await RunTests.$value.withValue(4) { try await outer.execute(1) }
        #expect(seen.events == [5, 5, 5, 4])
    }

    // MARK: Work of other runs

    @Test(arguments: [false, true]) func aClosureOnAnotherRunsWorkIsCalledInTheRunThatPutsItThere(isShared: Bool)
        async throws
    {
        let context = Context<Int>()
        let (starts, start) = AsyncStream<Observer<Int>>.makeStream()
        let first = Task {
            try await RunTests.$value.withValue(1) {
                try await ClosureNode<Void, Int> {
                    // It belongs to the first run.
                    let work = context.observer.map { $0 }
                    start.yield(work)
                    return work.map { $0 * RunTests.value }
                }.execute()
            }
        }
        var work: Observer<Int>?
        for await started in starts {
            work = started
            break
        }
        let shared = try #require(work)
        let isAdded = Context<Void>()
        let second = Task {
            try await RunTests.$value.withValue(2) {
                try await ClosureNode<Void, Int> {
                    let result = (isShared ? shared.multicast() : shared).map { $0 * RunTests.value }
                    isAdded.emit()
                    return result
                }.execute()
            }
        }
        try await isAdded.observer.value
        DispatchQueue.global().async { context.emit(data: 10) }
        #expect(try await first.value == 10)
        #expect(try await second.value == 20)
    }

    @Test func workThatOutlivesItsRunEndsOnTheThreadThatEndsIt() async throws {
        let context = Context<Int>()
        let left = Mutex<Observer<String>?>(nil)
        let node = ClosureNode<Void, Int> {
            let late = context.observer.map { _ in NamedQueue.current }
            left.withLock { $0 = late }
            return .emit(data: 1)
        }
        #expect(try await node.execute() == 1)
        queue.queue.sync { _ = context.emit(data: 2) }
        #expect(left.withLock { $0?.outcome?.value } == "one")
    }

    @Test func aTaskThatOutlivesItsRunStillReachesItsObservers() async throws {
        let gate = Context<Void>()
        let left = Mutex<Observer<Int>?>(nil)
        let node = ClosureNode<Void, Int> {
            let late = Observer(async: {
                try await gate.observer.value
                return RunTests.value
            })
            left.withLock { $0 = late }
            return .emit(data: 1)
        }
        #expect(try await RunTests.$value.withValue(6) { try await node.execute() } == 1)
        gate.emit()
        let late = try #require(left.withLock { $0 })
        #expect(try await late.value == 6)
    }

    /// The other run's task is busy, so that the work has ended and nobody has been told.
    @Test func workThatAnotherRunIsAboutToTellOfIsTakenOverToo() async throws {
        let context = Context<Int>()
        let (starts, start) = AsyncStream<Observer<Int>>.makeStream()
        let (isSettled, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Task {
            try await RunTests.$value.withValue(1) {
                try await ClosureNode<Void, Int> {
                    let work = context.observer.map { $0 }
                    start.yield(work)
                    isSettled.wait()
                    mayGoOn.wait()
                    return work.map { $0 * RunTests.value }
                }.execute()
            }
        }
        for await shared in starts {
            context.emit(data: 10)
            isSettled.signal()
            let second = Task {
                try await RunTests.$value.withValue(2) {
                    try await ClosureNode<Void, Int> {
                        let result = shared.map { $0 * RunTests.value }
                        mayGoOn.signal()
                        return result
                    }.execute()
                }
            }
            #expect(try await second.value == 20)
            break
        }
        #expect(try await first.value == 10)
    }

    @Test func aRoundThatIsAnotherRunsWorkDoesNotTakeTheLoopThere() async throws {
        let context = Context<Int>()
        let shared = Mutex<Observer<Int>?>(nil)
        let first = Task {
            try await RunTests.$value.withValue(1) {
                try await ClosureNode<Void, Int> {
                    let work = context.observer.map { $0 }
                    shared.withLock { $0 = work }
                    return work
                }.execute()
            }
        }
        while shared.withLock({ $0 == nil }) { await Task.yield() }
        let work = try #require(shared.withLock { $0 })
        let seen = Recorder<Int>()
        let second = Task {
            try await RunTests.$value.withValue(2) {
                try await ClosureNode<Void, Int> {
                    Observer.repeating(until: { _ in seen.events.count == 3 }) { _ in
                        seen.add(RunTests.value)
                        return work
                    }
                }.execute()
            }
        }
        while seen.events.isEmpty, !Task.isCancelled { await Task.yield() }
        DispatchQueue.global().async { context.emit(data: 1) }
        _ = try await (first.value, second.value)
        #expect(seen.events == [2, 2, 2])
    }

    /// A run doesn't wait for the queue of the callbacks of a chain that it follows.
    @Test func aChainThatIsFollowedBehindAQueueDoesNotNeedItsOwn() async throws {
        let idle = DispatchQueue(label: "idle", attributes: .initiallyInactive)
        defer { idle.activate() }
        let inner = ChainConfiguratorNode(
            next: ClosureNode<Int, Int> { .emit(data: $0) }, answer: .dispatch(on: idle))
        let outer = ClosureNode<Int, Int> { [queue] number in
            Observer.emit(data: number).dispatchOn(queue.queue).flatMap { inner.process($0) }
        }
        #expect(try await outer.execute(5) == 5)
    }

    // MARK: Cancellation

    /// Another request's code cancels: what listens to the end is the canceled run's all the same.
    @Test(arguments: [false, true]) func aCancelIsToldInTheCanceledRunsTask(isOnQueue: Bool) async throws {
        let (starts, start) = AsyncStream<Void>.makeStream()
        let inner = Recorder<Int>()
        let node = ClosureNode<Void, Int> {
            start.yield()
            let context = Context<Int>()
            return context.observer.onCanceled {
                withExtendedLifetime(context) { inner.add(RunTests.value) }
            }
        }
        let chain = ChainConfiguratorNode(
            next: node, work: isOnQueue ? .dispatch(on: queue.queue) : .concurrent,
            answer: isOnQueue ? .dispatch(on: NamedQueue("end").queue) : .inPlace)
        let observer = RunTests.$value.withValue(1) { chain.process() }
        for await _ in starts { break }
        let (ends, end) = AsyncStream<Int>.makeStream()
        RunTests.$value.withValue(1) { _ = observer.onCanceled { end.yield(RunTests.value) } }
        RunTests.$value.withValue(2) { observer.cancel() }
        #expect(observer.outcome?.isCanceled == true)
        for await value in ends {
            #expect(value == 1)
            break
        }
        while inner.events.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(inner.events == [1])
    }

    @Test func cancelingTheTaskCancelsTheWorkAndEndsTheRun() async throws {
        let context = Context<Int>()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await ClosureNode<Void, Int> {
                start.yield()
                return context.observer.map { $0 }.flatMap { Observer.emit(data: $0) }
            }.execute()
        }
        for await _ in starts { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(context.isSettled)
    }

    @Test func aTaskThatIsCanceledAlreadyStartsNothing() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await ClosureNode<Void, Int> {
                Issue.record("it was called")
                return .emit(data: 1)
            }.execute()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Memory

    @Test func aCompletedObserverKeepsItsValueOnly() async throws {
        final class Body: JournalEntry {
            let id = "Body"
        }
        let journal = Journal()
        let body = Mutex<Weak?>(nil)
        let observer = try await journal.record {
            let node = ClosureNode<Void, Int> {
                let entry = Body()
                body.withLock { $0 = Weak(entry) }
                Journal.current?.append(entry)
                return Observer.after(.milliseconds(1)).map { withExtendedLifetime(entry) { 3 } }
            }
            let observer = ChainConfiguratorNode(next: node, answer: .inPlace).process()
            _ = try await observer.value
            return observer
        }
        #expect(body.withLock { $0?.object } != nil, "the journal keeps it until it is read")
        _ = journal.close()
        // The task that has resumed this one may be on its way out of the closure, and of the call of the listeners.
        await eventually("the body and the journal are released") {
            body.withLock { $0?.object } == nil && observer.journal == nil
        }
        #expect(observer.outcome?.value == 3)
    }
}
