import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `events()` of an `ApiRequest`, over real connections.
struct EventTests {
    private struct Update: Decodable, Equatable, Sendable {
        let value: Int
    }

    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url) { $0.log.sink = .silent }
    }

    // MARK: One connection

    @Test func textsAreEvents() async throws {
        let texts = ["one", "two\nthree"]
        server.on(.get, "/feed", respond: .events(texts))
        let stream = api.get("feed").events(reconnecting: .never)
        #expect(try await stream.texts() == ["message one -", "message two\nthree -"])
    }

    @Test func eventsArriveWhileTheServerIsStillSending() async throws {
        server.hold("/feed")
        let events = api.get("feed").events().makeAsyncIterator()
        // Nothing is sent before the first event is asked for.
        #expect(server.requestCount() == 0)
        async let first = events.next()
        let exchange = try await server.nextRequest("/feed")
        #expect(exchange.request.headers["Accept"] == "text/event-stream")
        #expect(exchange.request.headers["Last-Event-ID"] == nil)
        exchange.send(LoopbackEvent("one\ntwo", name: "created", id: "7"))
        #expect(try await first == ServerSentEvent(name: "created", data: "one\ntwo", id: "7"))
        exchange.send(.comment("still here"))
        exchange.send("three")
        #expect(try await events.next() == ServerSentEvent(data: "three", id: "7"))
    }

    @Test func aPostConnectsOnce() async throws {
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#, #"{"value": 2}"#, "[DONE]", "never read"]))
        var updates: [Update] = []
        for try await update in api.post("chat").body(["prompt": "hi"]).events(as: Update.self, until: "[DONE]") {
            updates.append(update)
        }
        #expect(updates == [Update(value: 1), Update(value: 2)])
        #expect(server.requests.map(\.text) == [#"{"prompt":"hi"}"#])
        server.on(.post, "/chat", respond: .events(["a"]))
        #expect(try await api.post("chat").events().texts() == ["message a -"])
        #expect(server.requestCount() == 2)
        server.on(.post, "/chat", respond: .events(["[DONE]a", "[DONE] \t", "never read"]))
        #expect(try await api.post("chat").events(until: "[DONE]").texts() == ["message [DONE]a -"])
        server.on(.post, "/chat", respond: .events(["[DONE]\n", "never read"]))
        #expect(try await api.post("chat").events(until: "[DONE]").texts() == [])
    }

    @Test func aChatThatIsCutFails() async throws {
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#]))
        let closed = api.post("chat").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await closed.next() == Update(value: 1))
        let error = await thrown(ValueStreamError.self) { try await closed.next() }
        #expect(error?.code == .incomplete)
        #expect(
            error?.description
                == "The response to POST \(server.url)/chat can't be read as a stream of values: The body ended before the "
                + "event that ends the stream, \"[DONE]\". [incomplete]")
        server.on(.post, "/chat", respond: .events([#"{"value": 1}"#, #"{"value": 2}"#]).closing(afterBytes: 120))
        let cut = api.post("chat").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await cut.next() == Update(value: 1))
        #expect(await thrown(TransportError.self) { try await cut.next() }?.code == .truncatedResponse)
        // The error stays.
        #expect(await thrown(TransportError.self) { try await cut.next() }?.code == .truncatedResponse)
    }

    @Test func aStreamWithoutContentLacksItsEnd() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent(#"{"value": 1}"#, retry: 0)]), .status(204)])
        let events = api.get("feed").events(as: Update.self, until: "[DONE]").makeAsyncIterator()
        #expect(try await events.next() == Update(value: 1))
        #expect(await thrown(ValueStreamError.self) { try await events.next() }?.code == .incomplete)
    }

    @Test func dataOfAnotherFormAreADecodingError() async throws {
        server.on(.post, "/chat", respond: .events(["{}"]))
        let events = api.post("chat").events(as: Update.self).makeAsyncIterator()
        let error = await thrown(DecodingError.self) { try await events.next() }
        let text = "\(try #require(error))"
        #expect(text.contains("In an event of the response to POST \(server.url)/chat"))
        #expect(!text.contains("no body"))
    }

    @Test func theClientsDecoderDecodes() async throws {
        struct Row: Decodable { let firstName: String }
        server.on(.get, "/feed", respond: .events([#"{"first_name": "Ada"}"#]))
        let api = api.setting { $0.json.keys = .snakeCase }
        for try await event in api.get("feed").events() {
            #expect(try event.decode(Row.self).firstName == "Ada")
            break
        }
        for try await row in api.get("feed").events(as: Row.self) {
            #expect(row.firstName == "Ada")
            break
        }
    }

    // MARK: What ends a stream

    @Test(arguments: [204, 205])
    func noContentEndsIt(status: Int) async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .status(status)])
        #expect(try await api.get("feed").events().texts() == ["message a -"])
        #expect(server.requestCount() == 2)
    }

    @Test func anotherStatusEndsItWithItsError() async throws {
        server.on(.get, "/feed", inOrder: [.events([LoopbackEvent("a", retry: 0)]), .json("{}", status: 503)])
        let events = api.get("feed").events().makeAsyncIterator()
        #expect(try await events.next()?.data == "a")
        #expect(await thrown(HttpError.self) { try await events.next() }?.statusCode == 503)
        #expect(server.requestCount() == 2)
    }

    @Test(arguments: [
        (LoopbackResponse.text("hi"), "text/plain"), (.json("{}"), "application/json"),
        (.chunked([""], contentType: "text/event-streams"), "text/event-streams"),
    ])
    func anotherContentTypeEndsIt(response: LoopbackResponse, type: String) async throws {
        server.on(.get, "/feed", respond: response)
        let error = await thrown(ValueStreamError.self) { try await api.get("feed?token=secret").events().texts() }
        #expect(error?.code == .unexpectedContentType)
        #expect(error?.request == "GET \(server.url)/feed?token=***")
        #expect(error?.reason == "The content type is \(type), and that of server-sent events is text/event-stream.")
    }

    /// The text is UTF-8, whatever the parameters say.
    @Test(arguments: [
        "Text/Event-Stream", "text/event-stream; charset=utf-8", "text/event-stream;charset=windows-1252",
    ])
    func theContentTypeMayHaveAnyCaseAndParameters(type: String) async throws {
        server.on(.get, "/feed", inOrder: [.chunked(["data: é\nretry: 0\n\n"], contentType: type), .status(204)])
        #expect(try await api.get("feed").events().texts() == ["message é -"])
    }

    /// Clients have one for JSON.
    @Test(arguments: [
        ("application/json", "text/event-stream"), ("*/*", "text/event-stream"),
        ("Text/Event-Stream; v=2, */*;q=0.1", "Text/Event-Stream; v=2, */*;q=0.1"),
    ])
    func anAcceptWithoutTheTypeOfEventsIsReplaced(accept: String, sent: String) async throws {
        server.on(.get, "/feed", respond: .status(204))
        let api = api.header("Accept", accept)
        #expect(try await api.get("feed").events().texts() == [])
        #expect(server.requests.first?.headers.values(of: "Accept") == [sent])
    }

    @Test func theFirstConnectionFailsWithItsError() async throws {
        let api = ApiClient(try ClosedPort.url()) { $0.log.sink = .silent }
        let error = await thrown(TechnicalError.self) { try await api.get("feed").events().texts() }
        #expect(error?.cause.code == .connectionRefused)
    }

    @Test(
        arguments: [
            ("data: a", .lineTooLong, "A line is longer than 1048576 bytes"),
            ("data: a\n", .eventTooLong, "The data of an event is longer than 1048576 bytes"),
        ] as [(String, ValueStreamError.Code, String)])
    func aLineOrAnEventWithoutEndFails(text: String, code: ValueStreamError.Code, reason: String) async throws {
        let block = Array(repeatElement(text.utf8, count: 8_192).joined())
        server.on(
            .get, "/feed", respond: .endlessBody(block, isChunked: true).header("Content-Type", "text/event-stream"))
        let error = await thrown(ValueStreamError.self) { try await api.get("feed").events().texts() }
        #expect(error?.code == code)
        #expect(error?.reason == "\(reason), the limit of the stream.")
        #expect(error?.request == "GET \(server.url)/feed")
        try await server.waitForConnections(open: 0)
        #expect(server.requestCount() == 1)
    }
}
