import Logging
import NetChainKit
import NetChainLogging
import NetChainTestKit
import Synchronization

/// A handler that prints what it receives and keeps it.
struct Recorder: LogHandler {
    final class Records: Sendable {
        private let records = Mutex<[Logger.Metadata]>([])

        var all: [Logger.Metadata] { records.withLock { $0 } }

        func add(_ metadata: Logger.Metadata) { records.withLock { $0.append(metadata) } }
    }

    let records: Records
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = metadata.merging(event.metadata ?? [:]) { $1 }
        let shown = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        print("\(event.level) \(event.message)\n    \(shown)")
        records.add(values)
    }
}

struct Unexpected: Error {
    let what: String
}

func expect(_ condition: Bool, _ what: String) throws {
    guard condition else { throw Unexpected(what: what) }
    print("✔ \(what)")
}

// The server fails once, then answers.
let server = try LoopbackServer()
server.on(.get, "/rates", inOrder: [.status(503), .json(#"{"EUR": 1}"#)])

let records = Recorder.Records()
let logger = Logger(label: "rates") { _ in Recorder(records: records) }
let api = ApiClient(server.url.absoluteString) {
    $0.log.sink = .swiftLog(logger)
    $0.retry = .constant(.milliseconds(20), maxAttempts: 2)
}
let rates: [String: Int] = try await api.get("rates").query(["token": "secret"]).send()
try expect(rates == ["EUR": 1], "the second attempt has the rates")

let events = records.all
let responses = events.filter { $0["event"] == "response" }
try expect(responses.map { $0["status"] } == ["503", "200"], "each response is an event with its status")
try expect(responses.map { $0["attempt"] } == ["1", "2"], "and the number of the attempt")
try expect(responses.allSatisfy { $0["duration_ms"] != nil && $0["method"] == "GET" }, "duration and method")
try expect(events.contains { $0["event"] == "retry" }, "so is the retry")
try expect(events.last?["event"] == "completion", "the last one is the completion")
try expect(!events.contains { "\($0)".contains("secret") }, "no secret was logged")
