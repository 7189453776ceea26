import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct MemoryStoreTests {
    private func entry(_ url: String, length: Int64? = nil) -> HttpCacheEntry {
        HttpCacheEntry(
            key: HttpCacheKey(url: url), status: 200, headers: [:], requestTime: Date(), responseTime: Date(),
            bodyLength: length)
    }

    private func add(_ store: HttpCacheMemoryStore, _ entry: HttpCacheEntry, _ count: Int) async throws {
        let writer = try #require(store.write(entry))
        try await writer.append(Data(count: count))
        try await writer.commit(replacing: [])
    }

    @Test func theLeastRecentlyUsedIsEvicted() async throws {
        let store = HttpCacheMemoryStore(limit: 16_000)
        let entries = (0..<10).map { entry("\($0)") }
        for entry in entries.prefix(8) { try await add(store, entry, 1400) }
        #expect(store.usage().entries == 8)
        #expect(store.body(of: entries[0]) != nil)
        for entry in entries.suffix(2) { try await add(store, entry, 1400) }
        let left = entries.indices.filter { !store.entries(for: entries[$0].key).isEmpty }
        #expect(left == [0, 3, 4, 5, 6, 7, 8, 9])
        #expect(store.usage().evictions == 2 && store.usage().bytes <= 16_000)
    }

    @Test func aLargeBodyIsNotTaken() async throws {
        let store = HttpCacheMemoryStore(limit: 12_008)
        #expect(store.write(entry("a", length: 1001)) == nil)
        let writer = try #require(store.write(entry("a")))
        try await writer.append(Data(count: 900))
        await #expect(throws: (any Error).self) { try await writer.append(Data(count: 101)) }
    }

    /// A copy of the body for each piece took 12 s.
    @Test func appendingTakesConstantTime() async throws {
        let store = HttpCacheMemoryStore(limit: 512 << 20)
        let writer = try #require(store.write(entry("a")))
        let piece = Data(count: 16 << 10)
        let start = ContinuousClock.now
        for _ in 0..<2000 { try await writer.append(piece) }
        #expect(ContinuousClock.now - start < .seconds(3))
        try await writer.commit(replacing: [])
        #expect(store.entries(for: HttpCacheKey(url: "a")).first?.bodyLength == 2000 << 14)
    }

    @Test func bodiesThatAreWrittenAreLimitedTogether() async throws {
        let store = HttpCacheMemoryStore(limit: 12_008)
        var writers: [any HttpCacheWriter] = []
        for _ in 0..<6 {
            let writer = try #require(store.write(entry("a")))
            try await writer.append(Data(count: 1000))
            writers.append(writer)
        }
        let more = try #require(store.write(entry("a")))
        await #expect(throws: (any Error).self) { try await more.append(Data(count: 5)) }
        writers = []
        let other = try #require(store.write(entry("a")))
        try await other.append(Data(count: 1000))
    }

    @Test func theNamesThatVaryNominatesCount() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        var entry = entry("a")
        entry.nominated = (0..<50).map { .init(name: "\($0)", value: String(repeating: "a", count: 1000)) }
        try await add(store, entry, 1)
        #expect(store.usage().bytes > 50_000)
    }

    @Test func aLargeHeadIsNotTaken() async throws {
        let store = HttpCacheMemoryStore(limit: 80_000)
        var (small, large) = (entry("a"), entry("b"))
        large.headers = ["A": String(repeating: "a", count: 10_000)]
        #expect(store.write(large) == nil)
        try await store.store(large, Data(), replacing: [])
        try await add(store, small, 1)
        small.headers = large.headers
        store.update(small)
        #expect(store.usage() == HttpCacheUsage(entries: 0, bytes: 0))
    }

    @Test func aWriterThatIsReleasedStoresNothing() async throws {
        let store = HttpCacheMemoryStore(limit: 8000)
        try await store.write(entry("a"))?.append(Data(count: 10))
        #expect(store.usage() == HttpCacheUsage(entries: 0, bytes: 0))
    }

    @Test func aCommitReplacesAndRemovingAllEndsWriters() async throws {
        let store = HttpCacheMemoryStore(limit: 8000)
        let (first, second, third) = (entry("a"), entry("a"), entry("b"))
        try await add(store, first, 10)
        try await store.write(second)?.commit(replacing: [first])
        #expect(store.entries(for: first.key).map(\.id) == [second.id])
        let writer = try #require(store.write(third))
        store.removeAll()
        try await writer.commit(replacing: [])
        #expect(store.usage().entries == 0)
    }

    @Test func aKeyHasAtMost32Variants() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        for _ in 0..<40 { try await add(store, entry("a"), 1) }
        #expect(store.usage().entries == 32)
    }

    @Test func anUpdateChangesTheHeaders() async throws {
        let store = HttpCacheMemoryStore(limit: 8000)
        var entry = entry("a")
        try await add(store, entry, 10)
        entry.headers = ["A": "1"]
        store.update(entry)
        #expect(store.entries(for: entry.key).first?.headers["A"] == "1")
        #expect(store.entries(for: entry.key).first?.bodyLength == 10)
        #expect(store.body(of: entry)?.length == 10)
    }

    @Test func theListIsLikeASimpleOne() {
        var random = SeededRandom(seed: 7)
        var list = LruList<Int, Int>()
        var model: [(Int, Int)] = []
        for step in 0..<5000 {
            let key = Int.random(in: 0..<20, using: &random)
            let place = model.firstIndex { $0.0 == key }
            switch (Int.random(in: 0..<3, using: &random), place) {
            case (0, nil):
                list.insert(step, for: key)
                model.append((key, step))
            case (1, let place?):
                #expect(list.remove(key) == model.remove(at: place).1)
            case (2, let place?):
                let used = model.remove(at: place)
                model.append(used)
                #expect(list.use(key) == used.1)
            default: #expect((list.value(key) == nil) == (place == nil))
            }
            #expect(list.oldest == model.first?.0 && list.count == model.count)
        }
    }
}
