import Logging
import NodeCore
import TestSupport
import Testing

@Suite struct LogFilterTests {
    private let store = LogStore()

    private func ids(_ filter: LogFilter) async throws -> [String] {
        let nodes = TalkingNode("A", level: .debug, next: TalkingNode("B", next: TalkingNode("C", next: echo())))
        _ = try await LoggerNode(next: nodes, filter: filter, sink: .memory(store)).execute(1)
        return try #require(await store.report()).shown.map(\.id)
    }

    @Test(arguments: [
        (LogFilter(), ["B", "C", "C", "B", "LoggerNode"]),
        (LogFilter(level: .trace), ["A", "B", "C", "C", "B", "A", "LoggerNode"]),
        (LogFilter(exclude: ["B"]), ["C", "C", "LoggerNode"]),
        (LogFilter(exclude: ["B", "LoggerNode"]), ["C", "C"]),
        (LogFilter(only: ["A", "B"]), ["B", "B"]),
        (LogFilter(only: ["A", "B"], level: .debug), ["A", "B", "B", "A"]),
        (LogFilter(exclude: ["B"], only: ["B"]), []),
        (LogFilter(only: []), []),
        (LogFilter(level: .warning), []),
    ])
    func aFilterLeavesOut(filter: LogFilter, ids: [String]) async throws {
        #expect(try await self.ids(filter) == ids)
    }

    @Test func theSpellingOfCoreNetKitExcludesByName() async throws {
        let nodes = TalkingNode("A", next: TalkingNode("B", next: echo()))
        _ = try await LoggerNode(next: nodes, filters: ["A"], sink: .memory(store)).execute(1)
        #expect(await store.report()?.messages == ["B down 1", "B up 1"])
    }

    @Test func aFailureIsShownWhereOnlyErrorsAre() async throws {
        let failing = ClosureNode<Int, Int> { _ in .emit(error: Boom()) }
        _ = LoggerNode(next: TalkingNode(next: failing), level: .error, sink: .memory(store)).inline(1)
        let report = try #require(await store.report())
        #expect(report.shown.map(\.id) == ["LoggerNode"])
        #expect(report.shown.map(\.level) == [.error])
    }

    @Test func levelsAreOrdered() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.allCases.map(\.description) == ["trace", "debug", "info", "warning", "error"])
    }
}
