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

/// Responses of which it isn't certain where they end are no responses.
struct CurlFramingTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
    }

    private func serve(_ raw: String) -> URL {
        server.on(.any, "/x", respond: LoopbackResponse.raw(raw).closing())
        return server.url("/x")
    }

    @Test(arguments: [
        "Content-Length: 0xb", "Content-Length: +11", "Content-Length: -11", "Content-Length: 11, 5",
        "Content-Length: 11\r\nContent-Length: 5", "Content-Length: 5\r\nContent-Length: 11",
        "Content-Length: 00000000000000000011", "Content-Length: 18446744073709551627",
        "Content-Length: 99999999999999999999999999999", "Content-Length : 5", "Content-Length\t: 5",
        "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n chunked", "X-A: 1\r\nTransfer-Encoding:\r\n\tchunked",
        "Content-Length: 5\r\n 6", "Transfer-Encoding: chunked, chunked", "X-A", " X-A: 1\r\nContent-Length: 5",
        "\tX-A: 1\r\nContent-Length: 5", "X-A: 1\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 5",
        "Content-Length: 11\r\nX-A\u{0}: 1", "Content-Length: 2\r\n\rX: y",
    ])
    func anUnclearHeadIsAnInvalidResponse(fields: String) async throws {
        let url = serve("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello world")
        try await sender.expectFailure(.invalidResponse, url)
    }

    @Test(arguments: [
        "HTTP/2 000", "HTTP/2 099", "HTTP/2 200", "HTTP/2 200 OK", "HTTP/3 200", "HTTP/1.1 000", "HTTP/1.1 099 OK",
        "HTTP/1.1 101 Switching Protocols", "HTTP/1.1 206 Partial Content", "HTTP/1.1 100\r\n\r\nHTTP/2 200",
        "HTTP/1.1 100 Continue\r\n\r\nX-A: 1",
    ])
    func aStatusLineThatCanNotBeIsAnInvalidResponse(line: String) async throws {
        try await sender.expectFailure(.invalidResponse, serve("\(line)\r\nContent-Length: 2\r\n\r\nok"))
    }

    @Test(arguments: [
        ("Content-Length: 11\r\nX-A: 1\r\nContent-Length: 11", "hello world"),
        ("Content-Length: 11, 11", "hello world"),
        ("Content-Length: 0000000000000000005", "hello"), ("X-A : 1\r\nX-B: 1\r\n 2\r\nContent-Length:5", "hello"),
    ])
    func oneLengthIsALengthHoweverOftenItStandsThere(fields: String, text: String) async throws {
        let url = serve("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello world")
        #expect(try await sender.text(.get, url) == text)
    }

    /// libcurl waits for the end of the connection, which the server keeps open.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "Transfer-Encoding: identity", "Transfer-Encoding:", "Content-Encoding: x\r\nTransfer-Encoding: identity",
        ])
    func aWholeBodyEndsWithItsLength(fields: String) async throws {
        for (status, text) in [(200, "hello"), (404, "hello"), (200, "")] {
            let raw = "HTTP/1.1 \(status) -\r\n\(fields)\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            server.on(.any, "/x", respond: LoopbackResponse.raw(raw))
            let sender = try makeSender {
                $0.timeouts.stall = nil
                $0.compression = false
            }
            let response = try await sender.send(HttpRequest(method: .get, url: server.url("/x")))
            #expect(response.status == status && response.text == text)
        }
    }

    @Test func aPartThatNobodyAskedForReplacesNoFile() async throws {
        let folder = try TestFolder()
        let file = folder.url.appendingPathComponent("file")
        try Data("all of it".utf8).write(to: file)
        let url = serve("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nno")
        var options = RequestOptions()
        options.destination = .file(file, resuming: false)
        try await sender.expectFailure(.invalidResponse, url, options: options)
        #expect(try Data(contentsOf: file) == Data("all of it".utf8))
    }

    @Test(arguments: [
        ("Content-Length: 200\r\n\r\n", 200, TransportError.Code.invalidResponse),
        ("Transfer-Encoding: chunked\r\n\r\nc8\r\n", 200, .invalidResponse), ("\r\n", 501, .invalidResponse),
        ("\r\n", 499, .truncatedResponse),
    ])
    func aPartHasTheSizeOfItsRange(head: String, count: Int, code: TransportError.Code) async throws {
        let body = String(repeating: "a", count: count) + (head.contains("chunked") ? "\r\n0\r\n\r\n" : "")
        let url = serve("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1000-1499/*\r\n\(head)\(body)")
        let error = await sender.send(.get, url, headers: ["Range": "bytes=1000-1499"]).end().error
        #expect((error as? TransportError)?.code == code, "\(error as Any)")
    }

    @Test(arguments: ["Content-Length: 500\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n1f4\r\n"])
    func aPartThatWasAskedForArrives(head: String) async throws {
        let body = String(repeating: "a", count: 500)
        let end = head.contains("chunked") ? "\r\n0\r\n\r\n" : ""
        let url = serve("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1000-1499/*\r\n\(head)\(body)\(end)")
        #expect(try await sender.text(.get, url, headers: ["Range": "bytes=1000-1499"]) == body)
    }

    @Test(arguments: [
        "0x5\r\nhello\r\n0\r\n\r\n", "0x5\r\nhello: 1\r\n\r\n", "0x\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n",
        "5;a\u{0}\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nX-A: \u{0}\r\n\r\n",
        "5\r\nhello\r\n0\r\nX\u{0}: a\r\n\r\n",
        "5\rhello\r\n0\r\n\r\n",
    ])
    func chunksThatAreNoneAreAnInvalidResponse(chunks: String) async throws {
        try await sender.expectFailure(
            .invalidResponse, serve("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"))
    }

    @Test(arguments: ["5;", "5\r\nhello\r\n0;", "5 "]) func anEndlessExtensionMeetsTheLimit(start: String) async throws
    {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(start)"
        let endless = String(repeating: start == "5 " ? " " : "a", count: 300_000)
        let error = try await sender.expectFailure(.headersTooLarge, serve(head + endless))
        #expect(error.reason == "extensions and trailers of the chunks are larger than maxHeaderSize allows")
        try await server.waitForConnections(open: 0)
    }

    @Test func aReaderOfChunksMayTakeItsTime() async throws {
        // The transfer is paused again and again in the middle of pieces that hold many chunks.
        var body: [UInt8] = []
        var chunks = ""
        for number in 0..<20_000 {
            let data = "\(number),"
            body += data.utf8
            chunks += "\(String(data.utf8.count, radix: 16));n=\(number)\r\n\(data)\r\n"
        }
        let url = serve("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n")
        var options = RequestOptions()
        options.destination = .stream
        let stream = try #require(try await sender.send(.get, url, options: options).value.bytes)
        var received: [UInt8] = []
        for try await piece in stream { received += piece }
        #expect(received == body)
    }

    @Test func noBytesOfAServerAreThisLibrarysFault() async throws {
        let valid = [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\n 2\r\n\r\nhello",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-B: 2\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
        ]
        let odd = Array("\0\r\n \t:;,-+0x9fHTTP/1.1\u{FF}".utf8)
        var random = SeededRandom(seed: 31)
        let sender = try makeSender { $0.redirects.limit = 1 }
        for round in 0..<400 {
            var bytes = Array(valid[round % valid.count].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(odd.randomElement(using: &random) ?? 0, at: index)
                case 2: bytes[index] = odd.randomElement(using: &random) ?? 0
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { break }
            }
            server.on(.any, "/x", respond: LoopbackResponse.raw(bytes).closing())
            let error = await sender.send(.get, server.url("/x")).end().error as? TransportError
            #expect(
                error?.code != .internalFailure,
                "\(error as Any): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
        }
    }
}
#endif
