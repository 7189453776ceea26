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

struct HttpRequestDifferenceTests {
    private func request(_ url: String, body: String = "") throws -> HttpRequest {
        let url = try #require(URL(string: url))
        return HttpRequest(method: .post, url: url, body: body.isEmpty ? .empty : .data(Data(body.utf8)))
    }

    @Test func equalRequestsHaveNone() throws {
        let sent = try request("https://a.example/users/a%20b?page=2&tag=a&tag=b", body: #"{"b": 1, "a": [2.0]}"#)
        let query = ["tag": "a,b", "page": "2"]
        #expect(sent.difference(from: .post, "/users/a b", query: query, json: ["a": [2], "b": 1]) == nil)
        #expect(sent.difference(from: .post, "/users/a b") == nil)
        #expect(try request("https://a.example").difference(from: .post, "/", query: [:], body: "") == nil)
    }

    @Test func eachDifferenceIsALine() throws {
        let sent = try request("https://a.example/users?page=2", body: "{}")
        #expect(
            sent.difference(from: .get, "/user", query: ["page": "3"], json: ["a": 1]) == """
                method: POST, expected GET
                path: /users, expected /user
                query: [page=2], expected [page=3]
                body: {}, expected {"a":1}
                """)
        #expect(sent.difference(from: .post, "/users", body: "x") == "body: {}, expected x")
    }

    @Test func anEscapedValueIsNotTwoItems() throws {
        let sent = try request("https://a.example/?a=1%26b%3D2")
        #expect(sent.difference(from: .post, "/", query: ["a": "1&b=2"]) == nil)
        #expect(
            sent.difference(from: .post, "/", query: ["a": "1", "b": "2"])
                == "query: [a=1%26b%3D2], expected [a=1&b=2]")
    }

    @Test func equivalentTextsOfOtherScalarsDiffer() throws {
        let sent = try request("https://a.example/caf%C3%A9?%C3%A9=%C3%A9", body: "\u{E9}")
        let (composed, apart) = ("\u{E9}", "e\u{301}")
        #expect(sent.difference(from: .post, "/caf\u{E9}", query: [composed: composed], body: composed) == nil)
        let path = try #require(sent.difference(from: .post, "/cafe\u{301}"))
        #expect(path.hasPrefix("path: /caf\\u{"), "\(path)")
        #expect(sent.difference(from: .post, "/caf\u{E9}", query: [composed: apart]) != nil)
        #expect(sent.difference(from: .post, "/caf\u{E9}", query: [apart: composed]) != nil)
        #expect(sent.difference(from: .post, "/caf\u{E9}", body: apart) != nil)
    }
}

struct UnansweredRequestTests {
    private let request: HttpRequest

    init() throws {
        request = HttpRequest(method: .get, url: try #require(URL(string: "https://a.example/a?token=t")))
    }

    @Test func aClosureThatDoesNotAnswerFailsTheRequestByName() async throws {
        let sender = ScriptedRequestSender { _ in }
        let error = sender.observed(request).outcome?.error as? LoopbackError
        #expect(error?.description == "the test's closure did not answer GET https://a.example/a?token=***")
    }

    @Test func aTestThatDropsARequestFailsItToo() async throws {
        let sender = ScriptedRequestSender()
        let observer = sender.observed(request)
        _ = try await sender.nextRequest()
        let error = observer.outcome?.error as? LoopbackError
        #expect(error?.description == "the test did not answer GET https://a.example/a?token=***")
    }

    @Test func aClosureMayAnswerLater() async throws {
        let sender = ScriptedRequestSender { exchange in Task { exchange.respond(json: "1") } }
        #expect(try await sender.observed(request).value.data == Data("1".utf8))
    }
}
