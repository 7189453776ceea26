import NodeCore
import Synchronization
import Testing

@testable import Logging

private struct Silent: JournalEntry {
    let id = "Sender"
}

private struct Event: JournalEntry, CustomStringConvertible {
    let id = "Gate"
    let description = "waits, Bearer hunter2"
}

@Suite struct LogReportTests {
    private func report(
        end: Outcome<Void> = .completed(()), filter: LogFilter = LogFilter(level: .trace),
        redaction: Redaction = .standard, _ entries: [any JournalEntry]
    ) -> LogReport {
        let journal = Journal()
        for entry in entries { journal.append(entry) }
        return LogReport(closing: journal, end: end, filter: filter, redaction: redaction)
    }

    @Test func theTextFormNamesTheNodeAboveItsLines() {
        let report = report(
            filter: LogFilter(exclude: ["LoggerNode"]),
            [
                Log(id: "A") { "one\ntwo" }, Log(id: "B", level: .warning) { "three\n" },
            ])
        #expect(report.description == "<<<===A===>>>\none\ntwo\n<<<===B===>>>\nthree\n")
        #expect(
            report.text(colors: true)
                == "\u{1B}[36m<<<===A===>>>\u{1B}[0m\none\ntwo\n\u{1B}[33m<<<===B===>>>\u{1B}[0m\nthree\n")
    }

    @Test(arguments: [
        ("\u{1B}]0;owned\u{7}x\u{1B}[2J", #"\u{1B}]0;owned\u{7}x\u{1B}[2J"#),
        ("shown\rhidden", #"shown\u{D}hidden"#), ("a\u{9B}31mb\u{7F}\0", #"a\u{9B}31mb\u{7F}\u{0}"#),
        ("a\r\nb\tc", "a\nb\tc"), ("é £ 🇱🇻", "é £ 🇱🇻"), ("\r", #"\u{D}"#),
    ])
    func whatAServerSentCannotSteerATerminal(sent: String, shown: String) {
        let report = report(filter: LogFilter(exclude: ["LoggerNode"]), [Log(id: "A") { sent }])
        #expect(report.description == "<<<===A===>>>\n\(shown)\n")
        #expect(report.lines.map(\.log.message) == [sent], "only the text form is for terminals")
    }

    @Test(arguments: [
        ("<<<===Forged===>>>", " <<<===Forged===>>>"), ("a\n<<<===B===>>>\nb", "a\n <<<===B===>>>\nb"),
        ("a\r\n=== 2026-01-31T23:59:59.123Z\r\n", "a\n === 2026-01-31T23:59:59.123Z"),
        ("a\u{2028}<<<===B", "a\u{2028} <<<===B"), ("\n\u{2029}=== B", "\n\u{2029} === B"),
        ("<<<===\u{338}B", " <<<===\u{338}B"), ("a <<<=== b\n===b", "a <<<=== b\n===b"),
    ])
    func whatAServerSentCannotImitateABlock(sent: String, shown: String) {
        let text = report(filter: LogFilter(exclude: ["LoggerNode"]), [Log(id: "A") { sent }]).description
        #expect(Array(text.unicodeScalars) == Array("<<<===A===>>>\n\(shown)\n".unicodeScalars), "\(text)")
    }

    @Test func theTextFormEndsWithTheEndOfTheRun() {
        let lines = report([]).description.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first == "<<<===LoggerNode===>>>")
        #expect(lines.last?.hasPrefix("completed in ") == true)
        #expect(lines.last?.hasSuffix(" ms") == true)
    }

    @Test func entriesOfOtherTypesAreBesideTheLines() {
        let report = report([Silent(), Event(), Log(id: "A") { "x" }])
        #expect(report.entries.map { "\(type(of: $0))" } == ["Silent", "Event"])
        #expect(report.lines.map(\.log.id) == ["Gate", "A"])
    }

    @Test func theUrlOfTheDetailsIsMaskedByTheLoggersRules() {
        var details = Log.Details()
        details.url = "https://a.example/?iban=1&token=2"
        details.status = 404
        let log = Log(id: "A", kind: .response, details: details) { "x" }
        let logged = report(redaction: .standard.adding(keys: ["iban"]), [log]).lines.first?.log
        #expect(log.details.url == "https://a.example/?iban=1&token=***")
        #expect(logged?.details.url == "https://a.example/?iban=***&token=***")
        #expect(logged?.details.status == 404)
        #expect(logged?.kind == .response)
    }

    @Test func aPrintedLineShowsNoSecret() throws {
        var details = Log.Details()
        details.url = "https://a.example/?token=geheim"
        let log = Log(id: "A", details: details) { "sent Bearer geheim" }
        #expect("\(log)" == "info A: sent Bearer ***")
        let line = try #require(report([log]).lines.first)
        var text = "\(line)"
        #expect(text.hasSuffix(" info A: sent Bearer ***"))
        dump([line.log as Any, line], to: &text)
        #expect(!text.contains("geheim"))
    }

    @Test func anEntryThatDescribesItselfIsALineOfInfo() {
        let lines = report(filter: LogFilter(level: .info), [Event()]).lines
        #expect(lines.map(\.log.id) == ["Gate"])
        #expect(lines.map(\.log.message) == ["waits, Bearer ***"])
        #expect(report(filter: LogFilter(level: .warning), [Event()]).lines.isEmpty)
    }

    @Test func everyWayToAMessageGoesThroughTheLoggersRules() {
        let report = report(redaction: .standard.adding(keys: ["iban"]), [Log(id: "A") { "iban=1&token=2&a=3" }])
        let logs = report.lines.map(\.log) + report.shown.prefix(1)
        #expect(logs.map(\.message) == Array(repeating: "iban=***&token=***&a=3", count: 2))
        #expect(logs[0].masked(by: .none).message == "iban=1&token=2&a=3")
    }

    @Test func redactionCanBeSwitchedOff() {
        #expect(report(redaction: .none, [Log(id: "A") { "token=2" }]).lines.map(\.log.message) == ["token=2"])
    }

    @Test func aMessageMayTakeTheRulesAndPartsApart() {
        let log = Log(id: "A") { redaction in redaction.header("Cookie", "a") + redaction.form("x=1") }
        #expect(log.message == "***x=1")
        #expect(log.masked(by: .none).message == "ax=1")
    }

    @Test(arguments: [
        (Duration.zero, "0.0 ms"), (.microseconds(1250), "1.3 ms"), (.seconds(61), "61000.0 ms"),
        (.microseconds(49), "0.0 ms"),
    ])
    func aDurationIsShownInMilliseconds(duration: Duration, text: String) {
        #expect(duration.inMilliseconds == text)
    }

    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (951_782_400.5, "2000-02-29T00:00:00.500Z"),
        (1_798_761_599.25, "2026-12-31T23:59:59.250Z"),
    ])
    func aTimeIsShownInUtc(time: Double, text: String) {
        #expect(WallClock.text(time) == text)
    }
}
