import HttpMessages
import Logging
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

/// What the log says, and what counts as a failure of the store.
@Suite struct CacheEventTests {
    private static let stored = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]
    private let store = FlakyStore()
    private let lab: CacheLab

    init() {
        lab = CacheLab(store: store)
    }

    private func events(_ body: () async throws -> Void) async throws -> [Log] {
        let journal = Journal()
        try await journal.record { try await body() }
        return journal.records.compactMap { $0.entry as? Log }.filter { $0.kind == .cache }
    }

    @Test func aFailedUpdateSaysSo() async throws {
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        lab.wait(100)
        lab.answers(304, Self.stored)
        store.fail(.update)
        #expect(try await lab.get().text == "text")
        await lab.cache.waitForWrites()
        store.fail()
        #expect(await lab.cache.statistics.storeFailures == 1)
        // The update was in the background, and the next request reports it.
        let events = try await events { try await lab.get() }
        #expect(events.first?.message.hasPrefix("the store failed to update the headers: ") == true)
        #expect(events.first?.level == .warning && events.first?.details.error is FlakyStore.Failure)
    }

    @Test func aFailedRemovalSaysSo() async throws {
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        lab.answers(200, [("Cache-Control", "no-store")], body: "new")
        store.fail(.remove)
        let events = try await events { try await lab.get("/a", [], .reload) }
        #expect(events.first?.message.hasPrefix("the store failed to remove responses: ") == true)
        #expect(events.map(\.message).last == "miss")
        #expect(await lab.cache.statistics.storeFailures == 1)
    }

    @Test func aBodyThatIsTooLargeIsNoFailure() async throws {
        let cache = HttpCache(memory: 8000)
        let network = ScriptedRequestSender {
            // Its length isn't known before.
            $0.respond(headers: ["Cache-Control": "max-age=60", "Content-Encoding": "x"], body: Data(count: 2000))
        }
        let sender = CachingSender(next: network, cache: cache)
        var request = try lab.request()
        request.options.destination = .stream
        let events = try await events {
            for try await _ in try #require(await sender.send(request).bytes) {}
        }
        #expect(events.map(\.level).allSatisfy { $0 == .debug })
        #expect(await cache.statistics.storeFailures == 0)
        #expect(await cache.statistics.entries == 0)
    }

    @Test func aCanceledRequestIsNoFailure() async throws {
        lab.answers(200, Self.stored, body: "text")
        try await lab.get()
        store.onPiece { withUnsafeCurrentTask { $0?.cancel() } }
        store.fail(.piece)
        let task = Task { try await lab.get() }
        await #expect(throws: CancellationError.self) { try await task.value }
        store.fail()
        store.onPiece {}
        #expect(await lab.cache.statistics.storeFailures == 0)
        #expect(try await lab.get().text == "text")
    }

    @Test func aStaleResponseSaysInsteadOfWhat() async throws {
        lab.answers(200, [("Cache-Control", "max-age=1, stale-if-error=600")], body: "text")
        try await lab.get()
        lab.wait(10)
        lab.answers(503)
        let failed = try await events { try await lab.get() }
        #expect(failed.map(\.message) == ["stale, 10 s old: the request failed, instead of status 503"])
        lab.fails(.noNetwork)
        let offline = try await events { try await lab.get() }
        #expect(offline.first?.message.hasPrefix("stale, 10 s old: offline, instead of the error: ") == true)
        #expect((offline.first?.details.error as? TransportError)?.code == .noNetwork)
    }

    @Test func aRequestThatOnlyTheCacheMayAnswerSaysSo() async throws {
        let range = try await events {
            let response = try await lab.get("/a", [("Range", "bytes=0-1")], .onlyIfCached)
            #expect(response.status == 504 && response.cache == .miss)
        }
        #expect(range.map(\.details.status) == [504])
        store.fail(.secret)
        let other = CachingSender(next: lab.network, cache: HttpCache(store: store))
        for headers in [[], [("Cache-Control", "only-if-cached")]] {
            let request = try lab.request(.get, "/a", headers, headers.isEmpty ? .onlyIfCached : .standard)
            #expect(try await other.send(request).status == 504)
        }
        #expect(lab.sent.isEmpty)
        #expect(try await other.send(lab.request()).status == 200)
    }
}
