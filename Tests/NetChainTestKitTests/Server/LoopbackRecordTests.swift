import Foundation
import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackRecordTests {
    private let server: LoopbackServer
    private let client: RawClient

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "*", respond: .text("ok"))
        client = try RawClient(port: server.port)
    }

    @Test func aRequestIsRecordedAsItWasSent() async throws {
        client.send(
            "POST /a%20b/c?x=1+2&y=%26&x=&&flag HTTP/1.1\r\nHost: test\r\nx-TWO:  padded \t\r\nX-One: 1\r\nX-one: 2\r\n"
                + "Content-Length: 5\r\n\r\nhello")
        _ = try await client.readAnswer()
        let request = try #require(server.requests.first)
        #expect(request.method == .post)
        #expect(request.target == "/a%20b/c?x=1+2&y=%26&x=&&flag")
        #expect(request.path == "/a%20b/c")
        #expect(request.query == "x=1+2&y=%26&x=&&flag")
        #expect(request.queryItems == [("x", "1 2"), ("y", "&"), ("x", ""), ("flag", "")].map(URLQueryItem.init))
        #expect(request.headers.fields.map(\.name) == ["Host", "x-TWO", "X-One", "X-one", "Content-Length"])
        #expect(request.headers["X-Two"] == "padded")
        #expect(request.headers.values(of: "x-one") == ["1", "2"])
        #expect(request.body == Array("hello".utf8))
        #expect(request.bodyLength == 5)
        #expect(request.isComplete)
        #expect(request.version == "HTTP/1.1")
        #expect(request.connectionID == 1)
        #expect(request.indexOnConnection == 0)
        #expect(request.remotePort == client.localPort)
    }

    @Test func aChunkedBodyIsPutTogetherWhateverItsPortions() async throws {
        let bytes = Array(
            "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n00A\r\n, chunked!\r\n0\r\nX-Sum: 1\r\n\r\n"
                .utf8)
        // Byte by byte, each in a packet of its own as far as the system allows.
        for byte in bytes { client.send([byte]) }
        _ = try await client.readAnswer()
        let request = try #require(server.requests.first)
        #expect(request.text == "hello, chunked!")
        #expect(request.trailers["x-sum"] == "1")
    }

    @Test func keepAliveAndPipelinedRequestsShareAConnection() async throws {
        client.send("GET /1 HTTP/1.1\r\n\r\n")
        _ = try await client.readAnswer()
        client.send("GET /2 HTTP/1.1\r\n\r\nPOST /3 HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET /4 HTTP/1.1\r\n\r\n")
        for _ in 2...4 { _ = try await client.readAnswer() }
        #expect(server.requests.map(\.path) == ["/1", "/2", "/3", "/4"])
        #expect(server.requests.map(\.indexOnConnection) == [0, 1, 2, 3])
        #expect(server.requests.map(\.connectionID) == [1, 1, 1, 1])
        #expect(server.counts.connectionsAccepted == 1)
    }

    @Test func pipelinedRequestsAreAnsweredOneAfterTheOther() async throws {
        server.hold("/first")
        client.send("GET /first HTTP/1.1\r\n\r\nGET /second HTTP/1.1\r\n\r\n")
        let exchange = try await server.nextRequest("/first")
        #expect(server.counts.requests == 1)
        exchange.respond(.text("first"))
        #expect(try await client.readAnswer().body == "first")
        #expect(try await client.readAnswer().body == "ok")
        #expect(server.counts.requests == 2)
    }

    @Test func countsAreKeptByPathAndInAll() async throws {
        for target in ["/users/1?a", "/users/2?b", "/users/1", "/else"] {
            client.send("GET \(target) HTTP/1.1\r\n\r\n")
            _ = try await client.readAnswer()
        }
        client.send("DELETE /users/1 HTTP/1.1\r\n\r\n")
        _ = try await client.readAnswer()
        #expect(server.requestCount() == 5)
        #expect(server.requestCount("/users/1") == 3)
        #expect(server.requestCount("/users/:id") == 4)
        #expect(server.requestCount("/users/:id", method: .delete) == 1)
        #expect(server.requests("/users/*", method: .get).map(\.target) == ["/users/1?a", "/users/2?b", "/users/1"])
        server.forgetRequests()
        #expect(server.requests.isEmpty)
        #expect(server.requestCount("/else") == 1)
    }

    @Test func bytesAreCounted() async throws {
        let text = "GET / HTTP/1.1\r\n\r\n"
        client.send(text)
        _ = try await client.readAnswer()
        #expect(server.counts.bytesReceived == text.utf8.count)
        client.close()
        try await server.waitForConnections(open: 0)
        let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nok"
        #expect(server.counts.bytesSent == answer.utf8.count)
    }

    @Test func theMostConcurrentRequestsAreKnown() async throws {
        server.hold("/held")
        let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET /held HTTP/1.1\r\n\r\n") }
        try await server.waitForRequests(5)
        #expect(server.counts.requestsInProgress == 5)
        for _ in clients { try await server.nextRequest().respond(.status(204)) }
        for client in clients { _ = try await client.readAnswer() }
        for client in clients { client.close() }
        try await server.waitForConnections(open: 1)
        #expect(server.counts.requestsInProgress == 0)
        #expect(server.counts.requestsInProgressAtMost == 5)
        #expect(server.counts.connectionsOpenAtMost == 6)
        #expect(server.openConnections == [1])
    }

    @Test func theRecordHoldsNoMoreThanItsLimit() async throws {
        let server = try LoopbackServer(recordLimit: 2)
        let client = try RawClient(port: server.port)
        for index in 0..<4 {
            client.send("GET /\(index) HTTP/1.1\r\n\r\n")
            _ = try await client.readAnswer()
        }
        #expect(server.requests.map(\.path) == ["/0", "/1"])
        #expect(server.requestCount() == 4)
    }

    @Test func aURLEncodedFormIsDecoded() async throws {
        let body = "name=J%C3%BCrgen+M%26M&empty=&tag%5B%5D=a"
        client.send(
            "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        _ = try await client.readAnswer()
        #expect(
            try server.requests[0].formItems
                == [
                    ("name", "Jürgen M&M"), ("empty", ""), ("tag[]", "a"),
                ].map(URLQueryItem.init))
        await #expect(throws: LoopbackError(.malformedBody, "no form data with a boundary: Content-Type is \"\"")) {
            client.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await client.readAnswer()
            _ = try server.requests[1].multipartParts
        }
    }
}
