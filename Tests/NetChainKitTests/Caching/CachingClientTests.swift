import NetChainTestKit
import Synchronization
import TestSupport
import Testing

@testable import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client with a cache, as an application uses it.
@Suite struct CachingClientTests {
    struct Article: Codable, Sendable, Equatable {
        let title: String
    }

    struct Offline: Error {}

    /// Counts how often it is decoded.
    struct Counted: Decodable, Sendable {
        let title: String

        @TaskLocal static var decoded: Gathered<String>?

        init(from decoder: any Decoder) throws {
            title = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .title)
            Self.decoded?.append(title)
        }

        private enum Keys: String, CodingKey { case title }
    }

    private static func client(
        _ sender: some RequestSender, _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> ApiClient {
        ApiClient("https://api.example.com") {
            $0.sender = sender
            $0.cache = HttpCache(memory: 1_000_000)
            $0.log.sink = .silent
            configure(&$0)
        }
    }

    private static func server(_ headers: HttpHeaders) -> ScriptedRequestSender {
        ScriptedRequestSender { exchange in
            let number = exchange.request.headers["If-None-Match"]
            if number == "\"1\"" {
                exchange.respond(status: 304)
            } else {
                exchange.respond(json: #"{"title": "one"}"#, headers: headers)
            }
        }
    }

    /// The statuses of the attempts: what the server said.
    @Test(arguments: [false, true]) func anAttemptIsASending(isStream: Bool) async throws {
        let attempts = Gathered<Int?>()
        let sender = Self.server(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let api = Self.client(sender) {
            $0.log.filter.level = .debug
            $0.log.sink = .events { if $0.kind == .attempt { attempts.append($0.details.status) } }
        }
        for mode in [CacheMode.standard, .standard, .revalidate] {
            let request = api.get("a").caching(mode)
            if isStream {
                for try await _ in try await request.stream() {}
            } else {
                try await request.send()
            }
        }
        await eventually("both attempts") { attempts.all == [200, 304] }
        #expect(attempts.all == [200, 304])
    }

    @Test func anAttemptWhoseErrorIsReplacedIsOneToo() async throws {
        let attempts = Gathered<String>()
        let sender = ScriptedRequestSender { exchange in
            if exchange.request.headers["If-None-Match"] != nil {
                exchange.fail(.connectionRefused)
            } else {
                exchange.respond(json: "{}", headers: ["Cache-Control": "max-age=0", "ETag": "\"1\""])
            }
        }
        let api = Self.client(sender) {
            $0.log.filter.level = .debug
            $0.log.sink = .events { log in
                guard log.kind == .attempt else { return }
                let error = log.details.error as? TransportError
                attempts.append(error?.code.description ?? "\(log.details.status ?? 0)")
            }
        }
        try await api.get("a").send()
        #expect(try await api.get("a").send().cache?.isStale == true)
        #expect(attempts.all == ["200", "connectionRefused"])
    }

    @Test func theResponseSaysWhatTheCacheDid() async throws {
        let sender = Self.server(["Cache-Control": "max-age=60", "ETag": "\"1\""])
        let api = Self.client(sender)
        let first: ApiResponse<Article> = try await api.get("articles/1").send()
        #expect(first.cache == .miss)
        let second: ApiResponse<Article> = try await api.get("articles/1").send()
        #expect(second.cache == .hit(age: .zero) || second.cache?.age ?? .seconds(9) < .seconds(9))
        #expect(second.value == first.value)
        let third: ApiResponse<Article> = try await api.get("articles/1").caching(.reload).send()
        #expect(third.cache == .miss)
        let fourth: ApiResponse<Article> = try await api.get("articles/1").header("Cache-Control", "no-cache").send()
        #expect(fourth.cache == .revalidated && fourth.value == first.value && fourth.status == 200)
        #expect(sender.requests.count == 3)
    }

    /// The sender adds it after the cache (RFC 9111 §4.1).
    @Test func sendersWithOtherUserAgentsShareNoVariant() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/a") { request in
            let text = request.headers["User-Agent"] ?? "none"
            return LoopbackResponse(
                status: 200, headers: ["Cache-Control": "max-age=60", "Vary": "User-Agent"],
                body: .bytes(Array(text.utf8)))
        }
        let cache = HttpCache(memory: 1_000_000)
        func text(of agent: String?, _ headers: HttpHeaders = [:]) async throws -> String {
            var configuration = CurlRequestSender.Configuration()
            configuration.userAgent = agent
            let sender = CachingSender(next: try CurlRequestSender(configuration: configuration), cache: cache)
            let request = HttpRequest(method: .get, url: server.url("/a"), headers: headers)
            return String(decoding: try await sender.send(request).data, as: UTF8.self)
        }
        for _ in 0..<2 {
            #expect(try await text(of: "A/1") == "A/1")
            #expect(try await text(of: "B/1") == "B/1")
            #expect(try await text(of: nil) == "none")
            #expect(try await text(of: "A/1", ["User-Agent": "B/1"]) == "B/1")
        }
        #expect(server.requests.count == 3)
    }

    @Test func withoutACacheTheResponseSaysNothing() async throws {
        let api = ApiClient("https://api.example.com") {
            $0.sender = Self.server(["Cache-Control": "max-age=60"])
            $0.log.sink = .silent
        }
        let response: ApiResponse<Article> = try await api.get("a").caching(.onlyIfCached).send()
        #expect(response.cache == nil)
    }

    @Test func withoutACacheNoRequestPassesTheGate() throws {
        let url = try #require(URL(string: "https://api.example.com"))
        func passes(_ configure: (inout RequestSettings) -> Void) -> Bool {
            var settings = RequestSettings()
            settings.caching = .onlyIfCached
            configure(&settings)
            return HttpRequest(method: .get, url: url, options: settings.options(destination: .memory)).isForCacheOnly
        }
        #expect(!passes { _ in })
        #expect(passes { $0.cache = HttpCache(memory: 1000) })
        #expect(passes { $0.sender = CachingSender(next: ScriptedRequestSender(), cache: HttpCache(memory: 1000)) })
        #expect(
            !passes {
                $0.cache = HttpCache(memory: 1000)
                $0.caching = .standard
            })
    }

    @Test func whatIsNotStoredIsA504ThatIsNotTriedAgain() async throws {
        let sender = ScriptedRequestSender { $0.fail(.connectionRefused) }
        let clock = TestClock()
        let api = Self.client(sender) {
            $0.retry = .exponential(maxAttempts: 3)
            $0.clock = clock
        }
        let error = await thrown(HttpError.self) {
            let _: Article = try await api.get("a").caching(.onlyIfCached).send()
        }
        #expect(error?.statusCode == 504)
        #expect(
            error?.description
                == "GET https://api.example.com/a failed with status 504 (the cache has no response, and no server may be asked)"
        )
        #expect(error?.isRetryable == false)
        #expect(sender.requests.isEmpty && clock.delays.isEmpty)
    }

    @Test func aStoredErrorIsTriedAgain() async throws {
        let sender = ScriptedRequestSender()
        let clock = TestClock()
        let api = Self.client(sender) {
            $0.retry = .exponential(maxAttempts: 2)
            $0.clock = clock
        }
        let sent = Task { try await api.get("a").send(as: Article.self) }
        try await sender.nextRequest().respond(status: 503, headers: ["Cache-Control": "max-age=600"])
        await eventually("it waits") { !clock.delays.isEmpty }
        clock.advance(by: .seconds(60))
        try await sender.nextRequest().respond(json: #"{"title": "one"}"#)
        #expect(try await sent.value.title == "one")
    }

    @Test func whatIsServedDoesNotCountForLimits() async throws {
        let api = Self.client(Self.server(["Cache-Control": "max-age=60"])) {
            $0.rateLimit = RateLimit(1, per: .seconds(3600), waiting: 0)
        }
        for _ in 0..<3 { _ = try await api.get("a").send(as: Article.self) }
    }

    // MARK: - The cache, then the network

    @Test func theSecondResponseIsNotDecodedAgainIfItIsTheSame() async throws {
        let api = Self.client(Self.server(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        let decoded = Gathered<String>()
        try await Counted.$decoded.withValue(decoded) {
            var outcomes: [CacheOutcome?] = []
            for try await article in api.get("a").cacheThenNetwork(as: Counted.self) { outcomes.append(article.cache) }
            #expect(outcomes == [.miss])
            outcomes = []
            for try await article in api.get("a").cacheThenNetwork(as: Counted.self) {
                outcomes.append(article.cache)
                #expect(article.value.title == "one")
            }
            #expect(outcomes.count == 2 && outcomes.first??.age != nil && outcomes.last == .revalidated)
        }
        #expect(decoded.all == ["one", "one"])
    }

    /// A model that has changed, and an error that was stored.
    @Test(arguments: [(200, #"{"name": "one"}"#), (404, "")])
    func whatIsStoredAndCannotBeUsedIsAskedFor(_ status: Int, _ body: String) async throws {
        let sender = ScriptedRequestSender()
        let api = Self.client(sender)
        let first = Task { try await api.get("a").acceptedStatuses(.all).send(as: Data.self) }
        try await sender.nextRequest().respond(
            status: status, headers: ["Cache-Control": "max-age=600"], body: Data(body.utf8))
        _ = try await first.value
        let titles = Gathered<String>()
        let reader = Task {
            for try await article in api.get("a").cacheThenNetwork(as: Article.self) {
                titles.append(article.value.title)
            }
        }
        try await sender.nextRequest(within: .seconds(5)).respond(json: #"{"title": "one"}"#)
        try await reader.value
        #expect(titles.all == ["one"])
    }

    @Test func anImmutableResponseIsTheOnlyOne() async throws {
        let sender = Self.server(["Cache-Control": "max-age=60, immutable"])
        let api = Self.client(sender)
        for _ in 0..<2 {
            var count = 0
            for try await _ in api.get("a").cacheThenNetwork(as: Article.self) { count += 1 }
            #expect(count == 1)
        }
        #expect(sender.requests.count == 1)
    }

    @Test func anErrorOfTheNetworkFollowsWhatIsStored() async throws {
        let isOffline = Gathered<Bool>()
        let sender = ScriptedRequestSender { exchange in
            if isOffline.all.isEmpty { exchange.respond(json: #"{"title": "one"}"#) } else { exchange.fail(.noNetwork) }
        }
        let api = Self.client(sender)
        _ = try await api.get("a").send(as: Article.self)
        isOffline.append(true)
        var titles: [String] = []
        let error = await thrown(TechnicalError.self) {
            for try await article in api.get("a").cacheThenNetwork(as: Article.self) {
                titles.append(article.value.title)
            }
        }
        #expect(error?.isOffline == true && titles == ["one"])
        // An ordinary request is answered, and says so.
        let response: ApiResponse<Article> = try await api.get("a").send()
        guard case .stale(_, .offline) = response.cache else {
            Issue.record("\(String(describing: response.cache))")
            return
        }
    }

    @Test func withoutOfflineStalenessARequestFailsOffline() async throws {
        let isOffline = Gathered<Bool>()
        let sender = ScriptedRequestSender { exchange in
            if isOffline.all.isEmpty { exchange.respond(json: #"{"title": "one"}"#) } else { exchange.fail(.noNetwork) }
        }
        let api = ApiClient("https://a.example") {
            $0.sender = sender
            $0.log.sink = .silent
            $0.cache = HttpCache(memory: 1_000_000, offlineStaleness: .zero)
        }
        _ = try await api.get("a").send(as: Article.self)
        isOffline.append(true)
        await #expect(throws: TechnicalError.self) { try await api.get("a").send(as: Article.self) }
        let stored: ApiResponse<Article> = try await api.get("a").caching(.onlyIfCached).send()
        #expect(stored.cache?.isStale == true)
    }

    @Test func callbacksGetBothOnTheMainActor() async throws {
        let api = Self.client(Self.server(["ETag": "\"1\""]))
        _ = try await api.get("a").send(as: Article.self)
        let titles = Gathered<String>()
        try await api.get("a").cacheThenNetwork(as: Article.self) { article in
            MainActor.assertIsolated()
            titles.append(article.value.title)
        }.value
        #expect(titles.all == ["one", "one"])
    }

    @Test func nothingIsCalledAfterACancelOnTheMainActor() async throws {
        let api = Self.client(Self.server(["ETag": "\"1\""]))
        _ = try await api.get("a").send(as: Article.self)
        for _ in 0..<20 {
            let isCanceled = Mutex(false)
            let observer = await MainActor.run {
                let observer = api.get("a").cacheThenNetwork(as: Article.self) { _ in
                    if isCanceled.withLock({ $0 }) { Issue.record("It was canceled.") }
                }
                // Meanwhile the response arrives, and its call waits for the main actor.
                let end = ContinuousClock.now + .milliseconds(5)
                while ContinuousClock.now < end {}
                observer.cancel()
                isCanceled.withLock { $0 = true }
                return observer
            }
            #expect(await thrown(CancellationError.self) { try await observer.value } != nil)
        }
    }

    /// The requests are made when an iterator is asked for its first response.
    @Test func eachIteratorHasItsOwnDeadlineAndSession() async throws {
        let clock = TestClock()
        let tokens = TokenStore(TokenPair(accessToken: "a", refreshToken: nil))
        let sender = Self.server(["ETag": "\"1\""])
        let articles = Self.client(sender) {
            $0.clock = clock
            $0.auth = .bearer(tokens)
        }.get("a").deadline(.seconds(10)).cacheThenNetwork(as: Article.self)
        for token in ["b", "c"] {
            clock.advance(by: .seconds(11))
            tokens.clear()
            tokens.set(TokenPair(accessToken: token, refreshToken: nil))
            var count = 0
            for try await _ in articles { count += 1 }
            #expect(count == 1)
        }
        #expect(sender.requests.map { $0.headers["Authorization"] } == ["Bearer b", "Bearer c"])
    }

    @Test func aRequestWithCallbacksBelongsToTheSessionOfTheCall() async throws {
        let tokens = TokenStore(TokenPair(accessToken: "a", refreshToken: nil))
        let sender = Self.server([:])
        let request = Self.client(sender) { $0.auth = .bearer(tokens) }.get("a")
        let observer = await MainActor.run {
            let observer = request.cacheThenNetwork(as: Article.self) { _ in }
            tokens.clear()
            tokens.set(TokenPair(accessToken: "b", refreshToken: nil))
            return observer
        }
        // Either it was sent before the log-out, or not at all.
        let error = await thrown(AccessSafeError.self) { try await observer.value }
        if let error { #expect(error.code == .signedOut) }
        #expect(sender.requests.allSatisfy { $0.headers["Authorization"] == "Bearer a" })
    }

    // MARK: - Sessions

    @Test func signingOutRemovesWhatTheSessionStored() async throws {
        let tokens = TokenStore(TokenPair(accessToken: "a", refreshToken: nil))
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let cache = HttpCache(store: store)
        let api = Self.client(Self.server(["Cache-Control": "max-age=600"])) {
            $0.auth = .bearer(tokens)
            $0.cache = cache
        }
        _ = try await api.get("a").send(as: Article.self)
        #expect(await cache.statistics.entries == 1)
        tokens.clear()
        await eventually("the response is removed") { store.usage().entries == 0 }
        tokens.set(TokenPair(accessToken: "a", refreshToken: nil))
        let response: ApiResponse<Article> = try await api.get("a").send()
        #expect(response.cache == .miss)
        #expect(await cache.statistics.entries == 1)
    }

    @Test func whatIsStoredIsShownWithAnExpiredTokenThatCannotBeRenewed() async throws {
        let expired = TokenPair(accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSinceNow: -60))
        let tokens = TokenStore(expired)
        let refresher = TokenRefresherNode(store: tokens) { _ in throw Offline() }
        let sender = ScriptedRequestSender { $0.respond(json: #"{"title": "one"}"#) }
        let client = Self.client(sender)
        // The token when it was valid.
        _ = try await client.auth(.bearer("a")).get("a").send(as: Article.self)
        let api = client.auth(.bearer(tokens, refreshedBy: refresher))
        var titles: [String] = []
        for try await article in api.get("a").cacheThenNetwork(as: Article.self).prefix(1) {
            titles.append(article.value.title)
        }
        #expect(titles == ["one"])
        #expect(try await api.get("a").caching(.onlyIfCached).send(as: Article.self).title == "one")
        await #expect(throws: Offline.self) { try await api.get("a").send(as: Article.self) }
    }

    @Test func pollsAskTheServerInEachRound() async throws {
        let sender = Self.server(["Cache-Control": "max-age=600"])
        let clock = TestClock()
        let api = Self.client(sender) { $0.clock = clock }
        let rounds = Gathered<Int>()
        let task = Task {
            try await api.get("a").poll(as: Article.self, every: .seconds(1)) { _ in
                rounds.append(1)
                return rounds.all.count == 2
            }
        }
        await eventually("it waits") { !clock.delays.isEmpty }
        clock.advance(by: .seconds(1))
        _ = try await task.value
        #expect(sender.requests.count == 2)
    }
}
