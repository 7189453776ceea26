import Foundation
import Logging
import Models
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

@testable import HttpArchive

struct HarRecorderTests {
    private static func request(
        _ method: HttpMethod = .get, _ url: String = "http://example.com/a", headers: HttpHeaders = [:],
        body: String? = nil
    ) throws -> HttpRequest {
        HttpRequest(
            method: method, url: try #require(URL(string: url)), headers: headers,
            body: body.map { .data(Data($0.utf8)) } ?? .empty)
    }

    private static func log(_ recorder: HarRecorder) throws -> Json {
        try #require(try Json(parsing: recorder.data())["log"])
    }

    @Test func anEntryTellsOfRequestAndAnswer() async throws {
        let recorder = HarRecorder(bodies: .upTo(bytes: 1000))
        let scripted = ScriptedRequestSender { exchange in
            exchange.respond(
                status: 201,
                headers: [
                    "Content-Type": "application/json",
                    "Set-Cookie": "theme=dark; Path=/a; Domain=x.org; Secure; HttpOnly",
                    "Location": "/a/1",
                ], body: Data(#"{"id": 1}"#.utf8))
        }
        let sender = recorder.recording(scripted)
        let request = try Self.request(
            .post, "http://example.com/a%20b?x=1%262&y=a+b&z#end",
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Cookie": "theme=dark; lang=en"],
            body: "name=Ann+B&c=%26")
        _ = try await sender.observed(request).value
        let log = try Self.log(recorder)
        #expect(log["version"]?.string == "1.2")
        #expect(log["creator"]?["name"]?.string == "NetChainKit")
        let entry = try #require(log["entries"]?[0])
        let sent = try #require(entry["request"])
        #expect(sent["method"]?.string == "POST")
        #expect(sent["url"]?.string == "http://example.com/a%20b?x=1%262&y=a+b&z#end")
        #expect(
            sent["queryString"] == [
                ["name": "x", "value": "1&2"], ["name": "y", "value": "a b"], ["name": "z", "value": ""],
            ])
        #expect(sent["cookies"] == [["name": "theme", "value": "***"], ["name": "lang", "value": "***"]])
        #expect(sent["postData"]?["text"]?.string == "name=Ann+B&c=%26")
        #expect(sent["postData"]?["params"] == [["name": "name", "value": "Ann B"], ["name": "c", "value": "&"]])
        #expect(sent["bodySize"]?.int == 16)
        let received = try #require(entry["response"])
        #expect(received["status"]?.int == 201)
        #expect(received["redirectURL"]?.string == "/a/1")
        #expect(
            received["cookies"] == [
                ["name": "theme", "value": "***", "path": "/a", "domain": "x.org", "httpOnly": true, "secure": true]
            ])
        #expect(received["content"] == ["size": 9, "mimeType": "application/json", "text": #"{"id": 1}"#])
        #expect(entry["startedDateTime"]?.string?.hasSuffix("Z") == true)
    }

