import Dispatch
import NodeCore
import Testing

@Suite struct AsyncTests {
    @Test(arguments: ObserverTests.ends)
    func valueGivesTheEndWhetherItIsThereOrComes(end: Outcome<Int>) async {
        let context = Context<Int>()
        async let later = { await result { try await context.observer.value } }()
        context.settle(end)
        let there = await result { try await Observer(end).value }
        #expect(there == Observer(end).ending.replacingCancel)
        #expect(await later == there)
    }

    @Test func cancellingTheTaskCancelsTheWorkItWaitsFor() async {
        let context = Context<Int>()
        let (waiting, started) = AsyncStream<Void>.makeStream()
        let observer = context.observer.map {
            $0 + 1
        }
        let task = Task {
            started.yield()
            return try await observer.value
        }
        for await _ in waiting { break }
        let canceled = AsyncStream<Void> { stream in context.onCancel { stream.yield() } }
        task.cancel()
        for await _ in canceled { break }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(observer.ending == "canceled")
        #expect(!context.emit(data: 1))
    }

    @Test func aTaskThatIsCancelledAlreadyCancelsTheWork() async {
        let context = Context<Int>()
        await #expect(throws: CancellationError.self) {
            try await cancelledTask { try await context.observer.value }.value
        }
        #expect(context.observer.ending == "canceled")
    }

    @Test func aValueThatIsThereIsGivenToACancelledTaskToo() async throws {
        let value = try await cancelledTask { try await Observer.emit(data: 1).value }.value
        #expect(value == 1)
    }

    @Test func awaitDoesNotWaitForTheQueueOfCallbacks() async throws {
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        let context = Context<Int>()
        let hop = context.observer.dispatchOn(queue).dispatchOn(.main)
        let recorder = hop.recorded()
        async let value = hop.value
        context.emit(data: 1)
        #expect(try await value == 1)
        #expect(try await hop.value == 1)
        #expect(try await Observer.emit(data: 2).dispatchOn(queue).value == 2)
        #expect(recorder.events == [])
        hop.cancel()
        await #expect(throws: CancellationError.self) { try await hop.value }
        queue.resume()
    }

    @Test func cancellingTheTaskReachesTheWorkThroughTheQueueHop() async {
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        let context = Context<Int>()
        let hop = context.observer.dispatchOn(queue)
        await #expect(throws: CancellationError.self) { try await cancelledTask { try await hop.value }.value }
        #expect(context.observer.ending == "canceled")
        queue.resume()
    }

    @Test func asyncWorkSettlesItsObserver() async throws {
        #expect(try await Observer(async: { 1 }).value == 1)
        await #expect(throws: Oops()) { try await Observer<Int>(async: { throw Oops() }).value }
        let canceled = Observer<Int>(async: { throw CancellationError() })
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(canceled.ending == "canceled")
    }

    @Test func cancellingTheObserverCancelsItsAsyncWork() async {
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let (started, start) = AsyncStream<Void>.makeStream()
        let observer = Observer<Int>(async: {
            start.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            end.yield(Task.isCancelled)
            return 1
        })
        let recorder = observer.recorded()
        for await _ in started { break }
        observer.cancel()
        observer.cancel()
        #expect(recorder.events == ["canceled", "defer"])
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
        #expect(recorder.events == ["canceled", "defer"])
    }

    @Test func manyTasksMayWaitForOneObserver() async throws {
        let context = Context<Int>()
        let observer = context.observer
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await observer.value } }
            group.addTask { context.emit(data: 2) ? 0 : -1 }
            return try await group.reduce(0, +)
        }
        #expect(sum == 200)
    }
}

/// The end of `body` as `Observer.ending` tells it.
func result(_ body: () async throws -> Int) async -> String {
    do {
        return "completed \(try await body())"
    } catch {
        return "error \(error)"
    }
}

/// A task that is canceled before `body` starts.
func cancelledTask<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Task<Value, any Error> {
    Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await body()
    }
}

extension String {
    /// `await` tells a cancel as an error.
    var replacingCancel: String {
        self == "canceled" ? "error \(CancellationError())" : self
    }
}
