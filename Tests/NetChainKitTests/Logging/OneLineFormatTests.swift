import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The format `LogFormat.line`.
struct OneLineFormatTests {
    private let folder: TestFolder
    private var sink: LogSink { .file(folder.place("one-line.log").path, format: .line) }
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

    @Test(arguments: [LogLevel.info, .debug]) func aRunIsOneLine(level: LogLevel) async throws {
        let sink = sink
        let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)
        for _ in 1...2 { _ = try await builder(sink).log(level: level).sender(sender).build().execute() as User }
        await sink.drain()

        let lines = try lines
        #expect(lines.count == 3 && lines.last == "")
        for line in lines.dropLast() {
            let parts = line.split(separator: " ")
            #expect(parts.first?.count == "2026-11-21T22:31:07.123Z".count && parts.first?.last == "Z")
            #expect(parts[1...5] == ["GET", "http://api.example.com/users", "200", "completed", "in"])
            #expect(parts.count == 8 && parts.last == "ms")
        }
    }

    @Test func aResponseOfTheCacheSaysSo() async throws {
        let sink = sink
        let sender = ScriptedRequestSender { $0.respond(json: "{}", headers: ["Cache-Control": "max-age=60"]) }
        let api = ApiClient("http://api.example.com") {
            $0.sender = sender
            $0.log.sink = sink
            $0.cache = HttpCache(memory: 100_000)
        }
        for _ in 1...2 { try await api.get("a").send() }
        await sink.drain()
        let lines = try lines
        #expect(lines.count == 3)
        #expect(lines[0].contains("GET http://api.example.com/a 200 completed in "))
        #expect(lines[1].contains("GET http://api.example.com/a 200 (cache: hit, "))
    }

    @Test func aRetriedRequestNamesItsLastAttemptAndMasksSecrets() async throws {
        let sink = sink
        let statuses = Gathered<Int>()
        [503, 200].forEach(statuses.append)
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(status: statuses.all[exchange.request.attempt - 1], json: "{}")
        }
        let api = ApiClient("http://api.example.com") {
            $0.sender = sender
            $0.log.sink = sink
            $0.retry = .constant(.zero, maxAttempts: 2)
        }
        _ = try await api.get("a?token=hunter2").send(as: Json.self)
        await sink.drain()
        #expect(try lines[0].contains("Z GET http://api.example.com/a?token=*** 200 attempt 2 completed in "))
    }

    @Test func aRejectionAndAnErrorOfManyLinesAreOneLineEach() async throws {
        struct Failure: Error, CustomStringConvertible {
            let description = "first\nsecond\u{1B}[31m"
        }
        let sink = sink
        let rejecting = ScriptedRequestSender { $0.respond(status: 404, json: "{}") }
        let failing = ScriptedRequestSender { $0.fail(Failure()) }
        for sender in [rejecting, failing] {
            let chain: Node<Void, User> = builder(sink).sender(sender).build()
            _ = try? await chain.execute()
        }
        await sink.drain()

        let lines = try lines
        #expect(lines.count == 3)
        #expect(lines[0].contains("Z GET http://api.example.com/users 404 failed after "))
        #expect(lines[1].contains("Z GET http://api.example.com/users failed after "))
        #expect(lines[1].hasSuffix(#": first second\u{1B}[31m"#))
    }

    @Test func whatTheFilterHidesIsNotWritten() async throws {
        let sink = sink
        let sender = ScriptedRequestSender(json: #"{"id": 1, "name": "Ann"}"#)
        _ = try await builder(sink).log(level: .error).sender(sender).build().execute() as User
        await sink.drain()
        #expect(throws: (any Error).self, "no file") { try lines }
    }
}
