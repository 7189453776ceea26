import Logging
import NodeCore
import Testing

@Suite struct LazyMessageTests {
    private let made = Counter()

    /// A node whose message counts how often it is made.
    private func counting(_ level: LogLevel = .info) -> Node<Int, Int> {
        CountingNode(level: level, made: made)
    }

    @Test func noMessageIsMadeWithoutALogger() async throws {
        _ = try await counting().execute(1)
        #expect(made.value == 0)
    }

    @Test func noMessageIsMadeForASinkThatDropsEverything() async throws {
        _ = try await LoggerNode(next: counting(), sink: .silent).execute(1)
        #expect(made.value == 0)
    }

    @Test(arguments: [LogFilter(exclude: ["CountingNode"]), LogFilter(only: ["Other"]), LogFilter(level: .warning)])
    func noMessageIsMadeForALineThatIsFilteredOut(filter: LogFilter) async throws {
        let store = LogStore()
        _ = try await LoggerNode(next: counting(), filter: filter, sink: .memory(store)).execute(1)
        #expect(try #require(await store.report()).messages.isEmpty)
        #expect(made.value == 0)
    }

    @Test func noMessageIsMadeUntilASinkShowsIt() async throws {
        let store = LogStore()
        _ = try await LoggerNode(next: counting(), sink: .memory(store)).execute(1)
        let report = try #require(await store.report())
        #expect(made.value == 0)
        #expect(report.messages == ["made 1", "made 2", "made 3 ***", "made 4"])
        #expect(made.value == 4)
    }
}

private final class CountingNode: Node<Int, Int>, @unchecked Sendable {
    private let level: LogLevel
    private let made: Counter

    init(level: LogLevel, made: Counter) {
        self.level = level
        self.made = made
    }

    override func process(_ data: Int) -> Observer<Int> {
        log(level, "made \(self.made.add())")
        log(level) { "made \(self.made.add())" }
        log(level) { redaction in "made \(self.made.add()) \(redaction.header("Cookie", "a"))" }
        if level == .info { log("made \(self.made.add())") }
        return .emit(data: data)
    }
}
