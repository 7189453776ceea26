#if os(Linux)
import Foundation
import HttpArchive
import Models
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

/// What an independent reader of HAR files, haralyzer of PyPI, finds in the file of a run against a real server.
struct HarParserTests {
    private static let python = ProcessInfo.processInfo.environment["NETCHAIN_PYTHON"]

    struct Seen: Codable, Equatable {
        let method: String
        let url: String
        let status: Int
        let statusText: String
        let requestSize: Int
        let responseSize: Int
        let contentSize: Int
        let text: String?
    }

    /// What haralyzer read, and its own sum of the times.
    struct Read: Codable {
        let seen: Seen
        let time: Double
        let sum: Double
        let wait: Double
        let receive: Double
        /// The request's headers, names in lower case.
        let headers: [String: String]
        let started: String
        let address: String?
    }

    private static let script = """
        import json, sys
        from haralyzer import HarParser
        parser = HarParser(json.load(open(sys.argv[1])))
        rows = []
        for page in parser.pages:
            for e in page.entries:
                t = e.timings
                rows.append({
                    "seen": {
                        "method": e.request.method, "url": e.request.url, "status": e.response.status,
                        "statusText": e.response.statusText,
                        "requestSize": e.request.bodySize, "responseSize": e.response.bodySize,
                        "contentSize": e.response.contentSize, "text": e.response.raw_entry["content"].get("text"),
                    },
                    "time": e.time, "wait": t["wait"], "receive": t["receive"],
                    "headers": {h["name"].lower(): h["value"] for h in e.request.headers}, "started": e.startTime.isoformat(),
                    "address": e.raw_entry.get("serverIPAddress"),
                    "sum": sum(max(t[k], 0) for k in ("blocked", "dns", "connect", "send", "wait", "receive")),
                })
        json.dump(rows, sys.stdout)
        """

    @Test(.enabled(if: python != nil, "NETCHAIN_PYTHON is not set: Scripts/test.sh sets it"))
    func anIndependentParserReadsTheRun() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/list", respond: .json("[1, 2, 3]"))
        server.on(.post, "/users", respond: .json(#"{"id": 7}"#, status: 201))
        server.on(.get, "/from", respond: .redirect(to: "/list"))
        server.on(.get, "/missing", respond: .text("no", status: 404))
        server.on(.get, "/broken", respond: .status(200).closingInsideHead())
        let recorder = HarRecorder(bodies: .upTo(bytes: 1000))
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let sender = HarRecordingSender(next: try CurlRequestSender(configuration: configuration), recorder: recorder)
        let clock = ContinuousClock()
        var durations: [Duration] = []
        var metrics: [TransferMetrics?] = []
        let calls: [(HttpMethod, String, RequestBody)] = [
            (.get, "/list?page=2", .empty), (.post, "/users", .data(Data(#"{"name": "Ann"}"#.utf8))),
            (.get, "/from", .empty), (.get, "/missing", .empty), (.get, "/broken", .empty),
        ]
        for (method, target, body) in calls {
            let request = HttpRequest(method: method, url: server.url(target), body: body)
            durations.append(
                await clock.measure {
                    metrics.append(try? await sender.observed(request).value.metrics)
                })
        }
        let base = server.url.absoluteString
        let read = try Self.read(recorder)
        #expect(
            read.map(\.seen) == [
                Seen(
                    method: "GET", url: base + "/list?page=2", status: 200, statusText: "OK", requestSize: 0,
                    responseSize: 9,
                    contentSize: 9, text: "[1, 2, 3]"),
                Seen(
                    method: "POST", url: base + "/users", status: 201, statusText: "Created", requestSize: 15,
                    responseSize: 9,
                    contentSize: 9, text: #"{"id": 7}"#),
                Seen(
                    method: "GET", url: base + "/from", status: 302, statusText: "Found", requestSize: 0,
                    responseSize: 0, contentSize: 0, text: nil),
                Seen(
                    method: "GET", url: base + "/list", status: 200, statusText: "OK", requestSize: 0, responseSize: 9,
                    contentSize: 9, text: "[1, 2, 3]"),
                Seen(
                    method: "GET", url: base + "/missing", status: 404, statusText: "Not Found", requestSize: 0,
                    responseSize: 2,
                    contentSize: 2, text: "no"),
                Seen(
                    method: "GET", url: base + "/broken", status: 0, statusText: "", requestSize: 0, responseSize: -1,
                    contentSize: 0,
                    text: nil),
            ])
        for row in read {
            #expect(abs(row.time - row.sum) < 0.01)
            #expect(row.time > 0)
            #expect(row.wait >= 0)
        }
        // The last of each call's exchanges; the redirect is a further one.
        let ends = [read[0], read[1], read[3], read[4], read[5]]
        for (row, duration) in zip(ends, durations) { #expect(row.time <= duration / .milliseconds(1) + 1) }
        for case (let row, let figures?) in zip(ends, metrics) {
            #expect(abs(row.receive - (figures.total - figures.firstByte) / .milliseconds(1)) < 0.01)
            #expect(row.time >= figures.total / .milliseconds(1) - 0.01)
        }
        #expect(read.map(\.address) == Array(repeating: "127.0.0.1", count: 6))
        // What the server received, `Host` and the other headers of libcurl included.
        #expect(server.requests.count == 6)
        for (row, request) in zip(read, server.requests) {
            let received = request.headers.fields.map { ($0.name.lowercased(), $0.value) }
            #expect(row.headers == Dictionary(received) { first, _ in first })
            #expect(row.headers["host"] == "127.0.0.1:\(server.port)")
        }
    }

    private static func read(_ recorder: HarRecorder) throws -> [Read] {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("run.har")
        try recorder.write(to: file)
        let program = folder.url.appendingPathComponent("read.py")
        try Data(script.utf8).write(to: program)
        // Not by Foundation's Process, for the reason that CurlCommandTests has.
        let python = try #require(python)
        let output = try #require(popen("'\(python)' '\(program.path)' '\(file.path)'", "r"))
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, output)
            guard count > 0 else { break }
            data += buffer[..<count]
        }
        try #require(pclose(output) == 0)
        return try JSONDecoder().decode([Read].self, from: data)
    }
}
#endif
