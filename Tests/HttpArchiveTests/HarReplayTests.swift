import HttpArchive
import Logging
import NetChainTestKit
import NodeCore
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct HarReplayTests {
    private func request(
        _ method: HttpMethod = .get, _ url: String, to destination: BodyDestination = .memory
    ) throws -> HttpRequest {
        HttpRequest(
            method: method, url: try #require(URL(string: url)), options: RequestOptions(destination: destination))
    }

    /// What a recorder makes of these exchanges.
    private func har(
        _ exchanges: [(method: HttpMethod, url: String, status: Int, headers: HttpHeaders, body: Data)]
    ) async throws -> Data {
        let recorder = HarRecorder(bodies: .upTo(bytes: 1 << 20))
        for exchange in exchanges {
            let scripted = ScriptedRequestSender {
                $0.respond(status: exchange.status, headers: exchange.headers, body: exchange.body)
            }
            _ = try await HarRecordingSender(next: scripted, recorder: recorder)
                .send(request(exchange.method, exchange.url)).value
        }
        return try recorder.data()
    }

    @Test func whatWasRecordedIsReplayedInItsOrder() async throws {
        let json: HttpHeaders = ["Content-Type": "application/json"]
        let sender = try HarReplayingSender(
            har: await har([
                (.get, "https://a.example/users?token=secret", 200, json, Data("[1]".utf8)),
                (.get, "https://a.example/users?token=secret", 503, [:], Data()),
                (.post, "https://a.example/users", 201, json, Data([0xFF, 0x00])),
            ]))
        let list = try request(.get, "https://a.example/users?token=other#part")
        let first = try await sender.send(list).value
        #expect((first.statusCode, first.data) == (200, Data("[1]".utf8)))
        #expect(first.headers["content-type"] == "application/json")
        #expect(try await sender.send(list).value.statusCode == 503)
        #expect(try await sender.send(list).value.statusCode == 503)
        let created = try await sender.send(request(.post, "https://a.example/users")).value
        #expect((created.statusCode, created.data) == (201, Data([0xFF, 0x00])))
    }

    @Test func aRedirectLeadsToTheNextEntry() async throws {
        let sender = try HarReplayingSender(
            har: await har([
                (.get, "https://a.example/old", 302, ["Location": "/new"], Data()),
                (.get, "https://a.example/new", 200, [:], Data("new".utf8)),
            ]))
        let response = try await sender.send(request(.get, "https://a.example/old")).value
        #expect((response.statusCode, response.data) == (200, Data("new".utf8)))
        #expect(response.url.absoluteString == "https://a.example/new")
    }

    @Test func aFileAndAStreamGetTheBody() async throws {
        let folder = try TestFolder()
        let sender = try HarReplayingSender(har: await har([(.get, "https://a.example/", 200, [:], Data("abc".utf8))]))
        let file = try await sender.send(request(.get, "https://a.example/", to: .file(folder.place()))).value
        #expect(try Data(contentsOf: try #require(file.file)) == Data("abc".utf8))
        let stream = try await sender.send(request(.get, "https://a.example/", to: .stream)).value
        var bytes = Data()
        for try await piece in try #require(stream.bytes) { bytes.append(piece) }
        #expect(bytes == Data("abc".utf8))
    }

    @Test func whatIsNotInTheFileIsAnErrorThatSaysWhatIs() async throws {
        let sender = try HarReplayingSender(har: await har([(.get, "https://a.example/b?token=t", 200, [:], Data())]))
        do {
            _ = try await sender.send(request(.put, "https://a.example/b?token=secret")).value
            Issue.record("no error")
        } catch let error as HarReplayError {
            #expect(
                error.description == """
                    The HAR file has no response to PUT https://a.example/b?token=***. It has: \
                    GET https://a.example/b?token=***.
                    """)
        }
    }

    @Test func theSecretKeysOfARequestHoldForTheFile() async throws {
        let file = try await har([(.get, "https://a.example/pay?iban=recorded", 200, [:], Data())])
        let sender = try HarReplayingSender(har: file)
        var sent = try request(.get, "https://a.example/pay?iban=other")
        sent.options.redaction = Redaction.standard.adding(keys: ["iban"])
        #expect(sender.send(sent).outcome?.value?.statusCode == 200)
        sent.method = .put
        let error = sender.send(sent).outcome?.error as? HarReplayError
        #expect(
            error?.description == """
                The HAR file has no response to PUT https://a.example/pay?iban=***. It has: \
                GET https://a.example/pay?iban=***.
                """)
    }

    @Test func aByteOrderMarkIsIgnored() async throws {
        let file = try await har([(.get, "https://a.example/", 204, [:], Data())])
        let sender = try HarReplayingSender(har: Data([0xEF, 0xBB, 0xBF]) + file)
        #expect(try await sender.send(request(.get, "https://a.example/")).value.statusCode == 204)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"log": {}}"#, #"{"log": {"entries": [{}]}}"#, #"{"log": {"entries": 1}}"#,
        #"{"log": {"entries": [{"request": {"method": "GET", "url": ""}, "response": {"status": 1}}]}}"#,
    ])
    func whatIsNoHarFileIsAnError(text: String) throws {
        #expect(throws: HarReplayError.self) { try HarReplayingSender(har: Data(text.utf8)) }
    }
}

struct HarReplayProblemTests {
    private func entry(_ url: String, _ response: String, _ more: String = "") -> String {
        #"{"request": {"method": "GET", "url": "\#(url)"}, "response": {\#(response)}\#(more)}"#
    }

    private func end(_ url: String, _ entries: String...) throws -> Outcome<HttpResponse>? {
        let har = #"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#
        let sender = try HarReplayingSender(har: Data(har.utf8))
        return sender.send(HttpRequest(method: .get, url: try #require(URL(string: url)))).outcome
    }

    @Test func whatHasNoWholeResponseIsAnError() throws {
        let url = "https://a.example/"
        for (response, more, words) in [
            (#""status": 200, "content": {"size": 5}"#, "", "without its body"),
            (#""status": 200, "content": {"size": 5, "text": "*", "encoding": "base64"}"#, "", "no Base64"),
            (#""status": 0"#, "", "without a response"),
            (#""status": 200, "_error": "it broke""#, "", "it broke"),
            (#""status": 200"#, #", "_error": "it broke""#, "it broke"),
        ] {
            let error = try end(url, entry(url, response, more))?.error as? HarReplayError
            #expect(error?.description.contains(words) == true, "\(response)")
        }
        #expect(try end(url, entry(url, #""status": 204"#))?.value?.statusCode == 204)
    }

    @Test func aRedirectWithoutItsTargetIsTheRedirect() throws {
        let redirect = entry(
            "https://a.example/login", #""status": 302, "headers": [{"name": "Location", "value": "/home"}]"#)
        let me = entry("https://a.example/me", #""status": 200, "content": {"text": "me"}"#)
        let home = entry("https://a.example/home", #""status": 200, "content": {"text": "home"}"#)
        #expect(try end("https://a.example/login", redirect, me)?.value?.statusCode == 302)
        #expect(try end("https://a.example/login", redirect, me, home)?.value?.data == Data("home".utf8))
    }
}
