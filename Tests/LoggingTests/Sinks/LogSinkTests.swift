import Dispatch
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import Logging

@Suite struct LogSinkTests {
    @Test func aSinkThatHangsDelaysNoRequest() async throws {
        let gate = DispatchSemaphore(value: 0)
        let written = Counter()
        let sink = LogSink.closure { _ in
            gate.wait()
            written.add()
        }
        let chain = LoggerNode(next: TalkingNode(next: echo()), sink: sink)
        for number in 0..<10 { #expect(try await chain.execute(number) == number) }
        #expect(written.value == 0)
        for _ in 0..<10 { gate.signal() }
        await sink.drain()
        #expect(written.value == 10)
    }

    @Test func aSinkThatThrowsFailsNoRequestAndGetsTheNextReport() async throws {
        let seen = Counter()
        let sink = LogSink.closure { _ in
            seen.add()
            throw Boom()
        }
        let chain = LoggerNode(next: echo(), sink: sink)
        for number in 0..<3 { #expect(try await chain.execute(number) == number) }
        await sink.drain()
        #expect(seen.value == 3)
        #expect(sink.failedReports == 3)
        #expect(sink.droppedReports == 0)
    }

    @Test func whatFindsNoRoomIsDroppedAndCounted() async throws {
        let gate = DispatchSemaphore(value: 0)
        let store = LogStore()
        let sink = LogSink(GatedWriter(gate: gate, store: store), limit: 2)
        let chain = LoggerNode(next: TalkingNode(next: echo()), sink: sink)
        for number in 0..<5 { _ = try await chain.execute(number) }
        #expect(sink.droppedReports == 3)
        for _ in 0..<2 { gate.signal() }
        await sink.drain()
        #expect(store.reports.compactMap { $0.messages.first } == ["TalkingNode down 0", "TalkingNode down 1"])
        gate.signal()
        _ = try await chain.execute(9)
        #expect(await store.reports(count: 3).last?.messages.first == "TalkingNode down 9")
        #expect(sink.droppedReports == 3)
    }

    /// A stopped sink keeps no more than its limit of what the reports keep.
    @Test func reportsWithLargeBodiesAreDroppedAboveTheLimitOfBytes() async throws {
        struct Body: JournalEntry {
            let id = "Body"
            let retainedBytes: Int
        }
        let gate = DispatchSemaphore(value: 0)
        let writer = GatedWriter(gate: gate, store: LogStore())
        let sink = LogSink(writer, byteLimit: 10_000)
        let chain = LoggerNode(
            next: ClosureNode<Int, Int> { size in
                Journal.current?.append(Body(retainedBytes: size))
                return .emit(data: size)
            }, sink: sink)
        // The first may be larger than the limit: a sink that takes nothing would tell nothing.
        for size in [20_000, 0, 1] { _ = try await chain.execute(size) }
        #expect(sink.droppedReports == 1)
        for _ in 0..<2 { gate.signal() }
        await sink.drain()
        for size in [6_000, 4_000, 1, 0] { _ = try await chain.execute(size) }
        #expect(sink.droppedReports == 2)
        for _ in 0..<3 { gate.signal() }
        await sink.drain()
    }

    @Test func aWriterSeesTheTaskLocalValuesOfTheRequest() async throws {
        enum Values { @TaskLocal static var number = 0 }
        let seen = Mutex<[Int]>([])
        let sink = LogSink.closure { _ in seen.withLock { $0.append(Values.number) } }
        let chain = LoggerNode(next: echo(), sink: sink)
        for number in 1...3 { _ = try await Values.$number.withValue(number) { try await chain.execute(number) } }
        await sink.drain()
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    /// An upload of reports, for instance.
    @Test func whatAWriterDoesIsNoPartOfTheRun() async throws {
        let seen = Mutex<[Bool]>([])
        let sink = LogSink.closure { _ in seen.withLock { $0.append(Run.current == nil) } }
        _ = try await LoggerNode(next: echo(), sink: sink).execute(1)
        _ = LoggerNode(next: echo(), sink: sink).inline(2)
        await sink.drain()
        #expect(seen.withLock { $0 } == [true, true])
    }

    @Test func aReportLeavesOutLinesThatNobodyIsShown() async throws {
        let store = LogStore()
        let chain = LoggerNode(
            next: TalkingNode("Quiet", level: .debug, next: TalkingNode("Loud", next: echo())), level: .info,
            sink: .memory(store))
        _ = try await chain.execute(1)
        #expect(await store.report()?.gathered.map(\.entry.id) == ["Loud", "Loud"])
    }

    @Test func reportsAreWrittenInTheOrderOfTheChainsEnds() async throws {
        let store = LogStore()
        let puppet = Puppet()
        defer { puppet.forgetCalls() }
        let chain = LoggerNode(next: TalkingNode(next: puppet), sink: .memory(store))
        for number in 0..<3 { _ = chain.inline(number) }
        for index in [2, 0, 1] { puppet.call(index).emit(data: index) }
        let reports = await store.reports(count: 3)
        #expect(reports.compactMap { $0.messages.first } == [2, 0, 1].map { "TalkingNode down \($0)" })
    }

    @Test func flushWaitsAndMayBeCalledFromAWriter() async throws {
        let written = Counter()
        let own = Mutex<LogSink?>(nil)
        let sink = LogSink.closure { _ in
            own.withLock { $0 }?.flush()
            written.add()
        }
        own.withLock { $0 = sink }
        _ = try await LoggerNode(next: echo(), sink: sink).execute(1)
        sink.flush()
        #expect(written.value == 1)
        own.withLock { $0 = nil }
    }

    @Test func aSilentSinkTakesNothing() async {
        #expect(LogSink.silent.isSilent)
        #expect(!LogSink.standardError.isSilent)
        LogSink.silent.accept(
            LogReport(closing: Journal(), end: .completed(()), filter: .standard, redaction: .standard))
        await LogSink.silent.drain()
        LogSink.silent.flush()
        #expect(LogSink.silent.droppedReports == 0)
    }

    @Test func aStoreKeepsTheNewestReports() async throws {
        let store = LogStore(limit: 2)
        let chain = LoggerNode(next: TalkingNode(next: echo()), sink: .memory(store))
        for number in 0..<3 { _ = try await chain.execute(number) }
        let reports = await store.reports(count: 3)
        #expect(reports.compactMap { $0.messages.first } == ["TalkingNode down 1", "TalkingNode down 2"])
        store.clear()
        #expect(store.reports.isEmpty)
    }

    @Test func whoWaitsForAReportIsWokenByIt() async throws {
        let store = LogStore()
        let puppet = Puppet()
        _ = LoggerNode(next: puppet, sink: .memory(store)).inline(1)
        async let report = store.report()
        puppet.call(0).emit(data: 1)
        #expect(await report?.end.name == "completed")
    }
}

private struct GatedWriter: LogWriter {
    let gate: DispatchSemaphore
    let store: LogStore

    func write(_ report: LogReport) {
        gate.wait()
        store.write(report)
    }
}
