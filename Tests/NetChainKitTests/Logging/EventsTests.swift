import NetChainKit
import NetChainTestKit
import Synchronization
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The events of a chain, as the sink receives them, with the request's task-local value.
private final class Events: Sendable {
    struct Received: Sendable {
        let log: Log
        let value: Int
    }

    private let state = Mutex<[Received]>([])

    var all: [Received] { state.withLock { $0 } }
    var logs: [Log] { all.map(\.log) }

    var sink: LogSink {
        .events { log in self.state.withLock { $0.append(Received(log: log, value: Values.request)) } }
    }
}

private enum Values {
    @TaskLocal static var request = 0
}

struct EventsTests {
    private let events = Events()

    private func client(_ statuses: [Int], level: LogLevel = .debug) -> ApiClient {
        let sent = Mutex<[String: Int]>([:])
        let sender = ScriptedRequestSender { exchange in
            let path = exchange.request.url.path
            let count = sent.withLock { sent in
                sent[path, default: 0] += 1
                return sent[path] ?? 0
            }
            exchange.respond(status: statuses[min(count, statuses.count) - 1], json: "{}")
        }
        return ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.retry = .constant(.milliseconds(1))
            $0.log.sink = events.sink
            $0.log.filter.level = level
        }
    }

    @Test func aSinkReceivesTypedEventsAsTheyHappen() async throws {
        _ = try await client([503, 200]).get("users?token=secret").send()
        let logs = events.logs.filter { $0.kind != .message }
        #expect(
            logs.map(\.kind) == [
                .request, .attempt, .response, .failure, .retry, .request, .attempt, .response, .completion,
            ])
        #expect(logs.map(\.details.attempt) == [1, 1, 1, 1, 1, 2, 2, 2, 2])
        #expect(logs.map(\.details.status) == [nil, 503, 503, 503, nil, nil, 200, 200, 200])
        #expect(logs.allSatisfy { $0.details.url == "https://api.example.com/users?token=***" })
        #expect(Set(logs.map(\.details.run)).count == 1)
        #expect(logs[0].details.method == "GET")
        #expect(logs[0].details.url == "https://api.example.com/users?token=***")
        #expect(logs[4].details.duration == .milliseconds(1))
        #expect((logs[4].details.error as? HttpError)?.status == 503)
        #expect(logs[8].details.duration.map { $0 > .zero } == true)
        #expect(events.logs.allSatisfy { $0.level < .error }, "the retry healed the failure")
    }

    @Test func eachRunHasANumber() async throws {
        let client = client([200])
        for _ in 0..<2 { _ = try await client.get("users").send() }
        let runs = events.logs.filter { $0.kind == .completion }.compactMap(\.details.run)
        #expect(runs.count == 2 && runs[0] < runs[1])
        #expect(events.logs.allSatisfy { $0.details.run.map(runs.contains) == true })
    }

    @Test func aFailedRunHasOneErrorAtItsEnd() async throws {
        await #expect(throws: HttpError.self) { try await client([500]).get("users").send() }
        let errors = events.logs.filter { $0.level == .error }
        #expect(errors.map(\.kind) == [.failure])
        #expect(errors.map(\.id) == ["LoggerNode"])
        #expect((errors.first?.details.error as? HttpError)?.status == 500)
        #expect(events.logs.last?.message.hasPrefix("failed after ") == true)
    }

    @Test func aCanceledRunSaysSo() async throws {
        let sender = ScriptedRequestSender()
        let request = ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.log.sink = events.sink
            $0.log.filter.level = .debug
        }.get("users")
        let task = Task { try await request.send() }
        let exchange = try await sender.nextRequest()
        task.cancel()
        _ = await task.result
        let logs = events.logs.filter { $0.kind != .message }
        #expect(logs.map(\.kind) == [.request, .attempt, .cancellation])
        #expect(logs[1].details.error is CancellationError)
        #expect(exchange.isCanceled)
    }

    #if os(Linux)
    @Test func eachSendingOfTheSenderHasItsAttempt() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users", inOrder: [.close, .json("{}")])
        let client = ApiClient("\(server.url)") {
            $0.sender = try? CurlRequestSender()
            $0.retry = nil
            $0.log.sink = events.sink
            $0.log.filter.level = .debug
        }
        _ = try await client.get("users").send()
        #expect(events.logs.filter { $0.kind == .attempt }.map(\.details.attempt) == [1, 2])
    }
    #endif

    @Test func eventsBelowTheLevelDoNotArrive() async throws {
        _ = try await client([503, 200], level: .warning).get("users").send()
        #expect(events.logs.map(\.kind) == [.failure, .retry])
    }

    @Test func eachEventSeesTheTaskLocalValueOfItsRequest() async throws {
        let client = client([503, 200])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for value in 1...50 {
                group.addTask {
                    try await Values.$request.withValue(value) { _ = try await client.get("users/\(value)").send() }
                }
            }
            try await group.waitForAll()
        }
        let requests = events.all.filter { event in
            ![.completion, .failure].contains(event.log.kind) && event.log.details.url != nil
        }
        #expect(requests.count == 50 * 7)
        for event in requests {
            #expect(event.log.details.url == "https://api.example.com/users/\(event.value)")
        }
        #expect(Set(events.all.map(\.value)) == Set(1...50))
    }

    @Test func aRequestOfTheHandlerIsNoPartOfTheRun() async throws {
        let inner = client([200])
        let count = Mutex(0)
        let outer = client([200]).log(
            to: .events { log in
                guard log.kind == .completion else { return }
                count.withLock { $0 += 1 }
                inner.get("metrics").process(as: Data.self)
            })
        _ = try await outer.get("users").send()
        #expect(count.withLock { $0 } == 1)
    }
}

/// What a logger keeps of a run that goes on for long.
struct LongRunTests {
    @Test func tenThousandRejectedAttemptsKeepTheLastEntries() async throws {
        let store = LogStore()
        let body = String(repeating: "a", count: 100_000)
        let sender = ScriptedRequestSender { $0.respond(status: 503, json: "\"\(body)\"") }
        let api = ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.retry = .constant(.zero, maxAttempts: 10_000)
            $0.log.sink = .memory(store)
        }
        await #expect(throws: HttpError.self) { try await api.get("users").send() }
        let report = try #require(await store.report())
        #expect((100...1000).contains(report.lines.count))
        #expect(report.dropped > 30_000)
        #expect(report.shown.first?.message == "the first \(report.dropped) entries were dropped")
        #expect(report.lines.reduce(0) { $0 + $1.log.retainedBytes } <= 16 << 20)
        #expect(report.lines.last?.log.message.hasPrefix("attempt 10000 is the last one") == true)
    }
}
