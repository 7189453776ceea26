import Foundation
import NetChainKit
import NetChainTestKit
import Testing

@testable import SqliteCache

/// A client whose cache is a database.
struct SqliteStoreTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path

    private func cache() throws -> HttpCache { HttpCache(store: try SqliteStore(path: path, limit: 1_000_000)) }

    private func client(_ url: URL, _ cache: HttpCache) -> ApiClient {
        ApiClient(url) {
            $0.cache = cache
            $0.log.sink = .silent
        }
    }

    private func removeDatabase() { try? FileManager.default.removeItem(atPath: path) }

    @Test func aResponseIsServedWithoutTheServer() async throws {
        defer { removeDatabase() }
        let server = try LoopbackServer()
        server.on(.get, "/articles/1", respond: .json(#"{"title": "Bread"}"#, headers: ["Cache-Control": "max-age=60"]))
        let before = try cache()
        let first: ApiResponse<Json> = try await client(server.url, before).get("articles/1").send()
        #expect(first.cache == .miss)
        server.stop()
        // A program that ends does this.
        await before.waitForWrites()
        // As the next process does.
        let second: ApiResponse<Json> = try await client(server.url, cache()).get("articles/1").send()
        #expect(second.value["title"]?.string == "Bread")
        #expect(second.cache != .miss)
        #expect(server.requests.count == 1)
    }

    @Test func aValidationUpdatesTheResponse() async throws {
        defer { removeDatabase() }
        let server = try LoopbackServer()
        server.on(.get, "/a") { request in
            request.headers["If-None-Match"] == "\"1\""
                ? .status(304) : .text("one", headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
        }
        let cache = try cache()
        for _ in 0..<2 {
            let text: Data = try await client(server.url, cache).get("a").send()
            #expect(text == Data("one".utf8))
        }
        #expect(server.requests.count == 2)
        #expect(await cache.statistics.revalidations == 1)
    }

    @Test func theLeastRecentlyUsedResponsesAreEvicted() async throws {
        defer { removeDatabase() }
        let store = try SqliteStore(path: path, limit: 1000)
        func key(_ number: Int) -> HttpCacheKey { HttpCacheKey(url: "https://example.com/\(number)") }
        for number in 0..<20 {
            let entry = HttpCacheEntry(
                key: key(number), status: 200, headers: [:], requestTime: Date(), responseTime: Date())
            let writer = try #require(try await store.write(entry))
            try await writer.append(Data(count: 100))
            try await writer.commit(replacing: [])
            let first = try await store.entries(for: key(0)).first
            _ = try await store.body(of: #require(first))
        }
        #expect(try await store.usage() == HttpCacheUsage(entries: 10, bytes: 1000))
        #expect(try await store.entries(for: key(0)).count == 1)
        #expect(try await store.entries(for: key(1)).isEmpty)
        try await store.removeAll()
        #expect(try await store.usage().entries == 0)
    }
}
