import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `body(lines:)` over the real sender.
struct BodyLinesTests {
    private struct Row: Codable, Sendable, Equatable {
        var rowId: Int
    }

    /// A value that can't be encoded as JSON.
    private struct Odd: Encodable, Sendable {
        let number: Double
    }

    private struct Failure: Error {}

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) {
            $0.log.sink = .silent
            $0.json.keys = .snakeCase
            $0.json.encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        }
        server.on(.post, "/import", respond: .status(204))
    }

    @Test func eachValueIsALine() async throws {
        try await api.post("import").body(lines: (1...3).lazy.map { Row(rowId: $0) }).send()
        let request = try #require(server.requests.last)
        #expect(String(decoding: request.body, as: UTF8.self) == "{\"row_id\":1}\n{\"row_id\":2}\n{\"row_id\":3}\n")
        #expect(request.headers["Content-Type"] == "application/x-ndjson")
        try await api.post("import").body(lines: Listed(elements: [Row(rowId: 4), Row(rowId: 5)])).send()
        #expect(server.requests.last?.body == Array("{\"row_id\":4}\n{\"row_id\":5}\n".utf8))
    }

    @Test func theRequestCanBeSentAgain() async throws {
        let request = api.post("import").body(lines: [Row(rowId: 1)])
        try await request.send()
        try await request.send()
        #expect(server.requests.map(\.body) == Array(repeating: Array("{\"row_id\":1}\n".utf8), count: 2))
    }

    @Test func anEmptySequenceIsAnEmptyBody() async throws {
        try await api.post("import").body(lines: [Row]()).send()
        #expect(server.requests.last?.body == [])
    }

    @Test func manyRowsArriveInOrder() async throws {
        try await api.post("import").body(lines: (0..<50_000).lazy.map { Row(rowId: $0) }).send()
        let body = try #require(server.requests.last?.body)
        var ids: [Int] = []
        for try await row in ByteStream(Data(body)).lines(of: Json.self) { ids.append(row["row_id"]?.int ?? -1) }
        #expect(ids == Array(0..<50_000))
    }

    #if os(Linux)
    @Test func anErrorOfEncodingFailsTheRequest() async throws {
        let rows = [Odd(number: 1), Odd(number: .infinity)]
        let error = await thrown(TransportError.self) { try await api.post("import").body(lines: rows).send() }
        #expect(error?.code == .uploadFailed)
        #expect(error?.cause is EncodingError)
    }

    @Test func anErrorOfTheSequenceFailsTheRequest() async throws {
        let rows = AsyncThrowingStream<Row, any Error> { rows in
            rows.yield(Row(rowId: 1))
            rows.finish(throwing: Failure())
        }
        let error = await thrown(TransportError.self) { try await api.post("import").body(lines: rows).send() }
        #expect(error?.code == .uploadFailed)
        #expect(error?.cause is Failure)
    }

    @Test func linesOfAFastSequenceShareTheirPieces() async throws {
        try await api.post("import").body(lines: [Int]()).send()
        let head = server.counts.bytesReceived - 5
        let (numbers, source) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<20_000 { source.yield(number) }
        source.finish()
        try await api.post("import").body(lines: numbers).send()
        let request = try #require(server.requests.last)
        #expect(request.text == (0..<20_000).map { "\($0)\n" }.joined())
        // A chunk has at least five bytes of its own.
        let framing = server.counts.bytesReceived - 2 * head - 5 - request.body.count
        #expect(framing < 20_000)
    }

    @Test func aRequestThatEndsEarlyCancelsTheSequence() async throws {
        server.whileReceiving(.post, "/import", .answer(afterBytes: 1, .status(413).closing()))
        let (ended, hasEnded) = AsyncStream.makeStream(of: Void.self)
        // A value, and then none for ever.
        let numbers = AsyncStream<Int> { values in
            values.onTermination = { _ in hasEnded.finish() }
            values.yield(1)
        }
        #expect(
            await thrown(HttpError.self) { try await api.post("import").body(lines: numbers).send() }?.statusCode == 413
        )
        for await _ in ended {}
    }

    @Test func aLineIsSentBeforeTheNextValueIsThere() async throws {
        // The size of the head: an empty body in chunked coding has five bytes.
        try await api.post("import").body(lines: [Row]()).send()
        let before = server.counts.bytesReceived
        let head = before - 5
        let (rows, continuation) = AsyncStream.makeStream(of: Row.self)
        let sending = Task { try await api.post("import").body(lines: rows).send() }
        continuation.yield(Row(rowId: 1))
        try await server.waitForReceivedBytes(before + head + "d\r\n{\"row_id\":1}\n\r\n".utf8.count)
        continuation.yield(Row(rowId: 2))
        continuation.finish()
        _ = try await sending.value
        #expect(server.requests.last?.body == Array("{\"row_id\":1}\n{\"row_id\":2}\n".utf8))
    }
    #endif
}
