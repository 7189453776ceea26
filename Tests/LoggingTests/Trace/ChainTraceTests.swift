import NodeCore
import TestSupport
import Testing

@testable import Logging

@Suite struct ChainTraceTests {
    /// A report of 100 ms in which these spans were told, in milliseconds.
    private func report(
        _ spans: [(id: String, start: Int, end: Int)], marks: [any JournalEntry] = []
    ) -> LogReport {
        let journal = Journal()
        for span in spans {
            journal.append(
                Span(
                    id: span.id, start: journal.start + .milliseconds(span.start),
                    duration: .milliseconds(span.end - span.start), end: "completed"))
        }
        for mark in marks { journal.append(mark) }
        return LogReport(
            closing: journal, end: .completed(()), filter: .standard, redaction: .standard, duration: .milliseconds(100)
        )
    }

    private func rows(_ spans: [(id: String, start: Int, end: Int)]) -> [String] {
        report(spans).trace.rows.map { row in
            "\(row.depth) \(row.name) \(Int(row.duration / .milliseconds(1)))/\(Int(row.own / .milliseconds(1)))"
        }
    }

    @Test func aNodeStandsUnderTheOneThatCalledIt() {
        #expect(
            rows([("C", 20, 60), ("B", 10, 70), ("A", 0, 90)])
                == ["0 LoggerNode 100/10", "1 A 90/30", "2 B 60/20", "3 C 40/40"])
    }

    @Test func aReplayIsARowOfItsOwn() {
        #expect(
            rows([("Sender", 10, 30), ("Refresh", 35, 45), ("Sender", 50, 90), ("Gate", 5, 95)])
                == ["0 LoggerNode 100/10", "1 Gate 90/20", "2 Sender 20/20", "2 Refresh 10/10", "2 Sender 40/40"])
    }

    @Test func whatRunsSideBySideCountsOnceForTheNodeAbove() {
        let trace = report([("A", 0, 60), ("B", 30, 80)]).trace
        #expect(trace.rows.map(\.depth) == [0, 1, 1])
        #expect(trace.rows[0].own == .milliseconds(20))
        #expect(trace.rows.map(\.lane) == [0, 0, 1])
    }

    @Test func theWaterfallShowsBars() {
        let text = report([("Sender", 50, 100)]).trace.waterfall(width: 10)
        #expect(
            text == """
                                 total         own
                LoggerNode    100.0 ms     50.0 ms  ██████████
                  Sender       50.0 ms     50.0 ms       █████

                """)
    }

    @Test func aTracedNodeTellsItsTimeAndStaysInItsPlace() async throws {
        let store = LogStore()
        let inner = ClosureNode<Int, Int>(name: "Sender") { .emit(data: $0) }.traced()
        let middle = TalkingNode("Gate", next: inner).traced()
        let chain = LoggerNode(next: middle, sink: .memory(store))
        #expect(chain.chain.names == ["LoggerNode", "Gate", "Sender"])
        #expect(middle.traced() === middle)
        _ = try await chain.execute(1)
        let trace = try #require(await store.report()).trace
        #expect(trace.rows.map(\.name) == ["LoggerNode", "Gate", "Sender"])
        #expect(trace.rows.map(\.depth) == [0, 1, 2])
        #expect(trace.rows.map(\.end) == ["completed", "completed", "completed"])
    }

    @Test func failuresAndCancelsAreSeenInTheTrace() async throws {
        let store = LogStore()
        let sink = LogSink.memory(store)
        let failing = ClosureNode<Int, Int>(name: "Failing") { _ in .emit(error: Boom()) }.traced()
        _ = LoggerNode(next: failing, sink: sink).inline(1)
        let puppet = Puppet()
        defer { puppet.forgetCalls() }
        LoggerNode(next: TalkingNode("Gate", next: puppet.traced()).traced(), sink: sink).inline(2).cancel()
        let reports = await store.reports(count: 2)
        let ends = reports.map { $0.trace.rows.map(\.end) }
        #expect(ends == [["failed", "failed"], Array(repeating: "canceled", count: 3)])
        #expect(reports[0].trace.waterfall().contains("Failing ✗"))
    }

    @Test func aTracedNodeWithoutALoggerOnlyWorks() async throws {
        #expect(try await echo().traced().execute(3) == 3)
        #expect(Journal.current == nil)
    }

    @Test func aNodeThatOnlyWritesLinesIsPlacedByThem() async throws {
        let store = LogStore()
        _ = try await LoggerNode(next: TalkingNode("A", next: TalkingNode("B", next: echo())), sink: .memory(store))
            .execute(1)
        let trace = try #require(await store.report()).trace
        #expect(trace.rows.map(\.name) == ["LoggerNode", "A", "B"])
        #expect(trace.rows.map(\.depth) == [0, 1, 2])
    }

    @Test func theChromeTraceHoldsSpansMarksAndNoSecrets() throws {
        let report = report([("Sen\"der", 10, 30)], marks: [Log(id: "A") { "token=hunter2\n\u{1}" }])
        let json = report.text(.chromeTrace)
        #expect(json.split(separator: "\n").allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("},") })
        let start = json.split(separator: "\n").first { $0.contains("Sen") }
        let event = try #require(start)
        #expect(event.contains(#""ph":"X","cat":"node","name":"Sen\"der","pid":1,"tid":1,"ts":"#))
        #expect(event.contains(#","dur":20000.000,"args":{"own_ms":20.0,"end":"completed"}},"#))
        #expect(json.contains(#""message":"token=***\n\u0001""#))
        #expect(!json.contains("hunter2"))
    }
}