    @Test func theNamesOfARequestsOwnRedactionHoldWhereverItIsDescribed() async throws {
        var request = try Self.request(
            .post, "http://example.com/a?iban=geheim&page=2",
            headers: ["X-Internal": "geheim", "Content-Type": "application/json"], body: #"{"iban": "geheim"}"#)
        request.options.redaction = Redaction.standard.adding(headers: ["X-Internal"], keys: ["iban"])
        let recorder = HarRecorder(bodies: .upTo(bytes: 1000))
        let failing = ScriptedRequestSender {
            $0.fail(.connectionLost, reason: "gone from https://a.example/?iban=geheim")
        }
        let sent = request
        guard case .failed(let error) = await HarRecordingSender(next: failing, recorder: recorder).observed(sent).end()
        else {
            Issue.record("no error")
            return
        }
        let har = String(decoding: try recorder.data(), as: UTF8.self)
        let response = HttpResponse(request: request, status: 500)
        for text in ["\(error)", har, request.curlCommand(), "\(request)", "\(response)"] {
            #expect(text.contains("page=2"))
            #expect(!text.contains("geheim"))
        }
        #expect(request.curlCommand(redaction: .none).contains("geheim"))
    }

    @Test func fieldsThatNoSenderSendsAreNotRecorded() async throws {
        let recorder = HarRecorder()
        let sender = recorder.recording(ScriptedRequestSender { $0.respond() })
        let headers: HttpHeaders = ["content-length": "7", "X-A": "1", "Transfer-Encoding": "chunked"]
        _ = try await sender.observed(Self.request(.post, headers: headers, body: "text")).value
        let entry = try #require(try Self.log(recorder)["entries"]?[0])
        #expect(entry["request"]?["headers"] == [["name": "X-A", "value": "1"]])
    }

    @Test func bodiesAreLeftOutUnlessAskedFor() async throws {
        let recorder = HarRecorder()
        let sender = recorder.recording(ScriptedRequestSender { $0.respond(json: "[1]") })
        _ = try await sender.observed(Self.request(.post, body: "text")).value
        let entry = try #require(try Self.log(recorder)["entries"]?[0])
        #expect(entry["request"]?["postData"] == nil)
        #expect(entry["request"]?["bodySize"]?.int == 4)
        #expect(entry["response"]?["content"] == ["size": 3, "mimeType": "application/json"])
    }

    @Test func binaryBodiesAreInBase64AndLargeOnesLeftOut() async throws {
        let recorder = HarRecorder(bodies: .upTo(bytes: 3))
        let sizes = [3, 4]
        for size in sizes {
            let bytes = Data(repeating: 0, count: size)
            let scripted = ScriptedRequestSender { $0.respond(headers: ["Content-Type": "image/png"], body: bytes) }
            var request = try Self.request(.post)
            request.body = .data(bytes)
            _ = try await recorder.recording(scripted).observed(request).value
        }
        let entries = try #require(try Self.log(recorder)["entries"])
        #expect(
            entries[0]?["response"]?["content"]
                == ["size": 3, "mimeType": "image/png", "text": "AAAA", "encoding": "base64"])
        #expect(entries[0]?["request"]?["postData"]?["text"]?.string == "AAAA")
        #expect(entries[0]?["request"]?["postData"]?["_encoding"]?.string == "base64")
        #expect(
            entries[1]?["response"]?["content"]
                == ["size": 4, "mimeType": "image/png", "comment": "larger than what is recorded"])
        #expect(entries[1]?["request"]?["bodySize"]?.int == 4)
        #expect(entries[1]?["request"]?["postData"]?["comment"]?.string == "larger than what is recorded")
    }

    @Test func aStreamIsNamedInsteadOfItsBytes() async throws {
        let recorder = HarRecorder(bodies: .upTo(bytes: 100))
        let scripted = ScriptedRequestSender { $0.respond(json: "1") }
        var request = try Self.request(.post)
        request.body = .stream(AsyncStream<Data> { $0.finish() }, length: 2)
        _ = try await recorder.recording(scripted).observed(request).value
        let data = try Self.log(recorder)["entries"]?[0]?["request"]?["postData"]
        #expect(data?["text"]?.string == "")
        #expect(data?["comment"]?.string == "without the contents of a stream")
    }

    #if os(Linux)
    @Test func theSizeOfADownloadIsThatOfItsBody() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/a", respond: .text(String(repeating: "a", count: 1000)))
        let recorder = HarRecorder()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("har-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        var request = HttpRequest(method: .get, url: server.url("/a"))
        request.options.destination = .file(file, resuming: false)
        _ = try await recorder.recording(try CurlRequestSender()).observed(request).value
        let content = try Self.log(recorder)["entries"]?[0]?["response"]?["content"]
        #expect((content?["size"]?.int, content?["text"]) == (1000, nil))
    }
    #endif

    @Test func failuresAndCancelsAreEntriesToo() async throws {
        let recorder = HarRecorder()
        let scripted = ScriptedRequestSender()
        let sender = recorder.recording(scripted)
        let failing = sender.observed(try Self.request())
        try await scripted.nextRequest().fail(.connectionLost, reason: "gone")
        await #expect(throws: TransportError.self) { try await failing.value }
        let canceled = sender.observed(try Self.request())
        let exchange = try await scripted.nextRequest()
        canceled.cancel()
        #expect(exchange.isCanceled)
        let entries = try #require(try Self.log(recorder)["entries"])
        #expect(entries[0]?["_error"]?.string == "GET http://example.com/a failed: gone [connectionLost]")
        #expect(entries[0]?["response"]?["status"]?.int == 0)
        #expect(entries[1]?["_error"]?.string == "canceled")
    }

    @Test func onlyTheNewestAreKept() async throws {
        let recorder = HarRecorder(limit: 3)
        let sender = recorder.recording(ScriptedRequestSender { $0.respond() })
        for number in 1...5 { _ = try await sender.observed(Self.request(.get, "http://example.com/\(number)")).value }
        let log = try Self.log(recorder)
        let urls = (0..<3).map { log["entries"]?[$0]?["request"]?["url"]?.string }
        #expect(urls == ["http://example.com/3", "http://example.com/4", "http://example.com/5"])
        #expect(recorder.count == 3)
        #expect(recorder.droppedExchanges == 2)
        #expect(log["comment"]?.string == "2 older exchanges were dropped")
        recorder.clear()
        #expect(recorder.count == 0)
        #expect(try Self.log(recorder)["entries"] == [])
    }

    @Test func timesAddUp() {
        var metrics = TransferMetrics()
        metrics.nameLookup = .milliseconds(1)
        metrics.connect = .milliseconds(3)
        metrics.tls = .milliseconds(7)
        metrics.firstByte = .milliseconds(15)
        metrics.total = .milliseconds(31)
        let timings = HarTimings(metrics, duration: .milliseconds(63))
        #expect(
            timings
                == HarTimings(blocked: 32, dns: 1, connect: 6, send: 0, wait: 8, receive: 16, ssl: 4))
        #expect(timings.sum == 63)
        metrics.reusedConnection = true
        #expect(
            HarTimings(metrics, duration: .milliseconds(63))
                == HarTimings(blocked: 32, dns: -1, connect: -1, send: 0, wait: 15, receive: 16, ssl: -1))
        #expect(HarTimings(TransferMetrics(), duration: .milliseconds(2)) == HarTimings(wait: 2))
    }

    @Test func theTimesOfAFailureBelongToWhatWasUnderWay() {
        var metrics = TransferMetrics()
        metrics.total = .milliseconds(10)
        #expect(HarTimings(metrics, duration: .milliseconds(10)) == HarTimings(blocked: 0, dns: 10, connect: -1))
        metrics.nameLookup = .milliseconds(1)
        #expect(HarTimings(metrics, duration: .milliseconds(10)) == HarTimings(blocked: 0, dns: 1, connect: 9))
        metrics.connect = .milliseconds(2)
        metrics.requestStart = .milliseconds(2)
        #expect(
            HarTimings(metrics, duration: .milliseconds(10), sent: .milliseconds(4))
                == HarTimings(blocked: 0, dns: 1, connect: 1, send: 2, wait: 6))
    }

    @Test func theCreatorHasTheVersionOfTheChangelog() throws {
        let changelog = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md")
        let version = HarLog.Creator().version
        #expect(try String(contentsOf: changelog, encoding: .utf8).contains(version))
        #expect(try Self.log(HarRecorder())["creator"]?["version"]?.string == version)
    }

    @Test func secretsAreNowhereInTheFile() async throws {
        let recorder = HarRecorder(bodies: .upTo(bytes: 100_000))
        struct Failure: Error, CustomStringConvertible { let description = "token=geheim" }
        let scripted = ScriptedRequestSender { exchange in
            if exchange.request.method == .delete { exchange.fail(Failure()) }
            exchange.respond(
                headers: [
                    "Set-Cookie": "sid=geheim; Path=/?token=geheim", "Content-Type": "application/json",
                    "Location": "https://bob:geheim@x.org/?access_token=geheim#id_token=geheim",
                ], body: Data(#"{"token": "geheim"}"#.utf8))
        }
        let sender = recorder.recording(scripted)
        let multipart = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ngeheim\r\n--b--\r\n"
        for (type, body) in [
            ("application/json", #"{"a": {"password": "geheim"}}"#),
            ("application/x-www-form-urlencoded", "pin=geheim"),
            ("multipart/form-data; boundary=b", multipart),
        ] {
            var request = try Self.request(
                .post, "https://bob:geheim@example.com/a?access_token=geheim&page=2",
                headers: [
                    "Authorization": "Bearer geheim", "Cookie": "sid=geheim; geheim", "X-Api-Key": "geheim",
                    "Content-Type": type,
                ], body: body)
            _ = try await sender.observed(request).value
            request.method = .delete
            await #expect(throws: Failure.self) { try await sender.observed(request).value }
        }
        let text = String(decoding: try recorder.data(), as: UTF8.self)
        #expect(!text.contains("geheim"), "\(text)")
        #expect(text.contains("page=2"))
    }

    /// For a server it is a sign all the same.
    @Test func anEqualsSignWithACombiningMarkEndsTheNameOfACookie() async throws {
        let cookie = "sid=\u{338}geheim=1"
        let recorder = HarRecorder()
        let sender = recorder.recording(ScriptedRequestSender { $0.respond(headers: ["Set-Cookie": cookie]) })
        _ = try await sender.observed(Self.request(headers: ["Cookie": cookie])).value
        let entry = try #require(try Self.log(recorder)["entries"]?[0])
        #expect(entry["request"]?["cookies"] == [["name": "sid", "value": "***"]])
        #expect(entry["response"]?["cookies"] == [["name": "sid", "value": "***"]])
    }

    @Test(arguments: [nil, 0o644, 0o666, 0o400])
    func theFileIsForItsOwnerOnlyFromItsCreationOn(modeOfAnother: Int?) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("a.har")
        if let modeOfAnother {
            try Data("another".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: modeOfAnother], ofItemAtPath: file.path)
        }
        let recorder = HarRecorder()
        #if os(Linux)
        let changes = try AttributeChanges(in: folder.url)
        try recorder.write(to: file)
        // A mode that never changed is that of the creation.
        #expect(changes.names == [])
        #else
        try recorder.write(to: file)
        #endif
        #expect(try Data(contentsOf: file) == recorder.data())
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.har"])
    }

    @Test func aFileThatCannotBeWrittenIsAnErrorAndLeavesNothing() throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appendingPathComponent("a.har")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        #expect(throws: (any Error).self) { try HarRecorder().write(to: place) }
        #expect(throws: (any Error).self) {
            try HarRecorder().write(to: folder.url.appendingPathComponent("missing/a.har"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.har"])
    }

    #if os(Linux)
    @Test func aRecorderAroundARecorderLearnsAsMuch() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/from", respond: .redirect(to: "/to"))
        server.on(.get, "/to", respond: .text("there"))
        let (inner, outer) = (HarRecorder(), HarRecorder())
        var configuration = CurlRequestSender.Configuration()
        configuration.proxy = .none
        let sender = HarRecordingSender(
            next: HarRecordingSender(next: try CurlRequestSender(configuration: configuration), recorder: inner),
            recorder: outer)
        _ = try await sender.observed(HttpRequest(method: .get, url: server.url("/from"))).value
        for recorder in [inner, outer] {
            let entries = try #require(try Self.log(recorder)["entries"]?.array)
            #expect(entries.map { $0["response"]?["status"]?.int } == [302, 200])
            let names = entries.map { $0["request"]?["headers"]?.array?.compactMap { $0["name"]?.string } ?? [] }
            #expect(names.allSatisfy { $0.contains("Host") })
        }
    }
    #endif
}
