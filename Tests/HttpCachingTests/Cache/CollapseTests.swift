import HttpMessages
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// RFC 9111 §4: concurrent requests for one key.
@Suite struct CollapseTests {
    private let network = ScriptedRequestSender()
    private let store = HttpCacheMemoryStore(limit: 1_000_000)
    private let cache: HttpCache
    private let lab = CacheLab()

    init() {
        cache = HttpCache(store: store)
    }

    private var sender: CachingSender { CachingSender(next: network, cache: cache) }

    private func task(_ headers: [(String, String)] = []) throws -> Task<HttpResponse, any Error> {
        let request = try lab.request(.get, "/a", headers)
        return Task { [sender] in try await sender.send(request) }
    }

    private let stored: HttpHeaders = ["Cache-Control": "max-age=60"]

    @Test func concurrentMissesAreSentOnce() async throws {
        let tasks = try (0..<20).map { _ in try task() }
        try await network.nextRequest().respond(headers: stored, body: Data("text".utf8))
        for task in tasks { #expect(try await task.value.text == "text") }
        #expect(network.requests.count == 1)
        let statistics = await cache.statistics
        #expect(statistics.misses == 1 && statistics.hits == 19)
    }

    @Test func aFollowerThatCancelsCancelsNothingElse() async throws {
        let leader = try task()
        let exchange = try await network.nextRequest()
        let (canceled, other) = (try task(), try task())
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        #expect(!exchange.isCanceled)
        exchange.respond(headers: stored)
        _ = try await (leader.value, other.value)
        #expect(network.requests.count == 1)
    }

    @Test func anotherOneTakesThePlaceOfACanceledLeader() async throws {
        let leader = try task()
        let exchange = try await network.nextRequest()
        let followers = try (0..<5).map { _ in try task() }
        leader.cancel()
        await exchange.ended()
        #expect(exchange.isCanceled)
        try await network.nextRequest().respond(headers: stored, body: Data("text".utf8))
        for follower in followers { #expect(try await follower.value.text == "text") }
        #expect(network.requests.count == 2)
    }

    @Test func whatCannotBeSharedIsSentByEach() async throws {
        let tasks = try (0..<3).map { _ in try task() }
        try await network.nextRequest().respond(headers: ["Cache-Control": "no-store"], body: Data("1".utf8))
        for _ in 0..<2 {
            try await network.nextRequest().respond(headers: ["Cache-Control": "no-store"], body: Data("2".utf8))
        }
        for task in tasks { #expect(try await task.value.cache == .miss) }
        #expect(network.requests.count == 3)
    }

    @Test func anErrorIsOfItsRequestAlone() async throws {
        let leader = try task()
        let exchange = try await network.nextRequest()
        let follower = try task()
        exchange.fail(.connectionLost)
        await #expect(throws: TransportError.self) { try await leader.value }
        try await network.nextRequest().respond(headers: stored)
        #expect(try await follower.value.status == 200)
    }

    @Test func requestsWithOtherCredentialsNeverShare() async throws {
        let first = try task([("Authorization", "Bearer a")])
        let second = try task([("Authorization", "Bearer b")])
        for _ in 0..<2 {
            let exchange = try await network.nextRequest()
            let user = exchange.request.headers["Authorization"] ?? ""
            exchange.respond(headers: stored, body: Data(user.utf8))
        }
        #expect(try await first.value.text == "Bearer a")
        #expect(try await second.value.text == "Bearer b")
    }

    @Test func variantsOfConcurrentRequestsAreNotMixed() async throws {
        let first = try task([("Accept-Language", "de")])
        let exchange = try await network.nextRequest()
        let second = try task([("Accept-Language", "en")])
        exchange.respond(
            headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], body: Data("Artikel".utf8))
        let other = try await network.nextRequest()
        #expect(other.request.headers["Accept-Language"] == "en")
        other.respond(headers: ["Cache-Control": "max-age=60", "Vary": "Accept-Language"], body: Data("Article".utf8))
        #expect(try await first.value.text == "Artikel")
        #expect(try await second.value.text == "Article")
    }

    @Test func aFollowerWaitsNoLongerThanItsTimeout() async throws {
        let clock = TestClock()
        let cache = HttpCache(store: HttpCacheMemoryStore(limit: 1_000_000), clock: clock)
        let sender = CachingSender(next: network, cache: cache)
        let request = try lab.request()
        let leader = Task { try await sender.send(request) }
        let exchange = try await network.nextRequest()
        var limited = request
        limited.options.timeout = .seconds(5)
        let follower = Task { [limited] in try await sender.send(limited) }
        await eventually("the follower waits") { clock.delays == [.seconds(5)] }
        clock.advance(by: .seconds(5))
        let error = await thrown(TransportError.self) { try await follower.value }
        #expect(error?.code == .requestTimedOut)
        exchange.respond()
        _ = try await leader.value
    }

    @Test func whatIsInvalidatedWhileItIsSentIsNotStored() async throws {
        let get = try task()
        let exchange = try await network.nextRequest()
        let post = try lab.request(.post)
        let posted = Task { [sender] in try await sender.send(post) }
        try await network.nextRequest().respond()
        _ = try await posted.value
        exchange.respond(headers: stored)
        _ = try await get.value
        #expect(await cache.statistics.entries == 0)
    }

    /// Its URL isn't known yet, so anything may be what it gets.
    @Test(arguments: ["/b", "/c"])
    func whatIsInvalidatedWhileItIsRedirectedIsNotStored(_ path: String) async throws {
        let redirecting = CachingSender(next: RedirectingToB(next: network), cache: cache)
        let (get, post) = (try lab.request(), try lab.request(.post, path))
        let redirected = Task { try await redirecting.send(get) }
        let exchange = try await network.nextRequest()
        let posted = Task { [sender] in try await sender.send(post) }
        try await network.nextRequest().respond()
        _ = try await posted.value
        exchange.respond(headers: stored)
        _ = try await redirected.value
        #expect(await cache.statistics.entries == 0)
    }

    @Test func whatIsRemovedWhileItIsSentIsNotStored() async throws {
        let get = try task()
        let exchange = try await network.nextRequest()
        try await cache.removeAll()
        exchange.respond(headers: stored)
        _ = try await get.value
        #expect(await cache.statistics.entries == 0)
    }

    /// The response to a `POST` that is what its URL represents.
    @Test func whatIsRemovedWhileItIsPostedIsNotStored() async throws {
        let post = try lab.request(.post)
        let put = try lab.request(.put)
        let removals: [@Sendable () async throws -> Void] = [
            {}, { [cache] in try await cache.removeAll() },
            { [sender, network] in
                async let response = sender.send(put)
                try await network.nextRequest().respond()
                _ = try await response
            },
        ]
        for (number, remove) in removals.enumerated() {
            let posted = Task { [sender] in try await sender.send(post) }
            let exchange = try await network.nextRequest()
            try await remove()
            exchange.respond(headers: ["Cache-Control": "max-age=60", "Content-Location": "/a"])
            _ = try await posted.value
            #expect(await cache.statistics.entries == (number == 0 ? 1 : 0), "\(number)")
        }
    }

    @Test func aStaleResponseIsServedWhileOneRequestRevalidatesIt() async throws {
        let first = try task()
        try await network.nextRequest().respond(
            headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"a\""], body: Data("old".utf8))
        _ = try await first.value
        for _ in 0..<3 {
            let response = try await task().value
            #expect(response.text == "old")
            guard case .stale(_, .whileRevalidating) = response.cache else {
                Issue.record("it was not stale: \(String(describing: response.cache))")
                return
            }
        }
        let revalidation = try await network.nextRequest()
        #expect(revalidation.request.headers["If-None-Match"] == "\"a\"")
        revalidation.respond(headers: stored, body: Data("new".utf8))
        let key = HttpCacheKey(url: "https://example.com/a")
        await eventually("the response is stored") {
            store.entries(for: key).first?.headers["Cache-Control"] == "max-age=60"
        }
        #expect(try await task().value.text == "new")
        #expect(network.requests.count == 2)
    }

    /// RFC 9111 §4.3.3: otherwise deleted content is served for the whole window.
    @Test(arguments: [(401, true), (403, true), (404, true), (410, true), (408, false), (429, false), (503, false)])
    func anErrorOfTheRequestEndsStaleResponses(_ status: Int, _ isRemoved: Bool) async throws {
        let first = try task()
        try await network.nextRequest().respond(
            headers: ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"a\""], body: Data("old".utf8))
        _ = try await first.value
        #expect(try await task().value.text == "old")
        try await network.nextRequest().respond(status: status)
        let key = HttpCacheKey(url: "https://example.com/a")
        await eventually("the validation ends") { cache.flights.begin(key) }
        #expect(store.entries(for: key).isEmpty == isRemoved)
    }
}

/// Follows a redirect from `/a` to `/b`.
private struct RedirectingToB: RequestSender {
    let next: ScriptedRequestSender

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = try await next.send(request)
        if request.url.path == "/a" { response.url = try #require(URL(string: "https://example.com/b")) }
        return response
    }
}
