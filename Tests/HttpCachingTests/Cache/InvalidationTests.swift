import HttpMessages
import Logging
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// RFC 9111 §4.4: an unsafe request removes the responses of its URL, of all sessions.
@Suite struct InvalidationTests {
    private static let stored = [("Cache-Control", "max-age=60")]

    @Test func sessionsOfEarlierProcessesAreReached() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let earlier = CacheLab(store: store)
        earlier.answers(200, Self.stored)
        for user in ["a", "b"] { try await earlier.get("/a", [("Authorization", user)]) }
        try await earlier.get("/b", [("Authorization", "a")])
        let lab = CacheLab(store: store)
        _ = try await lab.sender.send(lab.request(.post, "/a", [("Authorization", "c")]))
        #expect(store.usage().entries == 1)
    }

    @Test func aLookupThatFailsIsNoObstacle() async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored)
        for path in ["/a", "/b"] { try await lab.get(path) }
        await lab.cache.waitForWrites()
        lab.answers(200, [("Location", "/b")])
        store.fail(.entries)
        _ = try await lab.sender.send(lab.request(.post))
        store.fail()
        #expect(await lab.cache.statistics.entries == 0)
    }

    @Test func theStoreInMemoryFindsTheEntriesOfAUrl() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        for url in ["http://a/", "http://b/"] {
            for session in [HttpCacheSession.anonymous, .everyone, HttpCacheSession(rawValue: "1")] {
                for _ in 0..<2 { try await store.write(.make(url, session: session))?.commit(replacing: []) }
            }
        }
        // The requirement of the protocol, and not its default.
        let removing: any HttpCacheStore = store
        try await removing.remove(urls: ["http://a/", "http://c/"])
        #expect(store.usage().entries == 6)
        #expect(store.entries(for: HttpCacheKey(url: "http://a/")).isEmpty)
        #expect(store.entries(for: HttpCacheKey(url: "http://b/", session: .everyone)).count == 2)
        try await removing.remove(urls: ["http://b/"])
        #expect(store.usage() == HttpCacheUsage(entries: 0, bytes: 0))
    }

    /// RFC 9110 §4.2.3: they are the same URL.
    @Test(arguments: [
        ("https://example.com/a", "https://EXAMPLE.com:443/a"), ("HTTPS://example.com:/a", "https://example.com/a"),
        ("https://example.com", "https://example.com/"), ("https://example.com?b=1", "https://example.com:443/?b=1"),
        ("http://example.com:80/a?token=A", "http://Example.com/a?token=A"), ("http://[::1]:80/", "http://[::1]"),
        ("https://example.com/a#b", "https://example.com:443/a"),
    ])
    func anotherSpellingIsTheSameUrl(_ first: String, _ second: String) async throws {
        let urls = try [first, second].map { try #require(URL(string: $0)) }
        for (stored, removed) in [(urls[0], urls[1]), (urls[1], urls[0])] {
            let lab = CacheLab()
            lab.answers(200, Self.stored)
            _ = try await lab.sender.send(HttpRequest(method: .get, url: stored))
            #expect(try await lab.sender.send(HttpRequest(method: .get, url: removed)).cache?.isStored == true)
            _ = try await lab.sender.send(HttpRequest(method: .put, url: removed))
            #expect(await lab.cache.statistics.entries == 0)
            _ = try await lab.sender.send(HttpRequest(method: .get, url: stored))
            try await lab.cache.remove(for: removed)
            #expect(await lab.cache.statistics.entries == 0)
        }
    }

    @Test(arguments: [
        ("https://example.com/a", "https://example.com/A"), ("https://example.com/a", "http://example.com/a"),
        ("https://example.com:80/a", "https://example.com/a"), ("https://example.com:8443/a", "https://example.com/a"),
    ])
    func anotherUrlIsNot(_ first: String, _ second: String) async throws {
        let lab = CacheLab()
        lab.answers(200, Self.stored)
        let urls = try [first, second].map { try #require(URL(string: $0)) }
        _ = try await lab.sender.send(HttpRequest(method: .get, url: urls[0]))
        _ = try await lab.sender.send(HttpRequest(method: .put, url: urls[1]))
        #expect(await lab.cache.statistics.entries == 1)
    }

    @Test(arguments: [false, true])
    func whatAnotherClientMasksIsRemoved(_ isMaskedFirst: Bool) async throws {
        let lab = CacheLab()
        lab.answers(200, Self.stored)
        var (get, post) = (try lab.request(.get, "/a?room=1"), try lab.request(.post, "/a?room=1"))
        let redaction = Redaction.standard.adding(keys: ["room"])
        if isMaskedFirst { get.options.redaction = redaction } else { post.options.redaction = redaction }
        _ = try await lab.sender.send(get)
        _ = try await lab.sender.send(lab.request(.get, "/a?room=2"))
        _ = try await lab.sender.send(post)
        #expect(await lab.cache.statistics.entries == 1)
    }

    /// Its server may have done what it asks for.
    @Test(arguments: [
        (TransportError.Code.truncatedResponse, true), (.stalled, true), (.responseTooLarge, true),
        (.connectionRefused, false), (.hostNotFound, false),
    ])
    func aFailureInvalidatesWhatMayHaveChanged(_ code: TransportError.Code, _ isInvalid: Bool) async throws {
        let lab = CacheLab()
        lab.answers(200, Self.stored)
        for path in ["/a", "/b"] { try await lab.get(path) }
        lab.fails(code)
        await #expect(throws: TransportError.self) { try await lab.sender.send(lab.request(.put)) }
        #expect(await lab.cache.statistics.entries == (isInvalid ? 1 : 2))
        await #expect(throws: TransportError.self) { try await lab.get("/c") }
        #expect(await lab.cache.statistics.entries == (isInvalid ? 1 : 2))
    }

    /// The redirect was one to a `GET`, or repeated the `POST`: the response doesn't say which.
    @Test(arguments: [false, true])
    func aRedirectToAnotherOriginNamesNothingThere(_ leaves: Bool) async throws {
        let lab = CacheLab()
        lab.answers(200, Self.stored)
        let paths = ["/a", "/target", "/named", "/located"]
        for path in paths { try await lab.get(path) }
        let sender = CachingSender(next: RedirectingPost(leaves: leaves), cache: lab.cache)
        _ = try await sender.send(lab.request(.post))
        var left: [String] = []
        for path in paths where try await lab.get(path).cache?.isStored == true { left.append(path) }
        #expect(left == (leaves ? ["/named", "/located"] : []))
    }

    @Test func theResponsesOfAllUsersCanBeRemoved() async throws {
        let lab = CacheLab()
        lab.answers(200, Self.stored)
        for headers in [[], [("Authorization", "a")], [("Cookie", "b")]] { try await lab.get("/a", headers) }
        try await lab.cache.removeSessions()
        #expect(await lab.cache.statistics.entries == 1)
        #expect(try await lab.get().cache?.isStored == true)
    }
}

/// Redirects each request to `/target`, whose response names two more.
private struct RedirectingPost: RequestSender {
    let leaves: Bool

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = HttpResponse(
            request: request, url: URL(string: "https://example.com/target"), status: 200,
            headers: ["Content-Location": "/named", "Location": "/located"])
        response.hasLeftOrigin = leaves
        return response
    }
}
