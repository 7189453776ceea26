import NetChainTestKit
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What each response puts on the wire, byte by byte.
struct LoopbackResponseTests {
    private func wire(
        _ response: LoopbackResponse, method: String = "GET", headers: String = "Connection: close\r\n"
    ) async throws -> (text: String, ending: RawClient.Ending) {
        let server = try LoopbackServer()
        server.on(.any, "/", respond: response)
        let client = try RawClient(port: server.port)
        client.send("\(method) / HTTP/1.1\r\n\(headers)\r\n")
        return try await client.readToEnd()
    }

    @Test(
        arguments: [
            (.status(204), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
            (.status(205), "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            (.status(304), "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"),
            (.status(299), "HTTP/1.1 299 Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            (
                .redirect(to: "/b c", status: 308),
                "HTTP/1.1 308 Permanent Redirect\r\nLocation: /b c\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            ),
            (
                .json("[1]", status: 201).header("X-A", "1").addingHeader("X-A", "2"),
                "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 3\r\n"
                    + "Connection: close\r\n\r\n[1]"
            ),
            (
                .data(Data([0x61, 0x62])),
                "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 2\r\nConnection: close\r\n"
                    + "\r\nab"
            ),
            (
                .chunked(["one", "", "sixteen letters!"]),
                "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"
                    + "Connection: close\r\n\r\n3\r\none\r\n10\r\nsixteen letters!\r\n0\r\n\r\n"
            ),
            (
                LoopbackResponse(status: 200, body: .chunks([[0x61]], trailers: ["X-T": "1"])),
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\nX-T: 1\r\n\r\n"
            ),
            (
                LoopbackResponse(status: 200, reason: "Fine", body: .untilClose(Array("abc".utf8))),
                "HTTP/1.1 200 Fine\r\nConnection: close\r\n\r\nabc"
            ),
            (
                LoopbackResponse(status: 200, body: .repeating(Array("abc".utf8), length: 7)),
                "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nabcabca"
            ),
            (
                LoopbackResponse(status: 200, headers: ["Content-Length": "99"], body: .bytes([0x61])),
                "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\na"
            ),
            (.raw("no http at all"), "no http at all"),
        ] as [(LoopbackResponse, String)])
    func aResponseIsWrittenByteByByte(response: LoopbackResponse, expected: String) async throws {
        let (text, ending) = try await wire(response)
        #expect(text == expected)
        #expect(ending == .closed)
    }

    @Test(
        arguments: [
            (.text("abc"), "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n"),
            (.endlessBody(), "Content-Type: application/octet-stream\r\n"),
            (.chunked(["a"]), "Content-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n"),
        ] as [(LoopbackResponse, String)])
    func anAnswerToHeadHasTheHeadersAndNoBody(response: LoopbackResponse, headers: String) async throws {
        let (text, _) = try await wire(response, method: "HEAD")
        #expect(text == "HTTP/1.1 200 OK\r\n\(headers)Connection: close\r\n\r\n")
    }

    @Test func anOldClientIsKeptOnlyWhereItAsksForIt() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: .text("ok"))
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try await client.readAnswer().body == "ok")
        client.send("GET / HTTP/1.0\r\n\r\n")
        #expect(try await client.readToEnd().text.hasSuffix("Connection: close\r\n\r\nok"))
    }

