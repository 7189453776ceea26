import Models
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ScriptedRequestSenderTests {
    private struct Scripted: Error {}

    private let sender = ScriptedRequestSender()

    private func request(_ path: String = "/") throws -> HttpRequest {
        HttpRequest(method: .get, url: try #require(URL(string: "http://example.com\(path)")))
    }

    @Test func aRequestWaitsForTheTestsAnswer() async throws {
        let answer = sender.observed(try request("/a"))
        let exchange = try await sender.nextRequest()
        #expect(exchange.request.url.path == "/a")
        #expect(answer.outcome == nil)
        #expect(exchange.respond(status: 201, headers: ["X-Id": "7"], body: Data("body".utf8)))
        let response = try await answer.value
        #expect(response.status == 201)
        #expect(response.headers == ["X-Id": "7"])
        #expect(response.data == Data("body".utf8))
        #expect(response.request.url.path == "/a")
        #expect(response.url.path == "/a")
    }

    @Test func anAnswerInJsonSaysSo() async throws {
        let answer = sender.observed(try request())
        try await sender.nextRequest().respond(status: 422, json: #"{"a": 1}"#)
        let response = try await answer.value
        #expect(response.status == 422)
        #expect(response.headers == ["Content-Type": "application/json"])
        #expect(response.data == Data(#"{"a": 1}"#.utf8))
    }

    @Test func aResponseOfTheServerIsOneOfTheSenderToo() async throws {
        let first = sender.observed(try request())
        try await sender.nextRequest().respond(json: "[]", headers: ["ETag": "1"])
        #expect(try await first.value.headers == ["Content-Type": "application/json", "ETag": "1"])

        let second = sender.observed(try request())
        try await sender.nextRequest().respond(.json(["a": 1], status: 404))
        let response = try await second.value
        #expect(response.status == 404)
        #expect(response.data == Data(#"{"a":1}"#.utf8))

        let third = sender.observed(try request())
        try await sender.nextRequest().respond(.chunked(["a", "b"]))
        #expect(try await third.value.data == Data("ab".utf8))
    }

    @Test func aLiteralMayHaveValuesOfSeveralTypes() async throws {
        let first = sender.observed(try request())
        let name = "Ada"
        try await sender.nextRequest().respond(status: 201, json: ["id": 7, "name": name, "team": nil])
        #expect(try Json(parsing: await first.value.data) == ["id": 7, "name": "Ada", "team": nil])
        #expect(try await first.value.status == 201)

        let second = sender.observed(try request())
        try await sender.nextRequest().respond(json: [["id": 7, "name": "Ada"]])
        #expect(try await second.value.data == Data(#"[{"id":7,"name":"Ada"}]"#.utf8))
    }

    @Test func linesAreTextsOrValues() async throws {
        struct Row: Encodable { var id: Int }
        for (response, body) in [
            (LoopbackResponse.lines(["a", "b"]), "a\nb\n"),
            (.lines([Row(id: 1), Row(id: 2)]), "{\"id\":1}\n{\"id\":2}\n"),
            (.lines([["id": 1], ["id": 2]]), "{\"id\":1}\n{\"id\":2}\n"),
        ] {
            let answer = sender.observed(try request())
            try await sender.nextRequest().respond(response)
            #expect(try await answer.value.data == Data(body.utf8))
        }
        #expect(LoopbackResponse.lines([Double.nan]).status == 500)
    }

    @Test func theBodyOfARequestIsReadAsJson() throws {
        var sent = try request()
        sent.body = .data(Data(#"{"name": "Ada"}"#.utf8))
        #expect(try sent.json["name"]?.string == "Ada")
        sent.body = .data(Data("Ada".utf8))
        #expect(throws: JsonError.self) { try sent.json }
    }

    @Test(arguments: [LoopbackResponse.close, .text("a").closing(afterBytes: 3), .endlessBody(), .neverAnswer])
    func aFaultNeedsAServer(fault: LoopbackResponse) async throws {
        let answer = sender.observed(try request())
        #expect(try await sender.nextRequest().respond(fault))
        await #expect(throws: LoopbackError.self) { try await answer.value }
    }

    @Test func anAnswerWithoutArgumentsIsAnEmpty200() async throws {
        let answer = sender.observed(try request())
        try await sender.nextRequest().respond()
        let response = try await answer.value
        #expect(response.status == 200)
        #expect(response.headers.fields.isEmpty)
        #expect(response.data.isEmpty)
    }

    @Test func aRequestFailsAsTheTestSays() async throws {
        let first = sender.observed(try request())
        let second = sender.observed(try request("/b"))
        #expect(try await sender.nextRequest().fail(Scripted()))
        #expect(try await sender.nextRequest().fail(.connectionRefused, reason: "nobody home"))
        await #expect(throws: Scripted.self) { try await first.value }
        let error = await thrown(TransportError.self) { try await second.value }
        #expect(error?.code == .connectionRefused)
        #expect(error?.reason == "nobody home")
        #expect(error?.url == "http://example.com/b")
    }

    @Test func theFirstAnswerWins() async throws {
        let answer = sender.observed(try request())
        let exchange = try await sender.nextRequest()
        #expect(exchange.respond(status: 200))
        #expect(!exchange.respond(status: 500))
        #expect(!exchange.fail(Scripted()))
        #expect(!exchange.fail(.stalled))
        #expect(try await answer.value.status == 200)
        #expect(!exchange.isCanceled)
    }

    @Test func aCancelIsSeenAsSoonAsTheTestHasTheRequest() async throws {
        let request = try request()
        for _ in 0..<2_000 {
            let answer = Task { [sender] in try await sender.send(request) }
            let exchange = try await sender.nextRequest()
            answer.cancel()
            #expect(exchange.isCanceled)
        }
    }

    @Test func aCancelIsSeenAndNoAnswerFollowsIt() async throws {
        let answer = sender.observed(try request())
        let exchange = try await sender.nextRequest()
        #expect(!exchange.isCanceled)
        answer.cancel()
        #expect(exchange.isCanceled)
        await exchange.ended()
        #expect(!exchange.respond(json: "1"))
        #expect(!exchange.fail(Scripted()))
        #expect(answer.outcome?.isCanceled == true)
    }

    @Test func aResponseToACanceledDownloadWritesNoFile() async throws {
        let folder = try TestFolder()
        let file = try folder.file("film", "old".utf8)
        var request = try request()
        request.options.destination = .file(file)
        let answer = sender.observed(request)
        let exchange = try await sender.nextRequest()
        answer.cancel()
        #expect(!exchange.respond(body: Data("film".utf8)))
        #expect(try Data(contentsOf: file) == Data("old".utf8))
    }

    /// Another name of the replaced file shows that the file was not written in place.
    @Test func aDownloadReplacesItsFile() async throws {
        let folder = try TestFolder()
        let file = try folder.file("film", "old".utf8)
        let other = folder.url.appending(path: "other name")
        try FileManager.default.linkItem(at: file, to: other)
        var request = try request()
        request.options.destination = .file(file)
        let answer = sender.observed(request)
        try await sender.nextRequest().respond(body: Data("film".utf8))
        #expect(try await answer.value.file == file)
        #expect(try Data(contentsOf: file) == Data("film".utf8))
        #expect(try Data(contentsOf: other) == Data("old".utf8))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["film", "other name"])
    }

    @Test func aDownloadIntoAFolderThatIsMissingFails() async throws {
        let folder = try TestFolder()
        var request = try request()
        request.options.destination = .file(folder.url.appending(path: "none/film"))
        let answer = sender.observed(request)
        try await sender.nextRequest().respond(body: Data("film".utf8))
        let error = await answer.end().error as? TransportError
        #expect(error?.code == .destinationFailed)
        #expect(error?.reason == "\(folder.url.path)/none can't be written to: No such file or directory.")
    }

    @Test func requestsAreGivenOutInTheOrderOfTheirSending() async throws {
        let answers = try (0..<5).map { sender.observed(try request("/\($0)")) }
        for index in 0..<5 {
            let exchange = try await sender.nextRequest()
            #expect(exchange.request.url.path == "/\(index)")
            exchange.respond(status: 200 + index)
        }
        for (index, answer) in answers.enumerated() { #expect(try await answer.value.status == 200 + index) }
        #expect(sender.requests.map(\.url.path) == ["/0", "/1", "/2", "/3", "/4"])
    }

    @Test func aRequestGoesToWhoWaitsForIt() async throws {
        async let next = sender.nextRequest()
        await Task.yield()
        let answer = sender.observed(try request("/late"))
        let exchange = try await next
        #expect(exchange.request.url.path == "/late")
        exchange.respond()
        _ = try await answer.value
    }

    @Test func aWaiterThatGaveUpTakesNoRequest() async throws {
        let gone = Task { [sender] in try await sender.nextRequest() }
        gone.cancel()
        await #expect(throws: CancellationError.self) { try await gone.value }
        let answer = sender.observed(try request("/a"))
        let exchange = try await sender.nextRequest()
        #expect(exchange.request.url.path == "/a")
        exchange.respond()
        _ = try await answer.value
        #expect(sender.requests.count == 1)
    }

    @Test func aRequestThatDoesNotComeIsAnErrorAndNoHang() async throws {
        await #expect(throws: LoopbackError(.timedOut, "timed out waiting for a request: none was sent")) {
            try await sender.nextRequest(within: .milliseconds(1))
        }
        let answer = sender.observed(try request("/a"))
        try await sender.nextRequest(within: .zero).respond()
        _ = try await answer.value
        await #expect(
            throws: LoopbackError(.timedOut, "timed out waiting for a request: 1 sent before, each taken already")
        ) {
            try await sender.nextRequest(within: .zero)
        }
        let answering = ScriptedRequestSender { $0.respond() }
        _ = try await answering.observed(request("/a")).value
        let error = await thrown(LoopbackError.self) { try await answering.nextRequest(within: .zero) }
        #expect(error?.message.contains("answered 1 by itself") == true)
    }

    @Test func manyWaitersAndManyRequestsFindOneAnother() async throws {
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<200 {
                let request = try request("/\(index)")
                group.addTask { [sender] in
                    try await sender.observed(request).value.request.url.path
                }
                group.addTask { [sender] in
                    let exchange = try await sender.nextRequest()
                    exchange.respond()
                    return "taken \(exchange.request.url.path)"
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(paths.count == 400)
        #expect(sender.requests.count == 200)
    }

    @Test func givingUpTheWaitForTheEndLeavesTheRequestAlone() async throws {
        let answer = sender.observed(try request())
        let exchange = try await sender.nextRequest()
        let wait = Task { await exchange.ended() }
        wait.cancel()
        await wait.value
        #expect(!exchange.isCanceled)
        #expect(exchange.respond())
        await exchange.ended()
        #expect(try await answer.value.status == 200)
    }

    @Test func aSenderCanAnswerByItself() async throws {
        let sender = ScriptedRequestSender { exchange in
            exchange.respond(json: #""\#(exchange.request.url.path)""#)
        }
        #expect(try await sender.observed(request("/x")).value.data == Data(#""/x""#.utf8))
        #expect(try await sender.observed(request("/y")).value.data == Data(#""/y""#.utf8))
        #expect(sender.requests.map(\.url.path) == ["/x", "/y"])
    }

    @Test func aSenderThatAnswersByItselfMayDoSoLater() async throws {
        let kept = Mutex<ScriptedRequestSender.Exchange?>(nil)
        let sender = ScriptedRequestSender { exchange in kept.withLock { $0 = exchange } }
        let answer = sender.observed(try request())
        #expect(answer.outcome == nil)
        try #require(kept.withLock { $0 }).respond(status: 203)
        #expect(try await answer.value.status == 203)
    }
}
