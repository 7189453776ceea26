import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `lines(of:)` over the real sender.
struct LinesTests {
    struct Row: Codable, Sendable, Equatable {
        var id: Int
    }

    /// A model with two layers.
    struct RowModel: DTODecodable, Equatable {
        let number: Int

        struct Entry: Decodable, RawDecodable {
            typealias Raw = Json
            let id: Int
        }

        static func from(dto: Entry) throws -> RowModel { RowModel(number: dto.id) }
    }

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    private func all<Value: Sendable>(_ values: ValueStream<Value>) async throws -> [Value] {
        var all: [Value] = []
        for try await value in values { all.append(value) }
        return all
    }

    @Test func eachLineIsAValue() async throws {
        server.on(.get, "/export", respond: .chunked(["{\"id\":1}\n{\"i", "d\":2}\n\n{\"id\"", ":3}"]))
        #expect(try await all(api.get("export").lines(of: Row.self)) == [Row(id: 1), Row(id: 2), Row(id: 3)])
        let accept = server.requests.last?.headers["Accept"]
        #expect(accept == "application/x-ndjson, application/json-seq;q=0.9, */*;q=0.1")
        let models = try await all(api.get("export").lines(of: RowModel.self))
        #expect(models == [1, 2, 3].map { RowModel(number: $0) })
        let jsons = try await all(api.get("export").header("Accept", "text/x-mine").lines(of: Json.self))
        #expect(jsons == [["id": 1], ["id": 2], ["id": 3]])
        #expect(server.requests.last?.headers["Accept"] == "text/x-mine")
    }

    @Test func theClientsDecoderIsUsed() async throws {
        struct Named: Decodable, Sendable, Equatable { let firstName: String }
        server.on(.get, "/names", respond: .text("{\"first_name\":\"Ada\"}\n"))
        let names = api.setting { $0.json.keys = .snakeCase }.get("names").lines(of: Named.self)
        #expect(try await all(names) == [Named(firstName: "Ada")])
    }

    @Test(arguments: ["application/json-seq", "Application/Problem+JSON-Seq; charset=utf-8"])
    func aSequenceOfRecordsIsReadByItsType(type: String) async throws {
        server.on(
            .get, "/export",
            respond: .text("\u{1E}{\n\"id\": 1\n}\n\u{1E}{\"id\":2}\n", headers: ["Content-Type": type]))
        #expect(try await all(api.get("export").lines(of: Row.self)) == [Row(id: 1), Row(id: 2)])
    }

    @Test func nothingIsSentBeforeTheFirstValueIsAskedFor() async throws {
        server.on(.get, "/export", respond: .text(""))
        let rows = api.get("export").lines(of: Row.self)
        #expect(server.requests.isEmpty)
        #expect(try await all(rows) == [])
        #expect(server.requests.count == 1)
    }

    @Test func anErrorNamesTheLineAndTheRequestWithoutSecrets() async throws {
        server.on(.get, "/export", respond: .text("{\"id\":1}\n\n{\"id\":\"x\"}\n{\"id\":4}\n"))
        let rows = api.get("export").query("access_token", "geheim").lines(of: Row.self).makeAsyncIterator()
        #expect(try await rows.next() == Row(id: 1))
        let error = await thrown(DecodingError.self) { try await rows.next() }
        let text = "\(error as Any)"
        #expect(text.contains("In line 3 of the response to GET \(server.url("/export"))?access_token="), "\(text)")
        #expect(!text.contains("geheim"))
        #expect(await thrown(DecodingError.self) { try await rows.next() } != nil)
    }

