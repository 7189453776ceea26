import Dispatch
import NodeCore
import Synchronization
import Testing

/// Work whose end is left to the task that awaits what follows from it.
struct WaitingTaskTests {
    /// Set in the tasks of these tests, and so seen by what runs in them.
    @TaskLocal private static var isInTask = false

    /// A task that waits for `observer`.
    private func waiting<Value: Sendable>(for observer: Observer<Value>) -> Task<Value, any Error> {
        Task { try await Self.$isInTask.withValue(true) { try await observer.value } }
    }

    /// Tells where the value was mapped.
    private func place(_ context: Context<Int>) -> Observer<Bool> {
        context.observer.map { _ in Self.isInTask }
    }

    /// Whether `body` was true once: a task may get its value before it waits.
    private func onceOf(_ count: Int = 200, _ body: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<count where try await body() { return true }
        return false
    }

    @Test func whatFollowsHappensInTheTask() async throws {
        let isInTask = try await onceOf {
            let context = Context<Int>()
            let task = waiting(for: place(context).mapError { $0 }.flatMap { Observer.emit(data: $0) })
            try await Task.sleep(for: .milliseconds(1))
            context.settleInWaitingTask(.completed(1))
            return try await task.value
        }
        #expect(isInTask)
    }

    /// A sender lets go of a request once it has told its answer, and the task may go on only later.
    @Test func theContextMayBeDroppedBeforeTheTaskGoesOn() async throws {
        for _ in 0..<100 {
            var context: Context<Int>? = Context()
            let task = waiting(for: try #require(context).observer.map { $0 + 1 })
            try await Task.sleep(for: .milliseconds(1))
            context?.settleInWaitingTask(.completed(1))
            context = nil
            #expect(try await task.value == 2)
        }
    }

    @MainActor
    @Test func theMainActorsTasksLeaveItElsewhere() async throws {
        // The main queue, which need not be the main thread's here.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        #expect(DispatchQueue.getSpecific(key: key) == true)
        for _ in 0..<20 {
            let context = Context<Int>()
            let isOnMainQueue = context.observer.map { _ in DispatchQueue.getSpecific(key: key) == true }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
                context.settleInWaitingTask(.completed(1))
            }
            #expect(try await isOnMainQueue.value == false)
        }
    }

    @Test func withoutATaskItHappensHere() {
        let context = Context<Int>()
        let recorder = context.observer.map { $0 + 1 }.recorded()
        context.settleInWaitingTask(.completed(1))
        #expect(recorder.events == ["completed 2", "defer"])
        context.settleInWaitingTask(.completed(2))
        #expect(recorder.events.count == 2)
    }

    /// Such a task may go on where the next answer is waited for.
    @Test func aTaskWithAnExecutorOfItsOwnIsLeftNothing() async throws {
        let executor = PatientExecutor()
        let context = Context<Int>()
        let observer = place(context)
        let task = Task(executorPreference: executor) { try await observer.value }
        executor.run()
        context.settleInWaitingTask(.completed(1))
        #expect(observer.outcome != nil)
        executor.run()
        #expect(try await task.value == false)
    }

    @Test(arguments: ObserverTests.ends)
    func itEndsAsItWasTold(end: Outcome<Int>) async throws {
        for _ in 0..<20 {
            let context = Context<Int>()
            let observer = context.observer.map { $0 }
            let recorder = observer.recorded()
            async let value = result { try await observer.value }
            try await Task.sleep(for: .milliseconds(1))
            context.settleInWaitingTask(end)
            #expect(await value == Observer(end).ending.replacingCancel)
            #expect(recorder.events.count == 2)
        }
    }

    @Test func workThatFollowsIsWaitedForToo() async throws {
        for _ in 0..<20 {
            let contexts = (0..<3).map { _ in Context<Int>() }
            let sum = contexts[0].observer.flatMap { first in
                contexts[1].observer.dispatchOn(.global()).flatMap { second in
                    contexts[2].observer.map { first + second + $0 }
                }
            }
            let task = waiting(for: sum)
            for context in contexts {
                try await Task.sleep(for: .milliseconds(1))
                context.settleInWaitingTask(.completed(1))
            }
            #expect(try await task.value == 3)
        }
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
            await Task.yield()
            async let cancel: Void = task.cancel()
            async let end: Void = context.settleInWaitingTask(.completed(1))
            _ = await (cancel, end)
            let canceled = "error \(CancellationError())"
            let value = await task.value
            #expect(value == canceled || value == "completed 2")
            #expect(recorder.events == [value == canceled ? "canceled" : "completed 2", "defer"])
        }
    }

    /// The end that was left to a task is let go of, the task cancelled or not.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func nothingIsKept(isCancelled: Bool) async throws {
        for _ in 0..<100 {
            let weak = try await leftToken(isCancelled: isCancelled)
            while weak.object != nil { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private func leftToken(isCancelled: Bool) async throws -> Weak {
        let context = Context<Token>()
        let observer = context.observer.map { _ in 1 }
        let task = waiting(for: observer)
        await Task.yield()
        let token = Token()
        context.settleInWaitingTask(.completed(token))
        if isCancelled { task.cancel() }
        _ = try? await task.value
        #expect(observer.outcome != nil)
        return Weak(token)
    }
}
