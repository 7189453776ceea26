import HttpArchive
import Logging
import Models
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
                .observed(request(exchange.method, exchange.url)).value
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
        let first = try await sender.observed(list).value
        #expect((first.status, first.data) == (200, Data("[1]".utf8)))
        #expect(first.headers["content-type"] == "application/json")
        #expect(try await sender.observed(list).value.status == 503)
        #expect(try await sender.observed(list).value.status == 503)
        let created = try await sender.observed(request(.post, "https://a.example/users")).value
        #expect((created.status, created.data) == (201, Data([0xFF, 0x00])))
    }

    @Test func aRedirectLeadsToTheNextEntry() async throws {
        let sender = try HarReplayingSender(
            har: await har([
                (.get, "https://a.example/old", 302, ["Location": "/new"], Data()),
                (.get, "https://a.example/new", 200, [:], Data("new".utf8)),
            ]))
        let response = try await sender.observed(request(.get, "https://a.example/old")).value
        #expect((response.status, response.data) == (200, Data("new".utf8)))
        #expect(response.url.absoluteString == "https://a.example/new")
    }

    @Test func aFileAndAStreamGetTheBody() async throws {
        let folder = try TestFolder()
        let sender = try HarReplayingSender(har: await har([(.get, "https://a.example/", 200, [:], Data("abc".utf8))]))
        let file = try await sender.observed(request(.get, "https://a.example/", to: .file(folder.place()))).value
        #expect(try Data(contentsOf: try #require(file.file)) == Data("abc".utf8))
        let stream = try await sender.observed(request(.get, "https://a.example/", to: .stream)).value
        var bytes = Data()
        for try await piece in try #require(stream.bytes) { bytes.append(piece) }
        #expect(bytes == Data("abc".utf8))
    }

    @Test func whatIsNotInTheFileIsAnErrorThatSaysWhatIs() async throws {
        let sender = try HarReplayingSender(har: await har([(.get, "https://a.example/b?token=t", 200, [:], Data())]))
        do {
            _ = try await sender.observed(request(.put, "https://a.example/b?token=secret")).value
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
        #expect(sender.observed(sent).outcome?.value?.status == 200)
        sent.method = .put
        let error = sender.observed(sent).outcome?.error as? HarReplayError
        #expect(
            error?.description == """
                The HAR file has no response to PUT https://a.example/pay?iban=***. It has: \
                GET https://a.example/pay?iban=***.
                """)
    }

    @Test func aByteOrderMarkIsIgnored() async throws {
        let file = try await har([(.get, "https://a.example/", 204, [:], Data())])
        let sender = try HarReplayingSender(har: Data([0xEF, 0xBB, 0xBF]) + file)
        #expect(try await sender.observed(request(.get, "https://a.example/")).value.status == 204)
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
        return sender.observed(HttpRequest(method: .get, url: try #require(URL(string: url)))).outcome
    }

    @Test func whatHasNoWholeResponseIsAnError() throws {
        let url = "https://a.example/"
        for (response, more, words) in [
            (#""status": 200, "content": {"size": 5}"#, "", "without its body"),
            (#""status": 0"#, "", "without a response"),
            (#""status": 200, "_error": "it broke""#, "", "it broke"),
            (#""status": 200"#, #", "_error": "it broke""#, "it broke"),
        ] {
            let error = try end(url, entry(url, response, more))?.error as? HarReplayError
            #expect(error?.description.contains(words) == true, "\(response)")
        }
        #expect(try end(url, entry(url, #""status": 204"#))?.value?.status == 204)
    }

    // MARK: - Files of other programs

    @Test(
        arguments: [
            ("https://a.example/x|y", "https://a.example/x%7Cy"),
            ("https://a.example/x?ids[]=1&q={a}^`", "https://a.example/x?ids%5B%5D=1&q=%7Ba%7D%5E%60"),
            ("https://a.example/x?sig=a%2Bb&q=[1]", "https://a.example/x?sig=a%2Bb&q=%5B1%5D"),
            ("https://a.example/100%", "https://a.example/100%25"),
            ("https://a.example/a b", "https://a.example/a%20b"),
            ("https://a.example/ü", "https://a.example/%C3%BC"),
            ("https://a.example/%c3%bc", "https://a.example/%C3%BC"),
            ("https://a.example", "https://a.example/"), ("https://a.example/", "https://a.example"),
            ("https://a.example?q=1", "https://a.example/?q=1"), ("https://a.example:443/x", "https://a.example/x"),
            ("http://a.example/x", "http://a.example:80/x"), ("HTTPS://A.Example/X", "https://a.example/X"),
            ("https://a.example/x#part", "https://a.example/x"), ("http://[::A]:80/x", "http://[::a]/x"),
            ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
            ("https://a.example/x?token=a|b", "https://a.example/x?token=c"),
        ])
    func aUrlIsFoundHoweverItIsWritten(recorded: String, sent: String) throws {
        let entry204: Json = ["request": ["method": "GET", "url": Json(recorded)], "response": ["status": 204]]
        #expect(try end(sent, entry204.description)?.value?.status == 204)
        let other = entry("https://a.example/other", #""status": 200"#)
        #expect(try end(sent, other)?.error is HarReplayError)
    }

    @Test func theUrlOfAnotherPathQueryPortOrSchemeIsAnother() throws {
        for url in [
            "https://a.example/X", "https://a.example/x/", "https://a.example/x?", "https://a.example:80/x",
            "http://a.example:443/x", "http://a.example/x", "https://b.example/x", "https://a.example/%78%2F",
        ] {
            #expect(try end(url, entry("https://a.example/x", #""status": 204"#))?.error is HarReplayError, "\(url)")
        }
    }

    @Test(arguments: [
        "{}", "7", "null", #"{"request": {}}"#, #"{"request": {"method": "GET", "url": "about:blank"}}"#,
        #"{"request": {"method": "GET", "url": "data:text/plain,x"}, "response": {"status": 200}}"#,
        #"{"request": {"method": "GET", "url": "blob:https://a.example/1"}, "response": {"status": 200}}"#,
        #"{"request": {"method": "GET", "url": "https://a.example:99999/"}, "response": {"status": 200}}"#,
        #"{"request": {"method": "GET", "url": ""}, "response": {"status": 200}}"#,
        #"{"request": {"method": null, "url": "https://a.example/x"}, "response": {"status": 500}}"#,
        #"{"request": {"method": "GET", "url": "https://a.example/y"}, "response": null}"#,
        #"{"request": {"method": "GET", "url": "https://a.example/y"}, "response": {"status": null, "headers": 1}}"#,
    ])
    func anOddEntryLeavesTheOthers(odd: String) throws {
        let good = entry(
            "https://a.example/x",
            #""status": 200, "headers": [{"name": ":status", "value": "200"}, {"name": "A", "value": "b"}, {}, 1]"#)
        let response = try #require(try end("https://a.example/x", odd, good, odd)?.value)
        #expect(response.headers == ["A": "b"])
    }

    @Test func anEntryWithoutAResponseSaysSo() throws {
        let odd = #"{"request": {"method": "GET", "url": "https://a.example/y"}, "response": null}"#
        let error = try end("https://a.example/y", odd)?.error as? HarReplayError
        #expect(error?.description == "GET https://a.example/y was recorded without a response.")
    }

    @Test(
        arguments: [
            (#""text": "aGFsbG8=", "encoding": "base64""#, "hallo"),
            (#""text": "aGFsbG8", "encoding": "base64""#, "hallo"),
            (#""text": "aGFs\r\nbG8=\r\n", "encoding": "Base64", "size": 5"#, "hallo"),
            (#""text": " aGFs\tbG8", "encoding": "base64""#, "hallo"),
            (#""text": "<html>", "encoding": "base64""#, "<html>"),
            (#""text": "true", "encoding": "base64", "size": 4"#, "true"),
            (#""text": "aGFsbG8x", "encoding": "base64", "size": 6"#, "hallo1"),
            (#""text": "", "encoding": "base64", "size": 0"#, ""),
            (#""text": "aGFsbG8=", "encoding": """#, "aGFsbG8="), (#""text": "aGFsbG8=", "size": -1"#, "aGFsbG8="),
        ])
    func aBodyIsReadAsOtherProgramsWriteIt(content: String, body: String) throws {
        let text = entry("https://a.example/", #""status": 200, "content": {\#(content)}"#)
        #expect(try end("https://a.example/", text)?.value?.data == Data(body.utf8))
    }

    @Test func aFileThatIsNoJsonSaysWhere() throws {
        do {
            _ = try HarReplayingSender(har: Data("{\n  \"log\": {,}\n}".utf8))
            Issue.record("no error")
        } catch let error as HarReplayError {
            #expect(
                error.description
                    == "This is no HAR file. Invalid JSON: unexpected character at line 2, column 11 (byte 12)")
        }
    }

    @Test func entriesAreMaskedOnceForAllRequests() async throws {
        let all = (0..<5000).map { entry("https://a.example/items/\($0)?iban=\($0)", #""status": 204"#) }
        let sender = try HarReplayingSender(har: Data(#"{"log": {"entries": [\#(all.joined(separator: ","))]}}"#.utf8))
        let url = try #require(URL(string: "https://a.example/items/4999?iban=1"))
        let clock = ContinuousClock()
        var times: [Duration] = []
        for _ in 0..<30 {
            // A chain makes its redaction anew.
            var request = HttpRequest(method: .get, url: url)
            request.options.redaction = Redaction.standard.adding(keys: ["iban"])
            times.append(try await clock.measure { _ = try await sender.send(request) })
        }
        #expect(try #require(times.dropFirst().min()) * 20 < times[0])
        let missing = HttpRequest(method: .put, url: url)
        let error = await thrown(HarReplayError.self) { try await sender.send(missing) }
        #expect(error?.description.hasSuffix(" and 4980 others.") == true)
        #expect((error?.description.utf8.count ?? 0) < 2000)
    }

    @Test func aRedirectWithoutItsTargetIsTheRedirect() throws {
        let redirect = entry(
            "https://a.example/login", #""status": 302, "headers": [{"name": "Location", "value": "/home"}]"#)
        let me = entry("https://a.example/me", #""status": 200, "content": {"text": "me"}"#)
        let home = entry("https://a.example/home", #""status": 200, "content": {"text": "home"}"#)
        #expect(try end("https://a.example/login", redirect, me)?.value?.status == 302)
        #expect(try end("https://a.example/login", redirect, me, home)?.value?.data == Data("home".utf8))
    }
}
