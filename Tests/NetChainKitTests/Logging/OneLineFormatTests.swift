import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LogFormat {
    fileprivate static let oneLine = LogFormat { report in
        let steps = report.lines.map(\.log).filter { $0.level == .info || $0.level == .warning }
        let shown = steps.filter { ["RequestCreatorNode", "ResponseProcessorNode", "RetryNode"].contains($0.id) }
        let time = Date(timeIntervalSince1970: report.startTime).formatted(.iso8601)
        let line = ([time] + shown.map(\.message) + [report.summary]).joined(separator: " | ")
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        return String(line.unicodeScalars.map { isControl($0) ? " " : Character($0) }) + "\n"
    }
}

/// A format of one line for each run, which is none of the library's own, is a few lines with its public parts.
struct OneLineFormatTests {
    private let folder: TestFolder
    private var sink: LogSink { .file(folder.place("one-line.log").path, format: .oneLine) }
    private var lines: [Substring] {
        get throws {
            try String(decoding: Data(contentsOf: folder.place("one-line.log")), as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
        }
    }

    init() throws {
        folder = try TestFolder()
    }

    private func builder(_ sink: LogSink) -> UrlChainsBuilder<Route> {
        UrlChainsBuilder<Route>().log(to: sink).route(.get, .users)
    }

    @Test func aRunIsOneLine() async throws {
        let sink = sink
        let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)
        for level in [LogLevel.info, .debug] {
            _ = try await builder(sink).log(level: level).sender(sender).build().execute() as User
        }
        await sink.drain()

        let lines = try lines
        #expect(lines.count == 3 && lines.last == "")
        for line in lines.dropLast() {
            let parts = line.split(separator: " | ")
            #expect(
                parts.dropFirst().dropLast() == ["GET http://api.example.com/users", "status 200, 24 bytes"])
            #expect(parts.first?.count == "2026-11-21T22:31:07Z".count && parts.first?.last == "Z")
            #expect(parts.last?.hasPrefix("completed in ") == true)
        }
    }

    @Test func aRefusalAndAnErrorOfManyLinesAreOneLineEach() async throws {
        struct Failure: Error, CustomStringConvertible {
            let description = "first\nsecond\u{1B}[31m"
        }
        let sink = sink
        let refusing = ScriptedRequestSender { $0.respond(status: 404, json: "{}") }
        let failing = ScriptedRequestSender { $0.fail(Failure()) }
        for sender in [refusing, failing] {
            let chain: Node<Void, User> = builder(sink).sender(sender).build()
            _ = try? await chain.execute()
        }
        await sink.drain()

        let lines = try lines
        #expect(lines.count == 3)
        #expect(lines[0].contains(" | status 404, 2 bytes | failed after "))
        #expect(lines[1].contains(" | failed after "))
        #expect(lines[1].hasSuffix(": first second [31m"))
    }
}
