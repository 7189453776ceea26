import NetChainTestKit
import Testing
import UrlTransport

struct LoopbackUploadTests {
    private let server: LoopbackServer
    private let client: RawClient

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "*") { .text("\($0.bodyLength)") }
        client = try RawClient(port: server.port)
    }

    private func begin(_ path: String = "/up", length: Int = 1_000_000, _ headers: String = "") {
        client.send("POST \(path) HTTP/1.1\r\nContent-Length: \(length)\r\n\(headers)\r\n")
    }

    @Test func aClientThatExpects100IsToldToContinue() async throws {
        begin(length: 3, "Expect: 100-continue\r\n")
        #expect(try await client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("abc")
        #expect(try await client.readAnswer().body == "3")
    }

    @Test func aRuleKeepsTheContinueBack() async throws {
        server.whileReceiving(.post, "/up", .withoutContinue)
        begin(length: 3, "Expect: 100-continue\r\n")
        client.send("abc")
        #expect(try await client.readAnswer().statusLine == "HTTP/1.1 200 OK")
    }

    @Test func anExpectationIsRefusedBeforeTheBody() async throws {
        server.whileReceiving(.post, "/up", .answer(afterBytes: 0, .status(417)))
        begin(length: 3, "Expect: 100-continue\r\n")
        let answer = try await client.readAnswer()
        #expect(answer.head == "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        #expect(server.incompleteRequests.map(\.bodyLength) == [0])
        #expect(server.requests.isEmpty)
    }

    @Test func anEarlyAnswerReachesAClientThatStillSends() async throws {
        server.whileReceiving(.post, "/up", .answer(afterBytes: 1000, .status(413)))
        begin()
        client.send([UInt8](repeating: 0x61, count: 200_000))
        let (text, ending) = try await client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
        #expect(ending == .closed)
        #expect(client.send([UInt8](repeating: 0x61, count: 200_000)))
        client.close()
        try await server.waitForConnections(open: 0)
        #expect(server.incompleteRequests.map(\.bodyLength) == [1000])
        #expect(server.incompleteRequests.map(\.isComplete) == [false])
    }

    @Test func aCutAlsoComesBeforeTheEndOfABodyThatIsAllThere() async throws {
        server.whileReceiving(.post, "/up", .close(afterBytes: 3))
        client.send("POST /up HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
        #expect(try await client.readToEnd().text.isEmpty)
        #expect(server.incompleteRequests.map(\.text) == ["abc"])
    }

    @Test func theConnectionIsResetInTheMiddleOfABody() async throws {
        server.whileReceiving(.post, "/up", .reset(afterBytes: 1000))
        begin()
        client.send([UInt8](repeating: 0x61, count: 1000))
        #expect(try await client.readToEnd().ending == .reset)
        #expect(server.incompleteRequests.map(\.bodyLength) == [1000])
    }

    @Test func readingStopsAndGoesOn() async throws {
        server.whileReceiving(.post, "/up", .stopReading(afterBytes: 1000))
        let count = 32 << 20
        begin(length: count)
        async let isSent = client.sendInBackground([UInt8](repeating: 0x61, count: count))
        try await server.waitForReceivedBytes(1000)
        // Proof that it reads no further: another connection's exchange passes, and the count stays below the body.
        let other = try RawClient(port: server.port)
        other.send("GET / HTTP/1.1\r\n\r\n")
        _ = try await other.readAnswer()
        #expect(server.counts.bytesReceived < 1 << 20)
        server.resumeReading()
        #expect(await isSent)
        #expect(try await client.readAnswer().body == "\(count)")
    }

    @Test func aClientThatLeavesWhileReadingIsStoppedIsNoticed() async throws {
        server.whileReceiving(.post, "/up", .stopReading(afterBytes: 10))
        begin()
        client.send([UInt8](repeating: 0x61, count: 5000))
        try await server.waitForReceivedBytes(10)
        client.close()
        try await server.waitForConnections(open: 0)
        #expect(server.incompleteRequests.map(\.bodyLength) == [10])
    }

    @Test func aClientThatLeavesInTheMiddleOfABodyLeavesAnIncompleteRequest() async throws {
        begin(length: 10)
        client.send("abc")
        try await server.waitForReceivedBytes("POST /up HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc".utf8.count)
        client.close()
        try await server.waitForIncompleteRequests(1)
        #expect(server.incompleteRequests[0].text == "abc")
        #expect(server.requestCount() == 0)
    }

    @Test(arguments: [false, true])
    func aHundredMegabytesArriveWhole(isDiscarded: Bool) async throws {
        if isDiscarded { server.whileReceiving(.post, "/up", .discard) }
        let count = 100 << 20
        let block = [UInt8]("0123456789abcdef".utf8)
        let body = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            for start in stride(from: 0, to: count, by: block.count) {
                buffer.baseAddress?.advanced(by: start).update(from: block, count: block.count)
            }
            used = count
        }
        begin(length: count)
        #expect(await client.sendInBackground(body))
        #expect(try await client.readAnswer().body == "\(count)")
        let request = server.requests[0]
        #expect(request.bodyLength == count)
        if isDiscarded {
            #expect(request.body.isEmpty)
            var checksum = Hasher()
            body.withUnsafeBytes { checksum.combine(bytes: $0) }
            #expect(request.bodyChecksum == checksum.finalize())
        } else {
            #expect(request.body == body)
            #expect(request.bodyChecksum == nil)
        }
    }

    @Test func aDiscardedBodyLeavesItsChecksum() async throws {
        server.whileReceiving(.post, "/up", .discard)
        client.send("POST /up HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nfoo\r\n3\r\nbar\r\n0\r\n\r\n")
        #expect(try await client.readAnswer().body == "6")
        var checksum = Hasher()
        Array("foobar".utf8).withUnsafeBytes { checksum.combine(bytes: $0) }
        #expect(server.requests[0].bodyChecksum == checksum.finalize())
    }

    @Test func aLargeAnswerTakesNoMemoryOfItsOwn() async throws {
        server.on(.get, "/big", respond: .repeating(Array("0123456789".utf8), length: 50_000_001))
        client.send("GET /big HTTP/1.1\r\n\r\n")
        #expect(try await client.read(through: "\r\n\r\n").contains("Content-Length: 50000001\r\n"))
        let body = try await client.read(count: 50_000_001)
        #expect(String(decoding: body.suffix(4), as: UTF8.self) == "7890")
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await client.readAnswer().body == "0")
    }
}
