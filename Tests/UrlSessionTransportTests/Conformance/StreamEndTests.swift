import HttpArchive
import Logging
import NetChainKit
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The end of a run whose value is a stream: in the log, in HAR files and by a deadline.
@Suite(.timeLimit(.minutes(1)))
struct StreamEndTests {
    private enum Values {
        @TaskLocal static var request = 0
    }

    private struct Event: Sendable {
        let log: Log
        let value: Int
    }

    private let server: LoopbackServer
    private let events = Recorder<Event>()
    private let store = LogStore()

    init() throws {
        server = try LoopbackServer()
    }

    private func client(
        _ kind: SenderKind, _ sink: LogSink? = nil, clock: any ChainClock = .system
    ) throws -> ApiClient {
        let sender = try kind.sender()
        return ApiClient(server.url.absoluteString) {
            $0.sender = sender
            $0.clock = clock
            $0.log.sink = sink ?? .events { [events] in events.append(Event(log: $0, value: Values.request)) }
            $0.log.filter.level = .debug
        }
    }

    private var logs: [Log] { events.values.map(\.log).filter { $0.kind != .message } }

    private static let text = String(repeating: "a", count: 1000)

    /// Reads the stream of `path` to its end. Returns how many bytes it had and its error.
    private func read(_ api: ApiClient, _ path: String) async throws -> (count: Int, error: (any Error)?) {
        let stream = try await api.get(path).stream().value
        var count = 0
        do {
            for try await piece in stream { count += piece.count }
            return (count, nil)
        } catch {
            return (count, error)
        }
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamThatBreaksIsAFailedRun(kind: SenderKind) async throws {
        server.on(.get, "/a", respond: .text(Self.text).closing(afterBytes: 600))
        let (count, error) = try await Values.$request.withValue(7) { try await read(client(kind), "a") }
        #expect((error as? TransportError)?.code == .truncatedResponse)
        // The reader gets the end when it is logged.
        #expect(logs.map(\.kind) == [.request, .response, .attempt, .failure])
        #expect(logs.map(\.details.status) == [nil, 200, 200, 200])
        #expect(events.values.allSatisfy { $0.value == 7 })
        let last = try #require(logs.last)
        #expect(last.id == "LoggerNode" && last.level == .error)
        #expect((last.details.error as? TransportError)?.code == .truncatedResponse)
        #expect((logs[2].details.error as? TransportError)?.code == .truncatedResponse)
        #expect((logs[2].details.value as? TransferMetrics)?.bytesReceived == Int64(count))
        #expect((last.details.value as? TransferMetrics)?.bytesReceived == Int64(count))
        #expect(last.message.contains(", \(count) bytes streamed: "))
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamThatStallsIsAFailedRun(kind: SenderKind) async throws {
        server.on(.get, "/a", respond: .text(Self.text).stalling(afterBytes: 600))
        let (_, error) = try await read(client(kind).stallTimeout(.seconds(1)), "a")
        for error in [error, logs.last?.details.error] {
            guard case .timeout(let cause) = error as? TechnicalError else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(cause.code == .stalled)
        }
        #expect(logs.map(\.kind) == [.request, .response, .attempt, .failure])
        #expect(logs.last?.details.duration.map { $0 >= .seconds(1) } == true)
    }

    @Test(arguments: SenderKind.allCases)
    func aCompleteStreamIsACompletedRunWithItsBytesAndDuration(kind: SenderKind) async throws {
        server.hold("/a")
        let api = try client(kind)
        async let stream = api.get("a").stream()
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead(headers: ["Content-Length": "1000"])
        exchange.sendBody(Array(Self.text.utf8.prefix(400)))
        let bytes = try await stream.value.makeAsyncIterator()
        _ = try await bytes.next()
        #expect(logs.map(\.kind) == [.request, .response])
        let before = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(20))
        exchange.sendBody(Array(Self.text.utf8.suffix(600)))
        exchange.finish()
        while try await bytes.next() != nil {}
        #expect(logs.map(\.kind) == [.request, .response, .attempt, .completion])
        let whole = try #require(logs[2].details.value as? TransferMetrics)
        #expect(whole.bytesReceived == 1000)
        #expect(whole.total > .milliseconds(20) && whole.total < .now - before + .seconds(5))
        #expect(logs[3].details.duration.map { $0 > .milliseconds(20) } == true)
        #expect(logs[3].details.status == 200)
        #expect(logs[3].message.hasSuffix(", 1000 bytes streamed"))
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamThatIsReleasedIsACanceledRun(kind: SenderKind) async throws {
        server.on(.get, "/a", respond: .text(Self.text).stalling(afterBytes: 600))
        let api = try client(kind, .memory(store))
        for try await _ in try await api.get("a").stream().value { break }
        let report = try #require(await store.report())
        #expect(report.end.isCanceled)
        #expect(report.summary.contains("canceled after ") && report.summary.hasSuffix(" bytes streamed"))
        let attempt = try #require(report.lines.map(\.log).last { $0.kind == .attempt })
        #expect((attempt.details.value as? TransferMetrics).map { $0.bytesReceived > 0 } == true)
        #expect(attempt.details.error is CancellationError)
    }

    @Test(arguments: SenderKind.allCases)
    func aReportComesAtTheEndOfTheStream(kind: SenderKind) async throws {
        server.hold("/a")
        let api = try client(kind, .memory(store))
        async let stream = api.get("a").stream()
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead(headers: ["Content-Length": "1000"])
        exchange.sendBody(Array(Self.text.utf8.prefix(400)))
        let bytes = try await stream.value.makeAsyncIterator()
        _ = try await bytes.next()
        #expect(store.reports.isEmpty)
        exchange.close()
        await #expect(throws: TransportError.self) { while try await bytes.next() != nil {} }
        let report = try #require(await store.report())
        #expect((report.end.error as? TransportError)?.code == .truncatedResponse)
    }

    @Test func aScriptedStreamEndsAtOnce() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 200, json: "{}") }
        let api = ApiClient("https://api.example.com").sender(sender).log(to: .memory(store))
        for try await _ in try await api.get("a").stream().value {}
        #expect(try #require(await store.report()).summary.hasSuffix(", 2 bytes streamed"))
    }

    /// What a middleware reads or drops is no part of the run.
    @Test(arguments: SenderKind.allCases)
    func aStreamThatMiddlewareDropsDoesNotEndTheRun(kind: SenderKind) async throws {
        server.on(.get, "/a", respond: .text(Self.text).stalling(afterBytes: 600))
        let api = try client(kind, .memory(store)).middleware { request, next in
            let response = try await next(request)
            return HttpResponse(request: response.request, status: 200, bytes: ByteStream(Data("own".utf8)))
        }
        #expect(try await read(api, "a").count == 3)
        let report = try #require(await store.report())
        #expect(!report.end.isCanceled && !report.summary.contains("streamed"))
    }

    // MARK: Streams of values

    /// The time limits of a stream of values end with the head.
    @Test(arguments: SenderKind.allCases)
    func aStreamOfValuesMayBeSilent(kind: SenderKind) async throws {
        server.on(.get, "/lines", respond: .lines(["1", "2"]).pausing(.milliseconds(2_500)))
        server.on(.get, "/never", respond: .neverAnswer)
        let api = try client(kind, .silent).timeout(.seconds(2)).stallTimeout(.seconds(1))
        var values: [Int] = []
        for try await value in api.get("lines").lines(of: Int.self) { values.append(value) }
        #expect(values == [1, 2])
        let late = api.get("never").lines(of: Int.self).makeAsyncIterator()
        #expect(await thrown(TechnicalError.self) { try await late.next() }?.isTimeout == true)
    }

    // MARK: Deadlines

    @Test(arguments: SenderKind.allCases)
    func aDeadlineEndsAStream(kind: SenderKind) async throws {
        server.hold("/a")
        let clock = TestClock()
        let api = try client(kind, clock: clock).deadline(.seconds(5))
        async let stream = api.get("a").stream()
        let exchange = try await server.nextRequest("/a")
        exchange.sendHead(headers: ["Content-Length": "1000"])
        exchange.sendBody(Array(Self.text.utf8.prefix(400)))
        let bytes = try await stream.value.makeAsyncIterator()
        clock.advance(by: .seconds(4))
        #expect(try await bytes.next() != nil)
        clock.advance(by: .seconds(1))
        let error = await thrown(TechnicalError.self) { while try await bytes.next() != nil {} }
        guard case .timeout(let cause)? = error else { return }
        #expect(cause.code == .deadlinePassed)
        #expect(cause.wasProcessed == .yes)
        #expect(logs.map(\.kind) == [.request, .response, .attempt, .failure])
        try await exchange.clientClosed()
    }

    @Test(arguments: SenderKind.allCases)
    func aDeadlineAfterTheEndOfAStreamHasNoEffect(kind: SenderKind) async throws {
        server.on(.get, "/a", respond: .text(Self.text))
        let clock = TestClock()
        let (count, error) = try await read(client(kind, clock: clock).deadline(.seconds(5)), "a")
        #expect(count == 1000 && error == nil)
        #expect(clock.delays.isEmpty)
    }

    // MARK: HAR files

    @Test(arguments: SenderKind.allCases)
    func aHarFileHasTheWholeStream(kind: SenderKind) async throws {
        server.on(.get, "/cut", respond: .text(Self.text).closing(afterBytes: 600))
        server.on(.get, "/whole", respond: .text(Self.text))
        for (path, isCut) in [("whole", false), ("cut", true)] {
            let recorder = HarRecorder()
            let (count, _) = try await read(client(kind).record(to: recorder), path)
            let entry = try Json(parsing: recorder.data())["log"]?["entries"]?[0]
            #expect(entry?["response"]?["status"] == 200)
            #expect(entry?["response"]?["content"]?["size"]?.int == count)
            #expect((entry?["_error"] != nil) == isCut)
        }
    }
}
