import NetChainKit
import NetChainTestKit
import Testing

/// The functions of `13-Streams.swift`, against a server.
struct StreamSampleTests {
    private let server: LoopbackServer
    private let api: ApiClient

    init() throws {
        server = try LoopbackServer()
        api = ApiClient(server.url("/v1")) { $0.log.sink = .silent }
    }

    @Test func pagedListsAsAnApplicationReadsThem() async throws {
        server.on(
            .get, "/v1/issues",
            inOrder: [
                .json(#"[{"title": "a"}, {"title": "b"}]"#, headers: ["Link": "<?page=2>; rel=\"next\""]),
                .json(#"[{"title": "c"}]"#, headers: ["Link": "<issues>; rel=prev"]),
            ])
        server.on(.get, "/v1/search") { request in
            .json(request.query == "page=3" ? #"{"items": []}"# : #"{"items": [{"title": "d"}]}"#)
        }
        let pages: [LoopbackResponse] = [
            .json(#"{"items": [{"title": "e"}], "next": "x y"}"#), .json(#"{"items": [{"title": "f"}], "next": null}"#),
        ]
        server.on(.get, "/v1/all", inOrder: pages)
        server.on(.get, "/v1/own", inOrder: pages)
        #expect(try await titles(api) == ["a", "b", "c", "d", "d", "e", "f", "1", "1"])
        #expect(
            server.requests.map(\.target) == [
                "/v1/issues", "/v1/issues?page=2", "/v1/search?page=1", "/v1/search?page=2", "/v1/search?page=3",
                "/v1/all", "/v1/all?after=x%20y", "/v1/own", "/v1/own?next=x%20y",
            ])
    }

    @Test func aChatCompletion() async throws {
        server.on(.post, "/v1/chat", respond: .events([#"{"text": "Hello, "}"#, #"{"text": "Ada"}"#, "[DONE]"]))
        #expect(try await chat("Say hello", with: api) == "Hello, Ada")
    }

    @Test func aFeed() async throws {
        server.on(
            .get, "/v1/feed",
            inOrder: [
                .events([LoopbackEvent(#"{"id": 1, "name": "a"}"#, name: "created", id: "1", retry: 0)]),
                .events([
                    LoopbackEvent("1", name: "deleted", id: "2"),
                    LoopbackEvent(#"{"id": 2, "name": "b"}"#, name: "created"),
                ]),
                .status(204),
            ])
        var ids: [Int] = []
        try await follow(api) { ids.append($0.id) }
        #expect(ids == [1, 2])
    }

    @Test func anExport() async throws {
        server.on(.get, "/v1/export", respond: .lines([#"{"id": 1, "name": "a"}"#, #"{"id": 2, "name": "b"}"#]))
        server.on(
            .get, "/v1/rows", respond: .json(#"{"count": 2, "items": [{"id": 3, "name": ""}, {"id": 4, "name": ""}]}"#))
        server.on(.get, "/v1/log", respond: .text("one\r\nthree\n"))
        #expect(try await export(from: api) == 10 + 8)
    }
}
