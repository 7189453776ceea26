import NetChainTestKit
import Testing
import UrlTransport

/// What is no HTTP/1.1 request is refused, so that a test of a client can't pass with it.
struct LoopbackGrammarTests {
    @Test(arguments: [
        ("\u{16}\u{3}\u{1}", 400, "the client speaks TLS, and the server does not"),
        ("GET /\r\n\r\n", 400, "the request line is not a method, a target and a version"),
        ("GET  / HTTP/1.1\r\n\r\n", 400, "the request line is not a method, a target and a version"),
        ("G(T / HTTP/1.1\r\n\r\n", 400, "the request line is not a method, a target and a version"),
        ("GET /\u{7F} HTTP/1.1\r\n\r\n", 400, "the target holds a control character"),
        ("GET / HTTP/2.0\r\n\r\n", 505, "the version is HTTP/2.0, not HTTP/1.1"),
        ("GET / HTTP/1.1\r\nX Y: 1\r\n\r\n", 400, "a header line has no valid name before a colon"),
        ("GET / HTTP/1.1\r\nX : 1\r\n\r\n", 400, "a header line has no valid name before a colon"),
        ("GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n", 400, "a header line has no valid name before a colon"),
        ("GET / HTTP/1.1\r\nA: 1\nB: 2\r\n\r\n", 400, "a header value holds a line break or a zero byte"),
        ("POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400, "Content-Length is +1"),
        ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "Content-Length is 1, 2"),
        (
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
            "both Transfer-Encoding and Content-Length"
        ),
        (
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501,
            "the transfer coding is gzip, chunked, not chunked"
        ),
        (
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400,
            "a chunk size is not a hexadecimal number"
        ),
        (
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", 400,
            "a chunk is longer than its size says"
        ),
    ])
    func aMalformedRequestIsRefusedWithItsReason(request: String, status: Int, reason: String) async throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send(request)
        let (text, _) = try await client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.hasSuffix("\r\n\r\n\(reason)\n"))
        #expect(server.counts.malformedRequests == 1)
        #expect(server.requests.isEmpty)
    }

    @Test func emptyLinesBeforeARequestAreSkipped() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(port: server.port)
        client.send("\r\n\r\nGET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        _ = try await client.readAnswer()
        _ = try await client.readAnswer()
        #expect(server.requests.map(\.path) == ["/a", "/b"])
    }
}
