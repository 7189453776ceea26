import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `elements(of:at:)` over the real sender.
struct ElementsTests {
    private typealias Row = LinesTests.Row

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

    @Test func theElementsOfTheDocument() async throws {
        server.on(.get, "/rows", respond: .chunked(["[{\"id\":1},", "{\"i", "d\":2}", "]\n"]))
        #expect(try await all(api.get("rows").elements(of: Row.self)) == [Row(id: 1), Row(id: 2)])
        #expect(server.requests.last?.headers["Accept"] == "application/json, */*;q=0.1")
        let models = try await all(api.get("rows").elements(of: LinesTests.RowModel.self))
        #expect(models.map(\.number) == [1, 2])
    }

    @Test func theElementsAtAPath() async throws {
        server.on(.get, "/rows", respond: .json(#"{"count":2,"data":{"items":[{"id":1},{"id":2}],"next":null}}"#))
        let rows = api.get("rows").elements(of: Row.self, at: "data", "items")
        #expect(try await all(rows) == [Row(id: 1), Row(id: 2)])
    }

    @Test func anElementOfAnotherFormHasItsIndexInTheCodingPath() async throws {
        server.on(.get, "/rows", respond: .json(#"{"items":[{"id":1},{"id":"x"}]}"#))
        let rows = api.get("rows").elements(of: Row.self, at: "items").makeAsyncIterator()
        #expect(try await rows.next() == Row(id: 1))
        guard case .typeMismatch(_, let context)? = await thrown(DecodingError.self, by: { try await rows.next() })
        else {
            Issue.record("a type mismatch is expected")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["items", "Index 1", "id"])
        #expect(context.codingPath[1].intValue == 1)
        let place = "In element 1 of the response to GET \(server.url("/rows"))"
        #expect(context.debugDescription.hasSuffix(place), "\(context.debugDescription)")
    }

    @Test func aMalformedElementIsADecodingError() async throws {
        server.on(.get, "/rows", respond: .json(#"[{"id":1},{"id":tru}]"#))
        let error = await thrown(DecodingError.self) { try await all(api.get("rows").elements(of: Row.self)) }
        #expect("\(error as Any)".contains("In element 1 of the response to GET"))
    }

    @Test(
        arguments: [
            (#"{"rows":[]}"#, .invalidJson, #"The document has no member "items"."#),
            (#"{"items":{}}"#, .invalidJson, #"The value at "items" is no array."#),
            (#"{"items":[{"id":1}]"#, .incomplete, "The body ended inside of the JSON document."),
            ("", .incomplete, "The body is empty."),
            (
                #"{"items":[{"id":1234567}]}"#, .elementTooLong,
                "An element is longer than 10 bytes, the limit of the stream."
            ),
        ] as [(String, ValueStreamError.Code, String)])
    func whatIsNoArrayIsAnErrorThatNamesTheRequest(
        body: String, code: ValueStreamError.Code, reason: String
    ) async throws {
        server.on(.get, "/rows", respond: .json(body))
        let error = await thrown(ValueStreamError.self) {
            try await all(api.get("rows").elements(of: Row.self, at: "items", limit: 10))
        }
        #expect(error?.code == code)
        #expect(error?.reason == reason)
        #expect(error?.request == "GET \(server.url("/rows"))")
    }

    @Test func aResponseWithoutContentHasNoElements() async throws {
        server.on(.get, "/rows", respond: .status(204))
        #expect(try await all(api.get("rows").elements(of: Row.self)) == [])
    }

    #if os(Linux)
    @Test func aBodyThatIsCutAfterTheArrayIsTheSendersError() async throws {
        server.hold("/rows")
        let rows = api.get("rows").elements(of: Row.self)
        let first = Task { try await rows.makeAsyncIterator().next() }
        let exchange = try await server.nextRequest("/rows")
        exchange.sendHead(headers: ["Content-Length": "1000"])
        exchange.sendBody("[{\"id\":1}")
        #expect(try await first.value == Row(id: 1))
        exchange.sendBody("]")
        exchange.close()
        let error = await thrown((any Error).self) { try await rows.makeAsyncIterator().next() }
        #expect(!(error is DecodingError) && !(error is ValueStreamError), "\(String(describing: error))")
    }

    @Test func releasingTheStreamEndsTheTransfer() async throws {
        server.hold("/rows")
        do {
            let rows = api.get("rows").elements(of: Row.self)
            let first = Task { try await rows.makeAsyncIterator().next() }
            let exchange = try await server.nextRequest("/rows")
            exchange.sendHead()
            exchange.sendBody("[{\"id\":1},")
            #expect(try await first.value == Row(id: 1))
        }
        try await server.waitForConnections(open: 0)
    }
    #endif
}
