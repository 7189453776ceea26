import Logging
import NodeCore
import Synchronization
import TestSupport
import Testing

@Suite struct LogStoreTests {
    @Test func whatAReportHoldsMayUseTheStoreWhenItIsReleased() async {
        let store = LogStore(limit: 1)
        let released = Counter()
        for _ in 0..<3 { store.write(await report(holding: Guest(of: store, released))) }
        #expect(released.value == 2, "the oldest make way")
        store.clear()
        #expect(released.value == 3)
        #expect(store.reports.isEmpty)
    }

    @Test func theOldestReportsMakeWayForTheBytesOfNewerOnes() async throws {
        struct Body: JournalEntry {
            let id = "Body"
            let retainedBytes: Int
        }
        func sizes(_ reports: [LogReport]) -> [Int] { reports.flatMap(\.entries).map { $0.retainedBytes } }
        let store = LogStore(byteLimit: 10_000)
        let chain = LoggerNode(
            next: ClosureNode<Int, Int> { size in
                Journal.current?.append(Body(retainedBytes: size))
                return .emit(data: size)
            }, sink: .memory(store))
        for size in [6_000, 4_000, 1] { _ = try await chain.execute(size) }
        #expect(await sizes(store.reports(count: 3)) == [4_000, 1])
        _ = try await chain.execute(20_000)
        #expect(await sizes(store.reports(count: 4)) == [20_000], "the newest may keep more")
        store.clear()
        for size in [6_000, 4_000] { _ = try await chain.execute(size) }
        #expect(await sizes(store.reports(count: 6)) == [6_000, 4_000])
    }

    @Test func aCanceledTaskWaitsNoLonger() async {
        let store = LogStore()
        let waiting = Task { await store.report()?.end.name }
        waiting.cancel()
        #expect(await waiting.value == nil)
        let several = Task { await store.reports(count: 2).count }
        store.write(await report(holding: nil))
        several.cancel()
        #expect(await several.value == 1)
        #expect(await store.report()?.end.name == "completed", "others still get theirs")
    }

    @Test func aTaskThatIsCanceledAlreadyDoesNotWait() async {
        let store = LogStore()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await store.reports(count: 1).isEmpty
        }
        task.cancel()
        #expect(await task.value)
    }

    /// The report of a run that wrote one line, whose message holds `guest`.
    private func report(holding guest: Guest?) async -> LogReport {
        let own = LogStore()
        let chain = LoggerNode(next: WritingNode(guest), sink: .memory(own))
        _ = chain.inline(1)
        let report = await own.reports(count: 1)[0]
        own.clear()
        return report
    }
}

/// Uses the store when it is released.
private final class Guest: Sendable {
    private let store: LogStore
    private let released: Counter

    init(of store: LogStore, _ released: Counter) {
        self.store = store
        self.released = released
    }

    deinit {
        _ = store.reports.count
        released.add()
    }
}

private final class WritingNode: Node<Int, Int>, @unchecked Sendable {
    private let guest: Guest?

    init(_ guest: Guest?) {
        self.guest = guest
    }

    override func process(_ data: Int) -> Observer<Int> {
        log { [guest] in "\(guest == nil)" }
        return .emit(data: data)
    }
}
