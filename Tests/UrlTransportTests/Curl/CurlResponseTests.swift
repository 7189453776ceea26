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

struct CurlResponseTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
    }

    private func answer(
        to response: LoopbackResponse, _ method: HttpMethod = .get
    ) async throws -> HttpResponse {
        server.on(.any, "/x", respond: response)
        return try await sender.send(method, server.url("/x")).value
    }

    @Test(arguments: [200, 201, 299, 400, 401, 404, 500, 599])
    func everyStatusIsAnAnswer(status: Int) async throws {
        let response = try await answer(to: .text("body", status: status))
        #expect((response.status, response.text) == (status, "body"))
    }

    @Test func theAnswerKnowsItsRequestAndUrl() async throws {
        server.on(.any, "/x", respond: .text("body"))
        let request = HttpRequest(method: .get, url: server.url("/x?a=1"), headers: ["X-A": "1"], attempt: 4)
        let response = try await sender.observed(request).value
        #expect((response.url, response.request.url) == (request.url, request.url))
        #expect(response.request.headers == request.headers)
        #expect(response.request.attempt == 4)
    }

    @Test func headersKeepTheirOrderAndMayRepeat() async throws {
        let headers: HttpHeaders = [
            "Set-Cookie": "a=1", "X-Empty": "", "set-cookie": "b=2", "X-Spaces": "  a b  ", "X-Colon": "a:b",
        ]
        let response = try await answer(to: LoopbackResponse(status: 200, headers: headers, body: .bytes([])))
        #expect(
            response.headers == [
                "Set-Cookie": "a=1", "X-Empty": "", "set-cookie": "b=2", "X-Spaces": "a b", "X-Colon": "a:b",
                "Content-Length": "0",
            ])
        #expect(response.headers.values(of: "SET-COOKIE") == ["a=1", "b=2"])
        #expect(response.headers["x-spaces"] == "a b")
        #expect(response.headers["X-None"] == nil)
    }

    @Test func aFoldedHeaderIsOneValueHoweverItIsReadAndASpaceBeforeTheColonIsNoPartOfTheName() async throws {
        let response = try await answer(
            to: .raw("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\n\tc\r\nX-Space : d\r\nContent-Length: 0\r\n\r\n"))
        #expect(response.headers["X-Folded"] == "a b c")
        #expect(response.headers.values(of: "X-Folded") == ["a b c"])
        #expect(response.headers["X-Space"] == "d")
        #expect(response.headers.values(of: "X-Space") == ["d"])
    }

    @Test func aChunkedBodyIsJoinedAndItsTrailersAreNoHeaders() async throws {
        let response = try await answer(
            to: LoopbackResponse(
                status: 200, headers: ["X-A": "head"],
                body: .chunks([Array("ab".utf8), Array("cde".utf8)], trailers: ["X-A": "trailer", "X-B": "1"])))
        #expect(response.text == "abcde")
        #expect(response.headers.values(of: "X-A") == ["head"])
        #expect(response.headers["X-B"] == nil)
    }

    @Test func aTrailerThatLooksLikeAStatusLineChangesNothing() async throws {
        let response = try await answer(
            to: .raw(
                "HTTP/1.1 200 OK\r\nX-A: head\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nHTTP/1.1 500 X: y\r\n\r\n"
            ))
        #expect((response.status, response.text) == (200, "ab"))
        #expect(response.headers["X-A"] == "head")
    }

    @Test func interimAnswersAreNoAnswers() async throws {
        let response = try await answer(
            to: .raw(
                "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                    + "HTTP/1.1 201 Created\r\nX-B: 2\r\nContent-Length: 2\r\n\r\nok"))
        #expect((response.status, response.text) == (201, "ok"))
        #expect(response.headers == ["X-B": "2", "Content-Length": "2"])
    }

    @Test func answersToHeadHaveNoBodyWhateverTheirLength() async throws {
        let response = try await answer(to: .text("12345"), .head)
        #expect(response.data.isEmpty)
        #expect(response.headers["Content-Length"] == "5")
        #expect(try await answer(to: .text("next")).text == "next")
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test(arguments: [204, 304])
    func answersWithoutABodyEndAtOnce(status: Int) async throws {
        let response = try await answer(to: .status(status))
        #expect((response.status, response.data.count) == (status, 0))
        #expect(try await answer(to: .text("next")).text == "next")
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func aBodyMayEndWithTheConnection() async throws {
        let response = try await answer(to: LoopbackResponse(status: 200, body: .untilClose(Array("to the end".utf8))))
        #expect(response.text == "to the end")
    }

    @Test(arguments: [
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        "HTTP/1.1 200 \u{E9}\r\ncontent-LENGTH:2\r\n\r\nok",
    ])
    func sloppyAnswersAreUnderstood(raw: String) async throws {
        let response = try await answer(to: LoopbackResponse.raw(raw).closing())
        #expect((response.status, response.text) == (200, "ok"))
    }

    @Test func bytesOfAHeaderThatAreNotUtf8AreReadAsLatin1() async throws {
        let response = try await answer(
            to: .raw(Array("HTTP/1.1 200 OK\r\nX-A: a".utf8) + [0xFF] + Array("b\r\nContent-Length: 0\r\n\r\n".utf8)))
        #expect(response.headers["X-A"] == "a\u{FF}b")
    }

    private static let hello = "hello hello hello hello\n"

    @Test(arguments: [
        (
            "gzip",
            [
                31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 39, 185, 0, 0, 136, 89, 11, 24, 0,
                0, 0,
            ] as [UInt8]
        ),
        ("deflate", [120, 156, 203, 72, 205, 201, 201, 87, 200, 64, 39, 185, 0, 112, 190, 8, 187]),
        // Without the header that `deflate` should have; libcurl can tell where it comes in one piece.
        ("deflate", [203, 72, 205, 201, 201, 87, 200, 64, 39, 185, 0]),
        (
            "br",
            [27, 23, 0, 248, 141, 148, 110, 222, 68, 85, 134, 214, 10, 32, 108, 111, 74, 17, 121, 226, 128, 174, 22]
        ),
        (
            "zstd",
            [
                40, 181, 47, 253, 0, 88, 109, 0, 0, 56, 104, 101, 108, 108, 111, 32, 10, 1, 0, 153, 75, 17,
            ]
        ),
    ])
    func compressedBodiesAreDecompressed(form: String, bytes: [UInt8]) async throws {
        server.on(.get, "/forms", respond: .status(200))
        _ = try await sender.send(.get, server.url("/forms")).value
        let forms = try #require(server.requests.last?.headers["Accept-Encoding"])
        // libcurl tells what it was built with.
        guard forms.split(separator: ", ").contains(Substring(form)) else { return }
        for chunked in [false, true] where !(chunked && bytes.first == 203) {
            let body: LoopbackResponse.Body = chunked ? .chunks(bytes.map { [$0] }) : .bytes(bytes)
            let response = try await answer(
                to: LoopbackResponse(status: 200, headers: ["Content-Encoding": form], body: body))
            #expect(response.text == Self.hello)
            #expect(response.metrics.bytesReceived == bytes.count)
            #expect(response.headers["Content-Encoding"] == form)
        }
    }

    @Test func withoutCompressionABodyStaysAsItCame() async throws {
        server.on(
            .get, "/x",
            respond: LoopbackResponse(status: 200, headers: ["Content-Encoding": "gzip"], body: .bytes([1, 2, 3])))
        let sender = try makeSender { $0.compression = false }
        #expect(try await sender.send(.get, server.url("/x")).value.data == Data([1, 2, 3]))
    }

    @Test func theFiguresOfATransferArePlausible() async throws {
        server.on(.any, "/x", respond: .text("12345").delayed(by: .milliseconds(20)))
        let first = try await sender.send(.post, server.url("/x"), body: .data(Data(count: 7))).value.metrics
        let second = try await sender.send(.get, server.url("/x")).value.metrics
        #expect((first.bytesSent, first.bytesReceived, second.bytesSent, second.bytesReceived) == (7, 5, 0, 5))
        #expect((first.reusedConnection, second.reusedConnection) == (false, true))
        #expect((first.httpVersion, first.remoteAddress, first.redirects) == ("HTTP/1.1", "127.0.0.1", 0))
        #expect(second.remoteAddress == "127.0.0.1")
        #expect(first.connect > .zero && first.connect >= first.nameLookup && first.tls == .zero)
        #expect(first.firstByte >= .milliseconds(20), "\(first)")
        #expect(first.firstByte >= first.connect)
        #expect(first.total >= first.firstByte && first.total < .seconds(20))
    }

    @Test func cookiesAreOffByDefaultAndKeptWhereWanted() async throws {
        server.on(.get, "/set", respond: .status(200, headers: ["Set-Cookie": "id=7; Path=/"]))
        server.on(.get, "/x", respond: .status(200))
        for (mode, expected) in [(SenderConfiguration.Cookies.off, nil), (.memory, "id=7")] as [(_, String?)] {
            let sender = try makeSender { $0.cookies = mode }
            for path in ["/set", "/x"] { _ = try await sender.send(.get, server.url(path)).value }
            #expect(server.requests.last?.headers["Cookie"] == expected)
            let other = try makeSender { $0.cookies = mode }
            _ = try await other.send(.get, server.url("/x")).value
            #expect(server.requests.last?.headers["Cookie"] == nil)
        }
    }
}
#endif
