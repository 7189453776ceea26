#if os(Linux)
import NodeCore
import Testing

/// Tasks whose values come on one thread in one turn.
struct TaskWakeUpsTests {
    private let executor = PatientExecutor()

    /// Tasks that wait for as many contexts, surely: each has run as far as it gets.
    private func waiting(_ count: Int) -> (contexts: [Context<Int>], tasks: [Task<Int, any Error>]) {
        let contexts = (0..<count).map { _ in Context<Int>() }
        let tasks = contexts.map(\.observer).map { observer in
            Task(executorPreference: executor) { try await observer.value }
        }
        executor.run()
        return (contexts, tasks)
    }

    @Test func theyGoOnAtTheTurnsEndHoweverTheirWorkEnds() async throws {
        let (contexts, tasks) = waiting(3)
        let heard = Recorder<String>()
        contexts[0].observer.whenSettled { heard.add("\($0)") }
        TaskWakeUps().gather {
            contexts[0].emit(data: 1)
            contexts[1].emit(error: Oops())
            contexts[2].cancel()
            #expect(heard.events.count == 1)
            #expect(executor.count == 0)
        }
        #expect(executor.count == 3)
        executor.run()
        #expect(try await tasks[0].value == 1)
        await #expect(throws: Oops()) { try await tasks[1].value }
        await #expect(throws: CancellationError.self) { try await tasks[2].value }
    }

    @Test func manyDoNotWaitForEachOther() async throws {
        let (contexts, tasks) = waiting(40)
        TaskWakeUps().gather {
            for (index, context) in contexts.enumerated() { context.emit(data: index) }
            #expect(executor.count == 32)
        }
        #expect(executor.count == 40)
        executor.run()
        for (index, task) in tasks.enumerated() { #expect(try await task.value == index) }
    }

    /// Or a listener that waits for one of them would wait for ever.
    @Test func aListenerHoldsBackNobody() {
        let (contexts, tasks) = waiting(3)
        let last = Context<Void>()
        let counts = Recorder<Int>()
        last.observer.onCompleted { [executor] in
            counts.add(executor.count)
            contexts[1].emit(data: 1)
            counts.add(executor.count)
        }
        TaskWakeUps().gather {
            contexts[0].emit(data: 0)
            counts.add(executor.count)
            last.emit()
            contexts[2].emit(data: 2)
            counts.add(executor.count)
        }
        #expect(counts.events == [0, 1, 2, 2])
        #expect(executor.count == 3)
        executor.run()
        withExtendedLifetime(tasks) {}
    }

    @Test func outsideOfATurnEachGoesOnAtOnce() {
        let (contexts, tasks) = waiting(2)
        let turn = TaskWakeUps()
        turn.gather {}
        for (index, context) in contexts.enumerated() {
            context.emit(data: index)
            #expect(executor.count == index + 1)
        }
        executor.run()
        withExtendedLifetime(tasks) {}
    }
}
#endif
