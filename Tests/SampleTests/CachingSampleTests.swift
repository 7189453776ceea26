import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

/// The functions of `16-Caching.swift`, against a server.
struct CachingSampleTests {
    @Test func aResponseIsShownFromTheCacheThenFromTheNetworkAndWithoutOne() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/articles/1") { request in
            request.headers["If-None-Match"] == "\"1\""
                ? .status(304)
                : .json(#"{"title": "Notes"}"#, headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""])
        }
        let folder = try TestFolder()
        let cache = try HttpCache(folder: folder.place("cache"), limit: 1_000_000)
        let api = ApiClient(server.url("/")) {
            $0.cache = cache
            $0.log.sink = .silent
        }
        try await show(api)
        #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, nil, "\"1\""])
        #expect(server.requests.map { $0.headers["Cache-Control"] } == [nil, "no-cache", nil])
        server.stop()
        let article: ApiResponse<Article> = try await api.get("articles/1").send()
        #expect(article.value.title == "Notes")
        let outcome = try #require(article.cache)
        #expect(outcome == .stale(age: outcome.age ?? .zero, .offline))
    }

    @Test func theClientOfTheSampleHasAFolder() async throws {
        let folder = try TestFolder()
        let api = try cachedClient(folder: folder.place("cache"))
        let error = await thrown(HttpError.self) {
            try await api.get("articles/1").caching(.onlyIfCached).log(to: .silent).send()
        }
        #expect(error?.statusCode == 504)
    }
}
