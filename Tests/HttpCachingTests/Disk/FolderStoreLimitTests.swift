import HttpMessages
import Synchronization
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a folder keeps at its limits.
struct FolderStoreLimitTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func url(_ number: Int) -> String { "http://a/\(number)" }

    private func isStored(_ number: Int, in store: HttpCacheFolderStore) async throws -> Bool {
        try await !store.entries(for: HttpCacheKey(url: url(number))).isEmpty
    }

    @Test func theLeastRecentlyUsedEntriesAreEvicted() async throws {
        // The files take 12 KiB each.
        let store = try HttpCacheFolderStore.make(folder, bytes: 120 << 10)
        for number in 0..<10 {
            try await store.put(.make(url(number)), body(10_000))
            try await waitForTheNextTime()
        }
        #expect(try await store.usage() == HttpCacheUsage(entries: 10, bytes: 120 << 10))
        // Uses, of which one is an update.
        let used = try await store.entries(for: HttpCacheKey(url: url(0)))
        _ = try await store.body(of: #require(used.first))
        let updated = try await store.entries(for: HttpCacheKey(url: url(1)))
        try await store.update(#require(updated.first))
        try await store.put(.make(url(10)), body(10_000))
        #expect(try await store.usage() == HttpCacheUsage(entries: 9, bytes: 108 << 10, evictions: 2))
        for number in 0...10 {
            #expect(try await isStored(number, in: store) == (number != 2 && number != 3), "\(number)")
        }
    }

    /// The clock of the device was ahead when they were stored.
    @Test func entriesOfTheFutureAreEvictedFirst() async throws {
        let store = try HttpCacheFolderStore.make(folder, bytes: 120 << 10)
        for number in 0..<9 { try await store.put(.make(url(number)), body(10_000)) }
        try makeFuture()
        for number in 9..<11 { try await store.put(.make(url(number)), body(10_000)) }
        #expect(try await store.usage().entries == 9)
        for number in 9..<11 { #expect(try await isStored(number, in: store), "\(number)") }
    }

    @Test func aVariantOfTheFutureIsReplacedFirst() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        let entries = (0..<EntryName.variants + 2).map { _ in HttpCacheEntry.make() }
        for entry in entries.prefix(EntryName.variants) { try await store.put(entry, body(1)) }
        try makeFuture()
        for entry in entries.suffix(2) { try await store.put(entry, body(1)) }
        let found = Set(try await store.entries(for: entries[0].key).map(\.id))
        #expect(found.isSuperset(of: entries.suffix(2).map(\.id)))
    }

    /// Sets the times of all entries to an hour from now.
    private func makeFuture() throws {
        for name in folder.cacheNames {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: "\(folder.cachePath)/\(name)")
        }
    }

    @Test func theNumberOfEntriesIsLimited() async throws {
        let store = try HttpCacheFolderStore.make(folder, entries: 20)
        var stored: [Int] = []
        for number in 0..<50 where try await store.put(.make(url(number)), body(1)) { stored.append(number) }
        // Some aren't stored where evictions lag behind.
        #expect(stored.count >= 20)
        let usage = try await store.usage()
        #expect(usage.entries <= 20)
        #expect(usage.evictions == stored.count - usage.entries)
        #expect(try await isStored(#require(stored.last), in: store))
    }

    /// The public initializers take any number.
    @Test(arguments: [Int.max, .max - 1, 1, 0, -1, .min]) func anyLimitIsALimit(limit: Int) async throws {
        let stores: [any HttpCacheStore] = [
            try HttpCacheFolderStore(folder: folder.place("cache"), limit: limit), HttpCacheMemoryStore(limit: limit),
        ]
        for store in stores {
            let entries = [HttpCacheEntry.make(url(1)), .make(url(2))]
            try await store.store(entries[0], body(10), replacing: [])
            // A small limit is an error of the writer.
            if let writer = try await store.write(entries[1]), (try? await writer.append(body(10))) != nil {
                try await writer.commit(replacing: [])
            }
            #expect(try await store.entries(for: entries[0].key).count == (limit > 1 ? 1 : 0))
            _ = try await store.usage()
            try await store.removeAll()
        }
    }

    @Test func aFolderIsEvictedWhenItIsOpenedWithALowerLimit() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        for number in 0..<20 { try await store.put(.make(url(number)), body(10_000)) }
        let smaller = try HttpCacheFolderStore.make(folder, bytes: 100_000)
        await eventually("entries are evicted in the background") { folder.cacheNames.count <= 8 }
        #expect(try await smaller.usage().bytes <= 100_000)
    }

    @Test func theEntriesOfOtherProcessesCount() async throws {
        let stores = try (0..<3).map { _ in try HttpCacheFolderStore.make(folder, bytes: 400_000) }
        for number in 0..<120 { try await stores[number % 3].put(.make(url(number)), body(10_000)) }
        // Without counting what others have stored, each store would keep 400,000.
        await eventually("the stores evict") { folder.cacheNames.count * 12_288 <= 400_000 + 3 * 50_000 }
        for store in stores { #expect(try await store.usage().bytes <= 400_000) }
    }

    @Test func whatOtherProcessesEvictIsNotCounted() async throws {
        let filled = try HttpCacheFolderStore.make(folder)
        for number in 0..<400 { try await filled.put(.make(url(number)), body(10_000)) }
        let stores = try (0..<3).map { _ in try HttpCacheFolderStore.make(folder, bytes: 400_000) }
        for store in stores {
            // The scan of its opening.
            try await store.scanQueue.result {}
            #expect(store.usageState.withLock { $0.bytes } <= 400_000)
            #expect(try await store.put(.make(), body(10)))
        }
    }

    /// Sums that are too high would otherwise stay: only what is stored requested a scan.
    @Test func aFolderThatSeemsFullIsScanned() async throws {
        let store = try HttpCacheFolderStore.make(folder, bytes: 400_000)
        _ = try await store.usage()
        _ = store.usageState.withLock { $0.endScan(bytes: 4_000_000, entries: 400) }
        #expect(try await !store.put(.make(), body(10)))
        await eventually("the scan corrects the sums") { store.usageState.withLock { $0.bytes == 0 } }
        #expect(try await store.put(.make(), body(10)))
    }

    /// The index is the names, so opening reads none of them. The time of the processor, because others use it, too.
    @Test func openingAFolderWithManyEntriesTakesNoTime() async throws {
        // Its scan may be as late as the links.
        let first = try HttpCacheFolderStore.make(folder, entries: 100_000)
        let key = HttpCacheKey(url: url(0))
        try await first.put(.make(url(0)), body(10))
        let file = try folder.onlyFile()
        let count = 20_000
        try makeLinks(to: file, count - 1)
        let start = threadTime()
        let store = try HttpCacheFolderStore.make(folder, entries: 100_000)
        #expect(threadTime() - start < 0.05)
        // It serves while it scans.
        #expect(try await store.onlyBody(for: key) == body(10))
        #expect(try await store.usage().entries == count)
    }

    /// Gives a file the names of further entries.
    private func makeLinks(to file: String, _ count: Int) throws {
        for part in EntryName.parts {
            try FileManager.default.createDirectory(
                atPath: "\(folder.cachePath)/\(part)", withIntermediateDirectories: true)
        }
        for number in 1...count {
            let name = try #require(EntryName.first(of: HttpCacheKey(url: url(number)), .init(url(number))))
            try #require(link(file, "\(folder.cachePath)/\(name)") == 0)
        }
    }

    /// The processor time of this thread in seconds.
    private func threadTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: Large responses

    @Test func aLargeResponseIsNotTaken() async throws {
        let store = try HttpCacheFolderStore.make(folder, bytes: 800_000)
        #expect(try await store.write(.make(length: 100_000)) == nil)
        #expect(try await store.write(.make(length: 95_000)) != nil)
    }

    @Test func aLargeResponseOfUnknownLengthIsDiscarded() async throws {
        let store = try HttpCacheFolderStore.make(folder, bytes: 8_000_000)
        for number in 0..<10 { try await store.put(.make(url(number)), body(10_000)) }
        let writer = try #require(try await store.write(.make()))
        let error = await thrown(HttpCacheFolderError.self) {
            for _ in 0..<100 { try await writer.append(body(100_000)) }
        }
        #expect(error?.code == .tooLarge)
        try await writer.commit(replacing: [])
        await eventually("the file is removed") { folder.cacheNames.count == 10 }
        #expect(try await store.usage().entries == 10)
        #expect(try await store.usage().evictions == 0)
    }

    @Test func aHeadOfAMegabyteIsNotTaken() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        var entry = HttpCacheEntry.make(headers: ["X": String(repeating: "a", count: 1 << 20)])
        #expect(try await store.write(entry) == nil)
        // An update with such a head removes the entry.
        let headers = entry.headers
        entry.headers = [:]
        try await store.put(entry, body(1))
        entry.headers = headers
        try await store.update(entry)
        #expect(try await store.entries(for: entry.key).isEmpty)
    }

    // MARK: Other files

    @Test func whatACrashHasLeftIsRemoved() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        // After its own first scan.
        _ = try await store.usage()
        let key = HttpCacheKey(url: url(1))
        _ = try folder.makePlace(for: key)
        let left = "\(folder.cachePath)/\(EntryName.temporary(for: key))"
        try body(1000).write(to: URL(filePath: left))
        let anHourAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
        try FileManager.default.setAttributes(anHourAgo, ofItemAtPath: left)
        let writer = try #require(try await store.write(.make()))
        try await writer.append(body(1_000_000))
        for name in folder.cacheNames {
            try FileManager.default.setAttributes(anHourAgo, ofItemAtPath: "\(folder.cachePath)/\(name)")
        }
        #expect(folder.cacheNames.count == 2)
        let other = try HttpCacheFolderStore.make(folder)
        _ = try await other.usage()
        // The one that is being written stays.
        #expect(folder.cacheNames.count == 1)
        try await writer.commit(replacing: [])
        #expect(try await other.onlyBody(for: HttpCacheKey(url: "http://a/")) == body(1_000_000))
    }

    @Test func otherFilesStay() async throws {
        let store = try HttpCacheFolderStore.make(folder, entries: 5)
        let foreign = "\(folder.cachePath)/notes.txt"
        try body(1000).write(to: URL(filePath: foreign))
        for number in 0..<20 { try await store.put(.make(url(number)), body(1)) }
        try await store.remove { _ in true }
        try await store.removeAll()
        #expect(folder.cacheNames == ["notes.txt"])
        #expect(try await store.usage() == HttpCacheUsage(entries: 0, bytes: 0, evictions: store.usage().evictions))
    }
}