    @Test(
        arguments: [
            ("bytes=2-4", 206, "cde", "bytes 2-4/10"), ("bytes=7-", 206, "hij", "bytes 7-9/10"),
            ("bytes=-2", 206, "ij", "bytes 8-9/10"), ("bytes=5-99", 206, "fghij", "bytes 5-9/10"),
            ("bytes=5-9223372036854775807", 206, "fghij", "bytes 5-9/10"),
            ("bytes=10-", 416, "", "bytes */10"), ("bytes=-0", 416, "", "bytes */10"),
            ("bytes=4-2", 200, "abcdefghij", nil), ("bytes=1-2,4-5", 200, "abcdefghij", nil),
            ("lines=1-2", 200, "abcdefghij", nil), ("bytes=2-4\r\nIf-Range: \"v1\"", 206, "cde", "bytes 2-4/10"),
            ("bytes=2-4\r\nIf-Range: \"v0\"", 200, "abcdefghij", nil),
        ] as [(String, Int, String, String?)])
    func aRangeIsAnsweredAsAFileServerDoes(range: String, status: Int, body: String, contentRange: String?)
        async throws
    {
        let server = try LoopbackServer()
        let tag = status == 206 ? "\"v1\"" : "v1"
        server.on(.get, "/file") { request in
            status == 206
                ? .range(of: Data("abcdefghij".utf8), for: request, entityTag: tag)
                : .range(of: Array("abcdefghij".utf8), for: request, entityTag: tag)
        }
        let client = try RawClient(port: server.port)
        client.send("GET /file HTTP/1.1\r\nRange: \(range)\r\n\r\n")
        let answer = try await client.readAnswer()
        #expect(answer.statusLine.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.body == body)
        #expect(answer.head.contains("ETag: \"v1\""))
        if let contentRange {
            #expect(answer.head.contains("Content-Range: \(contentRange)\r\n"))
        } else {
            #expect(!answer.head.contains("Content-Range"))
        }
    }
}

struct LoopbackMakingTests {
    @Test func eachHeaderComesOnce() throws {
        let type = "Content-Type"
        #expect(
            LoopbackResponse.json("1", headers: ["content-type": "a/b", "X-A": "1"]).headers.fields.map(\.name) == [
                "content-type", "X-A",
            ])
        #expect(LoopbackResponse.text("1", headers: ["X-A": "1"]).headers.fields.map(\.name) == [type, "X-A"])
        #expect(LoopbackResponse.html("1", status: 404).headers[type] == "text/html; charset=utf-8")
        #expect(LoopbackResponse.json("1").header("content-type", "a/b").headers.values(of: type) == ["a/b"])
        #expect(LoopbackResponse.status(204, headers: ["A": "b"]).headers.fields.map(\.name) == ["A"])
        let cookies = LoopbackResponse.status(200).addingHeader("Set-Cookie", "a").addingHeader("Set-Cookie", "b")
        #expect(cookies.headers.values(of: "Set-Cookie") == ["a", "b"])
    }

    @Test func aFileIsSent() throws {
        let folder = try TestFolder()
        let file = try folder.file("a.bin", Data([1, 2]))
        let response = try LoopbackResponse.file(file, contentType: "image/png", headers: ["ETag": "1"])
        #expect(response.headers.fields.map(\.name) == ["Content-Type", "ETag"])
        guard case .bytes(let bytes) = response.body else {
            Issue.record("\(response.body)")
            return
        }
        #expect(bytes == [1, 2])
        #expect(throws: (any Error).self) { try LoopbackResponse.file(folder.place("missing")) }
    }

    @Test(.timeLimit(.minutes(1))) func anAsynchronousHandlerRespondsOrIsA500() async throws {
        let server = try LoopbackServer()
        server.onExchange(.get, "/late") { exchange async throws in
            await Task.yield()
            _ = exchange.respond(.text("late"))
        }
        server.onExchange(.get, "/never") { _ async throws in await Task.yield() }
        let end = "HTTP/1.1\r\nConnection: close\r\n\r\n"
        let client = try RawClient(port: server.port)
        client.send("GET /late \(end)")
        #expect(try await client.readToEnd().text.hasSuffix("\r\n\r\nlate"))
        let other = try RawClient(port: server.port)
        other.send("GET /never \(end)")
        let text = try await other.readToEnd().text
        #expect(text.hasPrefix("HTTP/1.1 500 "))
        #expect(text.hasSuffix("\r\n\r\nThe test's handler of GET /never did not respond\n"))
    }
}
