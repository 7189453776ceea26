#if os(Linux)
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

/// What a server sees of a request.
struct CurlRequestTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/x", respond: .status(200))
        sender = try makeSender()
    }

    /// The request as the server received it.
    private func received(
        _ method: HttpMethod = .get, headers: HttpHeaders = [:], body: RequestBody = .empty
    ) async throws -> LoopbackRequest {
        _ = try await sender.send(method, server.url("/x"), headers: headers, body: body).value
        return try #require(server.requests.last)
    }

    @Test(
        arguments: [
            (HttpMethod.get, nil), (.head, nil), (.delete, nil), (.options, nil), (.trace, nil), (.post, "0"),
            (.put, "0"), (.patch, "0"), ("PURGE", nil), ("M-SEARCH", nil), ("get", nil),
        ] as [(HttpMethod, String?)])
    func everyMethodIsSentAsItIsAndNothingIsInvented(method: HttpMethod, length: String?) async throws {
        let request = try await received(method)
        #expect(request.method.rawValue == method.rawValue)
        #expect(request.headers["Content-Length"] == length)
        #expect(
            request.headers.fields.map(\.name).sorted()
                == (["Accept", "Accept-Encoding", "Host", "User-Agent"] + (length == nil ? [] : ["Content-Length"]))
                .sorted())
        #expect(request.headers["User-Agent"] == "NetChainKit")
        #expect(request.headers["Accept"] == "*/*")
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
        #expect(request.bodyLength == 0)
    }

    @Test(arguments: [HttpMethod.get, .post, .put, .patch, .delete, .options, "PURGE"])
    func aBodyGoesWithAnyMethodButHead(method: HttpMethod) async throws {
        let request = try await received(method, body: .data(Data("body".utf8)))
        #expect((request.method.rawValue, request.text) == (method.rawValue, "body"))
        #expect(request.headers["Content-Length"] == "4")
        #expect(request.headers["Content-Type"] == nil)
        #expect(request.headers["Expect"] == nil)
        #expect(request.headers["Transfer-Encoding"] == nil)
    }

    @Test(arguments: [HttpMethod.get, .post, "PURGE"])
    func aBodyOfNoBytesHasALength(method: HttpMethod) async throws {
        let request = try await received(method, body: .data(Data()))
        #expect((request.headers["Content-Length"], request.bodyLength) == ("0", 0))
    }

    @Test func headersAreSentAsTheyAre() async throws {
        let fields = [
            ("X-Empty", ""), ("X-Two", "1"), ("x-two", "2"), ("X-Colon", "a: b; c=\"d\""), ("X-Text", "caf\u{E9}"),
            ("X-Semicolon", "a;"), ("Content-Type", "text/plain"), ("User-Agent", "mine"), ("Accept", "a/b"),
            ("X-At", "@/etc/hostname"), ("Cookie", "a=1"),
        ]
        let headers = HttpHeaders(fields.map { HttpHeaders.Field(name: $0.0, value: $0.1) })
        let received = try await received(.post, headers: headers).headers
        #expect(
            received.fields.filter { !["Host", "Accept-Encoding", "Content-Length"].contains($0.name) }
                == fields.map { HttpHeaders.Field(name: $0.0, value: $0.1) })
    }

    @Test func aValueOfSpacesIsAnEmptyValue() async throws {
        #expect(try await received(headers: ["X-Spaces": "  \t "]).headers["X-Spaces"] == "")
    }

    @Test func theFramingIsTheSendersBusiness() async throws {
        for headers: HttpHeaders in [["content-length": "9999"], ["Transfer-Encoding": "chunked"]] {
            let request = try await received(.post, headers: headers, body: .data(Data("body".utf8)))
            #expect(request.text == "body")
            #expect(request.headers.values(of: "Content-Length") == ["4"])
            #expect(request.headers["Transfer-Encoding"] == nil)
            #expect(try await received(headers: headers).headers["Content-Length"] == nil)
        }
    }

    @Test func theUserAgentCanBeAnotherOrNone() async throws {
        for (agent, expected) in [("Other/1.0", "Other/1.0"), (nil, nil), ("", nil)] as [(String?, String?)] {
            let sender = try makeSender { $0.userAgent = agent }
            _ = try await sender.send(.get, server.url("/x")).value
            #expect(server.requests.last?.headers["User-Agent"] == expected)
        }
    }

    @Test func compressionIsAskedForUnlessTurnedOff() async throws {
        #expect(try await received().headers["Accept-Encoding"] == "deflate, gzip, br, zstd")
        // A part of a compressed body could not be decompressed.
        #expect(try await received(headers: ["Range": "bytes=1-"]).headers["Accept-Encoding"] == "identity")
        _ = try await makeSender { $0.compression = false }.send(.get, server.url("/x")).value
        #expect(server.requests.last?.headers["Accept-Encoding"] == nil)
        #expect(
            try await received(headers: ["Accept-Encoding": "identity"]).headers.values(of: "Accept-Encoding") == [
                "identity"
            ])
    }

    @Test(arguments: [
        ("/x?a=%20b&c=d+e", "/x?a=%20b&c=d+e"), ("/x#fragment", "/x"), ("/x?q=caf\u{E9}", "/x?q=caf%C3%A9"),
        ("/x?a=1#b", "/x?a=1"),
    ])
    func theTargetIsTheUrlsPathAndQuery(url: String, target: String) async throws {
        let url = try #require(URL(string: server.url.absoluteString + url))
        _ = try await sender.send(.get, url).value
        #expect(server.requests.last?.target == target)
    }

    @Test(.enabled(if: !isLibcurl(atLeast: 8, 8), "libcurl 8.8 and newer leave out a `?` without a query"))
    func aQueryOfNoCharactersKeepsItsQuestionMark() async throws {
        let url = try #require(URL(string: server.url.absoluteString + "/x?"))
        _ = try await sender.send(.get, url).value
        #expect(server.requests.last?.target == "/x?")
    }

    @Test func userInfoOfTheUrlBecomesBasicAuthorization() async throws {
        let url = try #require(URL(string: "http://bob:pw@127.0.0.1:\(server.port)/x"))
        _ = try await sender.send(.get, url).value
        #expect(server.requests.last?.headers["Authorization"] == "Basic Ym9iOnB3")
    }

    @Test func anExpectOfTheCallersWaitsForTheServer() async throws {
        let request = try await received(.post, headers: ["Expect": "100-continue"], body: .data(Data("body".utf8)))
        #expect((request.headers["Expect"], request.text) == ("100-continue", "body"))
    }

    @Test func anExpectThatTheServerRefusesIsSentAgainWithout() async throws {
        server.on(.post, "/refusing", respond: .text("ok"))
        server.whileReceiving(.post, "/refusing", .answer(afterBytes: 0, .status(417)))
        let body = RequestBody.data(Data("body".utf8))
        let response = try await sender.send(
            .post, server.url("/refusing"), headers: ["Expect": "100-continue"], body: body
        ).value
        #expect(response.status == 417)
        #expect(server.requestCount("/refusing") == 0)
    }

    @Test(arguments: [HttpMethod.connect, "", "GE T", "GET\r\nX-Evil:", "G\u{C9}T", "GET/", "(GET)"])
    func aMethodThatIsNoTokenOrNotOursIsRefused(method: HttpMethod) async throws {
        let error = try await sender.expectFailure(.invalidRequest, method, server.url("/x"))
        #expect(error.reason == "\(method.rawValue.debugDescription) is no method that can be sent")
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test func aBodyWithHeadIsRefused() async throws {
        let error = try await sender.expectFailure(
            .invalidRequest, .head, server.url("/x"), body: .data(Data("a".utf8)))
        #expect(error.reason == "a HEAD request can't have a body")
    }

    @Test(arguments: [
        ("X-A", "1\r\nX-Evil: hunter2"), ("X-A\r\nX-Evil", "hunter2"), ("X-A", "hunter2\0"), ("X-A:", "1"),
    ])
    func aHeaderThatBreaksOutOfItsLineIsRefusedHereToo(name: String, value: String) async throws {
        let headers = HttpHeaders([HttpHeaders.Field(name: name, value: value)])
        let outcome = await sender.send(.get, server.url("/x"), headers: headers).end()
        let error = try #require(outcome.error as? TransportError)
        #expect(error.code == .invalidRequest)
        #expect(!"\(error)".contains("hunter2"))
        #expect((error.cause as? RequestBuildingError)?.code == .invalidHeader)
        #expect(server.counts.connectionsAccepted == 0)
    }

    /// One after the other they go through one of libcurl's handles, which keeps the URL that it had last taken apart.
    @Test func eachRequestGoesToItsOwnUrl() async throws {
        server.on(.any, "*", respond: .status(200))
        let address = server.url("").absoluteString
        let closed = try ClosedPort.url("/x").absoluteString
        let withUser = address.replacing("://", with: "://user:word@")
        let all: [(text: String, target: String?)] = [
            (address + "/x", "/x"), (address + "/x", "/x"), (address + "/x?a=1", "/x?a=1"), (address + "/x", "/x"),
            (closed, nil), (address + "/y#part", "/y"), (closed, nil), (closed, nil),
            (address + "/a/../b%20c", "/a/../b%20c"), (withUser + "/u", "/u"), (address + "/u", "/u"), (address, "/"),
            (address + "/x", "/x"),
        ]
        for (text, target) in all {
            let url = try #require(URL(string: text))
            if let target {
                #expect(try await sender.send(.get, url).value.status == 200)
                #expect(server.requests.last?.target == target)
                #expect((server.requests.last?.headers["Authorization"] != nil) == (text.hasPrefix(withUser)))
            } else {
                try await sender.expectFailure(.connectionRefused, url)
            }
        }
        #expect(server.requests.count == all.count { $0.target != nil })
    }

    @Test(arguments: ["ftp://127.0.0.1/x", "file:///etc/hostname", "/x", "gopher://127.0.0.1/", "http:///x"])
    func aUrlThatIsNotOursIsRefused(url: String) async throws {
        try await sender.expectFailure(.invalidUrl, try #require(URL(string: url)))
    }
}
#endif
