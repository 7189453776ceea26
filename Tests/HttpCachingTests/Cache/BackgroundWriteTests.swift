import HttpMessages
import Logging
import NetChainTestKit
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

/// A store that isn't in memory is written after the response was returned.
@Suite struct BackgroundWriteTests {
    private let store = SlowStore()
    private let lab: CacheLab
    private let stored = [("Cache-Control", "max-age=60")]

    init() {
        lab = CacheLab(store: store)
    }

    @Test func theResponseDoesNotWaitForTheStore() async throws {
        lab.answers(200, stored, body: "text")
        #expect(try await lab.get().text == "text")
        // The next request begins the write, and waits for the entry.
        let second = Task { try await lab.get() }
        await eventually("the store is asked to write") { store.isWaiting }
        store.open()
        #expect(try await second.value.cache?.isStored == true)
        #expect(lab.sent.count == 1)
    }

    @Test func whatWasReturnedInABurstIsWrittenAfterIt() async throws {
        lab.answers(200, stored, body: "text")
        for path in ["/1", "/2", "/3"] { try await lab.get(path) }
        #expect(!store.isWaiting)
        lab.clock.advance(by: BackgroundWrites.delay)
        await eventually("one is being written") { store.waiting == 1 }
        try await lab.get("/4")
        #expect(store.waiting == 1)
        store.open()
        await eventually("those of the burst are written") { store.memory.usage().entries == 3 }
        // The later one begins after a delay of its own.
        await eventually("the later one is written") {
            lab.clock.advance(by: BackgroundWrites.delay)
            return store.memory.usage().entries == 4
        }
    }

    @Test func followersGetWhatIsBeingStored() async throws {
        let network = ScriptedRequestSender()
        let sender = CachingSender(next: network, cache: lab.cache)
        let request = try lab.request()
        let tasks = (0..<5).map { _ in Task { try await sender.send(request) } }
        try await network.nextRequest().respond(headers: ["Cache-Control": "max-age=60"], body: Data("text".utf8))
        await eventually("the store is asked to write") { store.isWaiting }
        store.open()
        for task in tasks { #expect(try await task.value.text == "text") }
        #expect(network.requests.count == 1)
    }

    @Test func nothingOfARemovalInBetweenIsStored() async throws {
        lab.answers(200, stored, body: "text")
        try await lab.get()
        lab.clock.advance(by: BackgroundWrites.delay)
        await eventually("the store is asked to write") { store.isWaiting }
        let removal = Task { try await lab.cache.removeAll() }
        store.open()
        try await removal.value
        #expect(store.memory.usage().entries == 0)
        #expect(try await lab.get().cache == .miss)
    }

    @Test func anEndedSessionLeavesNothing() async throws {
        lab.answers(200, stored, body: "text")
        var request = try lab.request(.get, "/a", [("Authorization", "Bearer a")])
        let admission = FakeAdmission()
        request.admissions = [admission]
        _ = try await lab.sender.send(request)
        lab.clock.advance(by: BackgroundWrites.delay)
        await eventually("the store is asked to write") { store.isWaiting }
        admission.end()
        store.open()
        await eventually("it is removed") { store.hasRemovedSessions && store.memory.usage().entries == 0 }
    }

    @Test func anErrorIsReportedWithTheNextRequest() async throws {
        let flaky = FlakyStore()
        let lab = CacheLab(store: flaky)
        lab.answers(200, stored, body: "text")
        flaky.fail(.commit)
        let (first, second) = (Journal(), Journal())
        try await Run.$current.withValue(Run.with(journal: first)) { _ = try await lab.get() }
        await lab.cache.waitForWrites()
        flaky.fail()
        try await Run.$current.withValue(Run.with(journal: second)) { _ = try await lab.get() }
        #expect(first.records.count == 1)
        #expect(second.records.contains { ($0.entry as? Log)?.details.error is FlakyStore.Failure })
        #expect(await lab.cache.statistics.storeFailures == 1)
    }

    @Test func aSlowStoreFillsNoMemory() async throws {
        let body = String(repeating: "x", count: 6 << 20)
        lab.answers(200, stored, body: body)
        for path in ["/1", "/2"] { try await lab.get(path) }
        // 18 MiB would wait for the store.
        let third = Task { try await lab.get("/3") }
        await eventually("three are being written") { store.waiting == 3 }
        let hasReturned = Mutex(false)
        Task {
            _ = try? await third.value
            hasReturned.withLock { $0 = true }
        }
        #expect(!hasReturned.withLock { $0 })
        store.open()
        #expect(try await third.value.status == 200)
    }

    @Test func shuttingDownWaitsForWhatIsStored() async throws {
        lab.answers(200, stored, body: "text")
        try await lab.get()
        lab.clock.advance(by: BackgroundWrites.delay)
        await eventually("the store is asked to write") { store.isWaiting }
        let end = Task { await lab.sender.shutdown(drain: .zero) }
        store.open()
        await end.value
        #expect(store.memory.usage().entries == 1)
    }
}

/// A store in memory, which is written when a test says so.
private final class SlowStore: HttpCacheStore {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var hasRemovedSessions = false
    }

    let memory = HttpCacheMemoryStore(limit: 100_000_000)
    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.waiting.count } }
    var isWaiting: Bool { waiting > 0 }
    var hasRemovedSessions: Bool { state.withLock { $0.hasRemovedSessions } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    func secret() async throws -> [UInt8] { memory.secret() }
    func entries(for key: HttpCacheKey) async throws -> [HttpCacheEntry] { memory.entries(for: key) }
    func body(of entry: HttpCacheEntry) async throws -> HttpCacheBody? { memory.body(of: entry) }

    func write(_ entry: HttpCacheEntry) async throws -> (any HttpCacheWriter)? {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return memory.write(entry)
    }

    func update(_ entry: HttpCacheEntry) async throws { memory.update(entry) }
    func remove(_ entries: [HttpCacheEntry]) async throws { memory.remove(entries) }
    func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws {
        memory.remove(where: isSelected)
    }
    func removeSessions(where isSelected: @escaping @Sendable (HttpCacheSession) -> Bool) async throws {
        memory.remove { isSelected($0.key.session) }
        state.withLock { $0.hasRemovedSessions = true }
    }
    func removeAll() async throws { memory.removeAll() }
    func usage() async throws -> HttpCacheUsage { memory.usage() }
}
