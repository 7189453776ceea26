import HttpMessages
import Logging
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What of secrets is stored, sessions, redirects, and the log.
@Suite struct PrivacyTests {
    private static let secret = "s3cr3t-value"

    @Test func noSecretOfARequestIsInTheStore() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let lab = CacheLab(store: store)
        lab.answers(200, [("Cache-Control", "max-age=60"), ("Vary", "Authorization, X-Api-Key, Accept")])
        let headers = [
            ("Authorization", "Bearer \(Self.secret)"), ("X-Api-Key", Self.secret), ("Cookie", "a=\(Self.secret)"),
            ("Accept", "text/plain"),
        ]
        let path = "/a?api_key=\(Self.secret)&page=1"
        try await lab.get(path, headers)
        #expect(try await lab.get(path, headers).cache?.isStored == true)
        let entries = Mutex<[HttpCacheEntry]>([])
        store.remove { entry in
            entries.withLock { $0.append(entry) }
            return false
        }
        let entry = try #require(entries.withLock { $0.first })
        var text = ""
        dump(entry, to: &text)
        text += entry.headers.fields.map { $0.value }.joined()
        #expect(!text.contains(Self.secret))
        #expect(entry.key.url.hasPrefix("https://example.com/a?api_key=***&page=1#"))
        #expect(entry.key.session.hasCredentials)
        #expect(entry.nominated.first { $0.name == "accept" }?.value == "text/plain")
    }

    @Test func noCookieOrSecretOfAResponseIsInAStoreOfYourOwn() async throws {
        let lab = CacheLab(store: FlakyStore())
        let secrets = [("Set-Cookie", Self.secret), ("X-Auth-Token", Self.secret)]
        lab.answers(200, [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")] + secrets)
        #expect(try await lab.get("/a").headers["Set-Cookie"] == Self.secret)
        try await expectNoSecret()
        // Nor after an update.
        lab.answers(304, [("Cache-Control", "max-age=60"), ("ETag", "\"1\"")] + secrets)
        #expect(try await lab.get("/a", [], .revalidate).headers["Set-Cookie"] == Self.secret)
        try await expectNoSecret()

        func expectNoSecret() async throws {
            let hit = try await lab.get("/a")
            #expect(hit.cache?.isStored == true && hit.headers["ETag"] == "\"1\"")
            #expect(hit.headers["Set-Cookie"] == nil && hit.headers["X-Auth-Token"] == nil)
        }
    }

    @Test func theHashIsAnotherOneInEachStore() throws {
        let request = try CacheLab().request(.get, "/a", [("Authorization", "a")])
        let first = CacheNames(key: HttpCacheMemoryStore(limit: 1).secret()).session(of: request, SenderTraits())
        let second = CacheNames(key: HttpCacheMemoryStore(limit: 1).secret()).session(of: request, SenderTraits())
        #expect(first != second && first.rawValue.count == 32)
    }

    @Test func otherSecretsInTheUrlAreOtherKeys() async throws {
        let lab = CacheLab()
        lab.answers(200, [("Cache-Control", "max-age=60")])
        try await lab.get("/a?token=1")
        #expect(try await lab.get("/a?token=2").cache == .miss)
        #expect(try await lab.get("/a?token=1").cache?.isStored == true)
        try await lab.cache.remove(for: #require(URL(string: "https://example.com/a?token=1")))
        #expect(await lab.cache.statistics.entries == 1)
    }

    @Test func aDeclaredHeaderIsACredential() async throws {
        let lab = CacheLab()
        lab.answers(200, [("Cache-Control", "max-age=60")])
        var request = try lab.request(.get, "/a", [("X-User", "1")])
        request.options.secretHeaders = ["x-user"]
        _ = try await lab.sender.send(request)
        request.headers["X-User"] = "2"
        #expect(try await lab.sender.send(request).cache == .miss)
    }

    @Test func aRedirectedResponseIsStoredForItsOwnUrlOnly() async throws {
        let lab = CacheLab()
        let network = RedirectingServer()
        let sender = CachingSender(next: network, cache: lab.cache)
        let headers = [("Authorization", "a")]
        _ = try await sender.send(try lab.request(.get, "/old", headers))
        #expect(try await sender.send(try lab.request(.get, "/old", headers)).cache == .miss)
        #expect(try await sender.send(try lab.request(.get, "/new", headers)).cache?.isStored == true)
        #expect(try await sender.send(try lab.request(.get, "/new", [])).cache == .miss)
    }

    /// The URL of the other origin may be for one user. Without credentials no session would own its response.
    @Test(arguments: [("max-age=60", "a", false), ("public, max-age=60", "a", true), ("max-age=60", nil, true)])
    func aResponseOfAnotherOriginIsNotStoredAfterCredentials(
        _ control: String, _ user: String?, _ isStored: Bool
    ) async throws {
        let lab = CacheLab()
        let sender = CachingSender(next: RedirectingServer(control: control, leaves: true), cache: lab.cache)
        _ = try await sender.send(try lab.request(.get, "/old", user.map { [("Authorization", $0)] } ?? []))
        #expect(await lab.cache.statistics.entries == (isStored ? 1 : 0))
        #expect(try await sender.send(try lab.request(.get, "/new")).cache?.isStored == isStored)
    }

    @Test func responsesOfAnEndedSessionAreRemovedAndNotStored() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let lab = CacheLab(store: store)
        lab.answers(200, [("Cache-Control", "max-age=60")])
        let admission = FakeAdmission()
        var request = try lab.request(.get, "/a", [("Authorization", "a")])
        request.admissions = [admission]
        _ = try await lab.sender.send(request)
        try await lab.get("/a", [("Authorization", "b")])
        try await lab.get()
        #expect(await lab.cache.statistics.entries == 3)
        admission.end()
        await eventually("the response is removed") { store.usage().entries == 2 }
        #expect(try await lab.get("/a", [("Authorization", "b")]).cache?.isStored == true)
    }

    @Test func thereIsOneEventInTheLog() async throws {
        let lab = CacheLab()
        lab.answers(200, [("Cache-Control", "max-age=60")])
        let journal = Journal()
        try await journal.record {
            try await lab.get()
            lab.wait(5)
            try await lab.get()
        }
        let events = journal.records.compactMap { $0.entry as? Log }.filter { $0.kind == .cache }
        #expect(events.map(\.message) == ["miss", "hit, 5 s old"])
        #expect(events.map(\.level) == [.debug, .info])
        #expect(events.last?.details.value as? CacheOutcome == .hit(age: .seconds(5)))
    }
}

/// Redirects `/old` to `/new`.
private struct RedirectingServer: RequestSender, TraitDeclaring {
    var control = "max-age=60"
    var leaves = false
    let traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = HttpResponse(request: request, status: 200, headers: ["Cache-Control": control])
        guard request.url.path == "/old" else { return response }
        response.url = try #require(URL(string: "https://example.com/new"))
        response.hasLeftOrigin = leaves
        return response
    }
}

final class FakeAdmission: Admission {
    let gate = -1
    private let listeners = Gathered<WeakSessionEndListener>()
    private let hasEnded = Mutex(false)

    var refusal: (any Error)? { hasEnded.withLock { $0 } ? CancellationError() : nil }

    func notifyAtSessionEnd(_ listener: any SessionEndListener) {
        listeners.append(WeakSessionEndListener(listener))
    }

    func end() {
        hasEnded.withLock { $0 = true }
        for listener in listeners.takeAll() { listener.listener?.sessionEnded(gate: gate) }
    }
}
