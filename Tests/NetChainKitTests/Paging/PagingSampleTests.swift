import NetChainKit
import NetChainTestKit
import Testing

private struct Issue: Decodable, Sendable {
    let title: String
}

private struct Answer: Decodable, Sendable {
    let items: [Issue]
    let next: String?
}

/// Paged lists: by the `Link` header, by page number, by a cursor in the body, by a rule of one's own.
private func titles(_ api: ApiClient) async throws -> [String] {
    var titles: [String] = []
    for try await issue in api.get("issues").items(of: Issue.self, by: .link) { titles.append(issue.title) }
    for try await issue in api.get("search").items(of: Issue.self, at: "items", by: .pageNumber("page", from: 1)) {
        titles.append(issue.title)
    }
    for try await page in api.get("all").pages(as: Answer.self, by: .cursor("after") { $0.value.next }) {
        titles += page.value.items.map(\.title)
    }
    let own = Paging<Answer> { page, request in
        page.value.next.map { request.query("next", $0) }
    }
    for try await page in api.get("own").pages(as: Answer.self, by: own) { titles.append("\(page.value.items.count)") }
    return titles
}

struct PagingSampleTests {
    @Test func pagedListsAsAnApplicationReadsThem() async throws {
        let server = try LoopbackServer()
        let api = ApiClient(server.url("/v1")) { $0.log.sink = .silent }
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
}