    /// A body that ends with its connection: nothing else says that it was cut.
    @Test(arguments: [#"{"id": 1, "na"#, "{", "\"a", "tru"])
    func aLastLineThatIsCutIsIncomplete(last: String) async throws {
        server.on(.get, "/watch", respond: .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}\n\(last)").closing())
        let values = api.get("watch").lines(of: Json.self).makeAsyncIterator()
        #expect(try await values.next() == Json())
        let error = await thrown(ValueStreamError.self) { try await values.next() }
        #expect(error?.code == .incomplete)
        #expect(error?.reason == "The body ended inside of line 2.")
        #expect(error?.isRetryable == true)
    }

    /// Only the start of a JSON text can have been cut.
    @Test(arguments: ["{\"id\":tru}", "{\"id\":1}}", "<p>Sign in</p>"])
    func aLastLineThatIsNoJsonIsADecodingError(line: String) async throws {
        server.on(.get, "/watch", respond: .html(line))
        let error = await thrown(DecodingError.self) { try await all(api.get("watch").lines(of: Json.self)) }
        #expect("\(error as Any)".contains("In line 1 of the response to GET"))
        #expect("\(error as Any)".contains("/watch, which is text/html"))
    }

    @Test func anErrorNamesAContentTypeThatIsNotJson() async throws {
        server.on(.get, "/watch", respond: .html("<html>\nSign in\n"))
        let error = await thrown(DecodingError.self) {
            try await api.get("watch").lines(of: Json.self).makeAsyncIterator().next()
        }
        #expect("\(try #require(error))".contains("/watch, which is text/html"))
    }

    @Test func aLineThatIsNoJsonIsADecodingError() async throws {
        server.on(.get, "/export", respond: .html("<html>\n"))
        let error = await thrown(DecodingError.self) { try await all(api.get("export").lines(of: Row.self)) }
        #expect("\(error as Any)".contains("In line 1 of the response to GET"))
    }

    @Test func aLineThatIsTooLongNamesItselfAndTheRequest() async throws {
        server.on(.get, "/export", respond: .text("{\"id\":1}\n{\"id\":1234567}\n"))
        let error = await thrown(ValueStreamError.self) {
            try await all(api.get("export").lines(of: Row.self, limit: 10))
        }
        #expect(error?.code == .lineTooLong)
        #expect(
            error?.description == """
                The response to GET \(server.url("/export")) can't be read as a stream of values: Line 2 is longer than \
                10 bytes, the limit of the stream. [lineTooLong]
                """)
    }

    @Test func aStatusThatIsNotAcceptedIsItsError() async throws {
        server.on(.get, "/export", respond: .json("{}", status: 404))
        let error = await thrown(HttpError.self) { try await all(api.get("export").lines(of: Row.self)) }
        #expect(error?.status == 404)
    }

    @Test func anEmptyBodyHasNoValues() async throws {
        server.on(.get, "/export", respond: .status(204))
        #expect(try await all(api.get("export").lines(of: Row.self)) == [])
    }

    @Test func allSettingsHold() async throws {
        server.on(.post, "/export") { request in
            request.headers["Authorization"] == "Bearer t" && request.body == Array("{\"id\":7}".utf8)
                ? .text("{\"id\":8}\n") : .status(401)
        }
        let request = api.auth(.bearer(TokenStore(TokenPair(accessToken: "t")))).post("export").body(Row(id: 7))
        #expect(try await all(request.lines(of: Row.self)) == [Row(id: 8)])
    }

    #if os(Linux)
    @Test func valuesArriveWithTheirLinesAndACutBodyIsTheSendersError() async throws {
        server.hold("/export")
        let rows = api.get("export").lines(of: Row.self)
        let first = Task { try await rows.makeAsyncIterator().next() }
        let exchange = try await server.nextRequest("/export")
        exchange.sendHead(headers: ["Content-Length": "1000"])
        exchange.sendBody("{\"id\":1}\n{\"id\"")
        #expect(try await first.value == Row(id: 1))
        exchange.sendBody(":2}\n{\"id\":3}")
        #expect(try await rows.makeAsyncIterator().next() == Row(id: 2))
        exchange.close()
        // The last line has no end, so it may be cut: it isn't delivered.
        let error = await thrown((any Error).self) { try await rows.makeAsyncIterator().next() }
        #expect(!(error is DecodingError) && !(error is ValueStreamError), "\(String(describing: error))")
    }

    @Test func cancelingTheReaderEndsTheTransfer() async throws {
        server.on(.get, "/export", respond: .endlessBody(Array("{\"id\":1}\n".utf8)))
        let reading = Task {
            var count = 0
            for try await _ in api.get("export").lines(of: Row.self) {
                count += 1
                if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
        try await server.waitForConnections(open: 0)
    }

    @Test func releasingTheStreamEndsTheTransfer() async throws {
        server.on(.get, "/export", respond: .endlessBody(Array("{\"id\":1}\n".utf8)))
        do {
            let rows = api.get("export").lines(of: Row.self)
            #expect(try await rows.makeAsyncIterator().next() == Row(id: 1))
        }
        try await server.waitForConnections(open: 0)
    }

    @Test func anErrorEndsTheTransfer() async throws {
        server.on(.get, "/export", respond: .endlessBody(Array("x\n".utf8)))
        let rows = api.get("export").lines(of: Row.self)
        #expect(await thrown(DecodingError.self) { try await rows.makeAsyncIterator().next() } != nil)
        try await server.waitForConnections(open: 0)
        withExtendedLifetime(rows) {}
    }

    @Test func aSlowReaderSlowsTheServerDown() async throws {
        let block = Array(String(repeating: "{\"id\":1}\n", count: 8_192).utf8)
        server.on(.get, "/export", respond: .repeating(block, length: block.count * 2_000))
        server.on(.get, "/other", respond: .text("ok"))
        let rows = api.get("export").lines(of: Row.self)
        #expect(try await rows.makeAsyncIterator().next() == Row(id: 1))
        // Other requests over the same thread take their time, in which an unpaused transfer would continue.
        for _ in 0..<300 { #expect(try await api.get("other").send(as: String.self) == "ok") }
        #expect(server.counts.bytesSent < 32 << 20, "\(server.counts.bytesSent)")
        withExtendedLifetime(rows) {}
    }
    #endif
}
