import Dispatch
import Logging
import NodeCore
import TestSupport
import Testing

@Suite struct LoggerNodeTests {
    private let store = LogStore()

    @Test func linesArriveInTheOrderOfWriting() async throws {
        let chain = LoggerNode(
            next: TalkingNode("A", next: TalkingNode("B", next: echo())), sink: .memory(store))
        #expect(try await chain.execute(7) == 7)
        let report = try #require(await store.report())
        #expect(report.messages == ["A down 7", "B down 7", "B up 7", "A up 7"])
        #expect(report.lines.map(\.log.id) == ["A", "B", "B", "A"])
        #expect(report.lines.map(\.offset) == report.lines.map(\.offset).sorted())
        #expect(report.end.name == "completed")
        #expect(report.duration >= report.lines[3].offset)
    }

    @Test func aFailedRunReportsItsErrorAndTheLinesBefore() async throws {
        let failing = ClosureNode<Int, Int>(name: "Failing") { _ in .emit(error: Boom()) }
        let chain = LoggerNode(next: TalkingNode("A", next: failing), sink: .memory(store))
        await #expect(throws: Boom()) { try await chain.execute(1) }
        let report = try #require(await store.report())
        guard case .failed(let error) = report.end else { return #expect(Bool(false), "\(report.end)") }
        #expect(error as? Boom == Boom())
        #expect(report.messages == ["A down 1", "A up 1"])
        #expect(report.summary.hasPrefix("failed after ") && report.summary.hasSuffix(" ms: boom"))
    }

    @Test func anErrorsDescriptionIsMaskedInTheSummary() async throws {
        let error = Boom(description: "GET https://u:hunter2@h/?token=hunter2 failed\nBearer hunter2")
        let failing = ClosureNode<Int, Int> { _ in .emit(error: error) }
        let chain = LoggerNode(next: failing, sink: .memory(store))
        _ = chain.inline(1)
        let report = try #require(await store.report())
        #expect(!report.description.contains("hunter2"))
        #expect(report.summary.hasSuffix("GET https://***@h/?token=*** failed\nBearer ***"))
    }

    @Test func aCanceledRunReportsThatAndWhatTheProducerSaysToIt() async throws {
        let hanging = ClosureNode<Int, Int>(name: "Hanging") { _ in
            let context = Context<Int>()
            let observer = context.observer
            context.onCancel {
                _ = context
                observer.log(.warning, id: "Hanging", "stopped")
            }
            return observer
        }
        let chain = LoggerNode(next: hanging, sink: .memory(store))
        chain.inline(1).cancel()
        let report = try #require(await store.report())
        guard case .canceled = report.end else { return #expect(Bool(false), "\(report.end)") }
        #expect(report.messages == ["stopped"])
        #expect(report.summary.hasPrefix("canceled after "))
    }

    @Test func concurrentRunsDoNotMix() async throws {
        let chain = LoggerNode(next: TalkingNode("A", next: TalkingNode("B", next: echo())), sink: .memory(store))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 { group.addTask { _ = try await chain.execute(number) } }
            try await group.waitForAll()
        }
        let reports = await store.reports(count: 200)
        let runs = reports.map(\.messages).sorted { $0[0] < $1[0] }
        let expected = (0..<200).map { ["A down \($0)", "B down \($0)", "B up \($0)", "A up \($0)"] }
        #expect(runs == expected.sorted { $0[0] < $1[0] })
    }

    @Test func aReportDoesNotWaitForTheQueueOfTheAnswer() async throws {
        let suspended = DispatchQueue(label: "answer", attributes: .initiallyInactive)
        let chain = LoggerNode(
            next: ChainConfiguratorNode(next: echo(), answer: .dispatch(on: suspended)), sink: .memory(store))
        let observer = chain.process(1)
        #expect(await store.report()?.end.name == "completed")
        #expect(observer.outcome == nil)
        suspended.activate()
    }

    @Test func bothWaysOfCallingAreLogged() async throws {
        let chain = LoggerNode(
            next: ChainConfiguratorNode(next: TalkingNode(next: echo()), answer: .inPlace), sink: .memory(store))
        _ = chain.inline(1)
        _ = await store.report()
        _ = try await chain.execute(2)
        let reports = await store.reports(count: 2)
        #expect(reports.map(\.messages) == [1, 2].map { ["TalkingNode down \($0)", "TalkingNode up \($0)"] })
    }

    @Test func aLoggerInsideAChainKeepsItsLinesToItself() async throws {
        let inner = LogStore()
        let chain = LoggerNode(
            next: TalkingNode(
                "Outer", next: LoggerNode(next: TalkingNode("Inner", next: echo()), sink: .memory(inner))),
            sink: .memory(store))
        _ = try await chain.execute(1)
        #expect(await inner.report()?.messages == ["Inner down 1", "Inner up 1"])
        #expect(await store.report()?.messages == ["Outer down 1", "Outer up 1"])
    }

    @Test func aSilentLoggerInsideAChainStaysSilent() async throws {
        let chain = LoggerNode(
            next: TalkingNode("Outer", next: LoggerNode(next: TalkingNode("Inner", next: echo()), sink: .silent)),
            sink: .memory(store))
        _ = try await chain.execute(1)
        #expect(await store.report()?.messages == ["Outer down 1", "Outer up 1"])
    }

    @Test func aLoggerShowsTheChainBehindIt() {
        let chain = LoggerNode(next: TalkingNode(next: echo()), sink: .silent)
        #expect(chain.chain.names == ["LoggerNode", "TalkingNode", "Echo"])
    }

    @Test func linesOfAsyncCodeAndOfOwnThreadsBelongToTheRun() async throws {
        let node = ClosureNode<Int, Int>(
            name: "Async",
            async: { number in
                await Task.yield()
                Journal.current?.append(Log(id: "Async") { "in a task \(number)" })
                return number
            })
        let threaded = ClosureNode<Int, Int>(name: "Threaded") { number in
            let context = Context<Int>()
            DispatchQueue.global().async {
                context.observer.log(id: "Threaded", "on a thread \(number)")
                context.emit(data: number)
            }
            return context.observer
        }
        let sink = LogSink.memory(store)
        _ = try await LoggerNode(next: node, sink: sink).execute(1)
        _ = try await LoggerNode(next: threaded, sink: sink).execute(2)
        #expect(await store.reports(count: 2).map(\.messages) == [["in a task 1"], ["on a thread 2"]])
    }
}
