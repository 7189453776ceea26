import Dispatch
import NodeCore
import Synchronization
import Testing

/// Work whose end is left to the task that awaits what follows from it.
@Suite(.timeLimit(.minutes(1)))
struct WaitingTaskTests {
    /// Set in the tasks of these tests, and so seen by what runs in them.
    @TaskLocal private static var isInTask = false

    /// A task that waits for `observer`.
    private func waiting<Value: Sendable>(for observer: Observer<Value>) -> Task<Value, any Error> {
        Task { try await Self.$isInTask.withValue(true) { try await observer.value } }
    }

    /// Returns once a task waits for what follows from the work of `context`.
    private func taskWaits<Value>(for context: Context<Value>) async {
        await until { context.isAwaited || context.isSettled }
    }

    /// Returns once `condition` is true; the suite's limit of time ends it.
    private func until(_ condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    /// Tells whether the value was mapped in the task.
    private func place(_ observer: Observer<Int>) -> Observer<Bool> {
        observer.map { _ in Self.isInTask }
    }

    @Test func whatFollowsHappensInTheTask() async throws {
        let context = Context<Int>()
        let task = waiting(for: place(context.observer).mapError { $0 }.flatMap { Observer.emit(data: $0) })
        await taskWaits(for: context)
        context.settleInWaitingTask(.completed(1))
        #expect(try await task.value)
    }

    @Test func withoutATaskItHappensHere() {
        let context = Context<Int>()
        let recorder = context.observer.map { $0 + 1 }.recorded()
        context.settleInWaitingTask(.completed(1))
        #expect(recorder.events == ["completed 2", "defer"])
        context.settleInWaitingTask(.completed(2))
        #expect(recorder.events.count == 2)
    }

    /// Neither is to do the work of both.
    @Test func withSeveralTasksItHappensHere() async throws {
        let context = Context<Int>()
        let observers = [place(context.observer), place(context.observer)]
        let first = waiting(for: observers[0])
        await taskWaits(for: context)
        let second = waiting(for: observers[1])
        await until { !context.isAwaitedByOne }
        #expect(context.isAwaited)
        let third = waiting(for: place(context.observer))
        context.settleInWaitingTask(.completed(1))
        #expect(observers.allSatisfy { $0.outcome != nil })
        for task in [first, second, third] { #expect(try await task.value == false) }
    }

    /// Such a task may go on where the next answer is waited for.
    @Test func aTaskWithAnExecutorOfItsOwnIsLeftNothing() async throws {
        let executor = PatientExecutor()
        let context = Context<Int>()
        let observer = place(context.observer)
        let task = Task(executorPreference: executor) { try await observer.value }
        executor.run()
        #expect(context.isAwaitedByOne)
        context.settleInWaitingTask(.completed(1))
        #expect(observer.outcome != nil)
        executor.run()
        #expect(try await task.value == false)
    }

    @MainActor
    @Test func theMainActorsTasksLeaveItElsewhere() async throws {
        // The main queue, which need not be the main thread's here.
        _ = NamedQueue("main", .main)
        #expect(NamedQueue.current == "main")
        let context = Context<Int>()
        let isOnMainQueue = context.observer.map { _ in NamedQueue.current == "main" }
        async let end: Void = {
            await taskWaits(for: context)
            context.settleInWaitingTask(.completed(1))
        }()
        #expect(try await isOnMainQueue.value == false)
        await end
    }

    /// A sender lets go of a request once it has told its answer, and the task may go on only later.
    @Test func theContextMayBeDroppedBeforeTheTaskGoesOn() async throws {
        for _ in 0..<100 {
            var context: Context<Int>? = Context()
            let task = waiting(for: try #require(context).observer.map { $0 + 1 })
            if let context { await taskWaits(for: context) }
            context?.settleInWaitingTask(.completed(1))
            context = nil
            #expect(try await task.value == 2)
        }
    }

    @Test(arguments: ObserverTests.ends)
    func itEndsAsItWasTold(end: Outcome<Int>) async throws {
        let context = Context<Int>()
        let observer = context.observer.map { $0 }
        let recorder = observer.recorded()
        async let value = result { try await observer.value }
        await taskWaits(for: context)
        context.settleInWaitingTask(end)
        #expect(await value == Observer(end).ending.replacingCancel)
        #expect(recorder.events.count == 2)
    }

    /// As the answer of an attempt that follows another one.
    @Test func workThatFollowsIsLeftToTheTaskToo() async throws {
        let contexts = (0..<3).map { _ in Context<Int>() }
        let places = contexts[0].observer.flatMap { _ in
            place(contexts[1].observer.dispatchOn(.global())).flatMap { second in
                place(contexts[2].observer).map { [second, $0] }
            }
        }
        let task = waiting(for: places)
        await taskWaits(for: contexts[0])
        contexts[0].emit(data: 0)
        for context in contexts[1...] {
            await taskWaits(for: context)
            context.settleInWaitingTask(.completed(1))
        }
        // The first of them behind the queue that was asked for.
        #expect(try await task.value == [false, true])
    }

    /// A node that begins its work later, as on a queue.
    @Test func workThatIsFollowedLaterIsLeftToTheTaskToo() async throws {
        let (context, later) = (Context<Bool>(), Context<Int>())
        let task = waiting(for: context.observer)
        await taskWaits(for: context)
        context.follow(place(later.observer))
        #expect(later.isAwaited)
        later.settleInWaitingTask(.completed(1))
        #expect(try await task.value)
    }

    /// The second follows the first, which follows the second: nobody would ever be told.
    @Test func worksThatFollowEachOtherMayBeAwaited() async {
        let contexts = (Context<Int>(), Context<Int>())
        contexts.0.follow(contexts.1.observer)
        contexts.1.follow(contexts.0.observer)
        let task = waiting(for: contexts.0.observer)
        await taskWaits(for: contexts.1)
        task.cancel()
        #expect(await result { try await task.value } == "error \(CancellationError())")
    }

    /// Whose own work has ended, and who would do another's before it can go on.
    @Test func aTaskThatHasGoneOnIsLeftNothing() async throws {
        let (context, first) = (Context<Int>(), Context<Bool>())
        first.follow(place(context.observer))
        let task = waiting(for: first.observer)
        await taskWaits(for: context)
        first.emit(data: true)
        #expect(try await task.value)
        let observer = place(context.observer)
        let second = waiting(for: observer)
        await taskWaits(for: context)
        context.settleInWaitingTask(.completed(1))
        #expect(try await second.value)
    }

    @Test func severalTasksMayWaitForWhatFollows() async throws {
        for _ in 0..<100 {
            let context = Context<Int>()
            let calls = Atomic(0)
            let observer = context.observer.map { value in
                calls.add(1, ordering: .relaxed)
                return value
            }
            let tasks = [observer, observer.map { $0 }, context.observer, observer].map { waiting(for: $0) }
            await Task.yield()
            context.settleInWaitingTask(.completed(1))
            for task in tasks { #expect(try await task.value == 1) }
            #expect(calls.load(ordering: .relaxed) == 1)
        }
    }

    @Test func aCancelAndAnEndAtATimeLeaveOneOfThem() async throws {
        for _ in 0..<ContentionTests.rounds {
            let context = Context<Int>()
            let observer = context.observer.map { $0 + 1 }
            let recorder = observer.recorded()
            let task = Task { await result { try await observer.value } }
            await taskWaits(for: context)
            async let cancel: Void = task.cancel()
            async let end: Void = context.settleInWaitingTask(.completed(1))
            _ = await (cancel, end)
            let canceled = "error \(CancellationError())"
            let value = await task.value
            #expect(value == canceled || value == "completed 2")
            #expect(recorder.events == [value == canceled ? "canceled" : "completed 2", "defer"])
        }
    }

    /// It is the observer that a task's cancel cancels, and not only the work that the task waits for.
    @Test func aCancelOfTheTaskCancelsADeliveryThatWaits() async throws {
        let (queue, executor) = (DispatchQueue(label: "busy", attributes: .initiallyInactive), PatientExecutor())
        let context = Context<Int>()
        let observer = context.observer.dispatchOn(queue)
        let recorder = observer.recorded()
        let task = Task(executorPreference: executor) { try? await observer.value }
        executor.run()
        context.emit(data: 1)
        task.cancel()
        queue.activate()
        queue.sync {}
        #expect(recorder.events == ["canceled", "defer"])
        executor.run()
        #expect(await task.value == 1)
    }

    /// The result that was left to a task is released, whether the task is canceled or not.
    @Test(arguments: [false, true])
    func nothingIsKept(isCancelled: Bool) async throws {
        for _ in 0..<100 {
            let weak = try await leftToken(isCancelled: isCancelled)
            await until { weak.object == nil }
            #expect(weak.object == nil)
        }
    }

    private func leftToken(isCancelled: Bool) async throws -> Weak {
        let context = Context<Token>()
        let observer = context.observer.map { _ in 1 }
        let task = waiting(for: observer)
        await taskWaits(for: context)
        let token = Token()
        context.settleInWaitingTask(.completed(token))
        if isCancelled { task.cancel() }
        _ = try? await task.value
        #expect(observer.outcome != nil)
        return Weak(token)
    }

    /// They may be anybody's: the main actor's, whom others wait for.
    @Test func tasksThatItStartsAreNotAtWork() async {
        var task: Task<Bool, Never>?
        WaitingTask.work {
            #expect(WaitingTask.isAtWork)
            task = Task { WaitingTask.isAtWork }
        }
        #expect(!WaitingTask.isAtWork)
        #expect(await task?.value == false)
    }
}
