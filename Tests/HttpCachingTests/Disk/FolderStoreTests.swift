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

/// What a folder stores and finds.
struct FolderStoreTests {
    private let folder: TestFolder
    private let store: HttpCacheFolderStore

    init() throws {
        folder = try TestFolder()
        store = try .make(folder)
    }

    @Test(arguments: [0, 1, 5000, 65_536, 65_537, 262_144, 1 << 20, (1 << 20) + 1, 3_000_000])
    func aResponseIsFoundAsItWasStored(size: Int) async throws {
        let entry = HttpCacheEntry.make()
        #expect(try await store.put(entry, body(size)))
        let found = try await store.entries(for: entry.key)
        #expect(found.count == 1)
        #expect(found.first?.isSame(as: entry) == true)
        #expect(found.first?.bodyLength == Int64(size))
        #expect(try await store.onlyBody(for: entry.key) == body(size))
        // And by the next process.
        #expect(try await HttpCacheFolderStore.make(folder).onlyBody(for: entry.key) == body(size))
        #expect(folder.cacheNames.count == 1)
    }

    @Test(arguments: [1, 1000, 65_536, 100_000, 700_000])
    func aBodyMayArriveInPiecesOfAnySize(size: Int) async throws {
        let entry = HttpCacheEntry.make()
        let whole = body(1_500_000)
        let writer = try #require(try await store.write(entry))
        let pieces = size == 1 ? whole.prefix(1000) : whole
        for start in stride(from: 0, to: pieces.count, by: size) {
            try await writer.append(pieces[start..<min(start + size, pieces.count)])
        }
        #expect(try await store.entries(for: entry.key).isEmpty)
        try await writer.commit(replacing: [])
        #expect(try await store.onlyBody(for: entry.key) == pieces)
    }

    /// Another process has removed the first name while the second one was stored.
    @Test func anEntryWithoutAFirstNameIsRemoved() async throws {
        let entries = [HttpCacheEntry.make(), .make()]
        for entry in entries { try await store.put(entry, body(1)) }
        let first = try #require(EntryName.first(of: entries[0].key, .init(entries[0].key.url)))
        try FileManager.default.removeItem(atPath: "\(folder.cachePath)/\(first)")
        try await store.remove([entries[1]])
        #expect(folder.cacheNames.isEmpty)
    }

    @Test func aVariantThatIsStoredDuringARemovalIsFound() async throws {
        let key = HttpCacheEntry.make().key
        for number in 0..<200 {
            try await store.put(.make(), body(1))
            async let stored: Void = {
                for _ in 0..<4 { try await store.store(.make(), body(1), replacing: []) }
            }()
            for _ in 0..<4 { try await store.remove(urls: [key.url]) }
            try await stored
            let names = folder.cacheNames
            try #require(names.isEmpty || names.contains(where: EntryName.isFirst), "\(number)")
            try await store.remove(urls: [key.url])
        }
    }

    @Test func anotherKeyFindsNothing() async throws {
        try await store.put(.make("http://a/"), body(3))
        #expect(try await store.entries(for: HttpCacheKey(url: "http://b/")).isEmpty)
        #expect(try await store.entries(for: HttpCacheKey(url: "http://a/", session: .everyone)).isEmpty)
        let other = HttpCacheEntry.make("http://a/")
        #expect(try await store.body(of: other) == nil)
    }

    @Test func aNewResponseReplacesTheFormerOne() async throws {
        let old = HttpCacheEntry.make()
        let new = HttpCacheEntry.make()
        try await store.put(old, body(10))
        try await store.put(new, body(20), replacing: [old])
        #expect(try await store.entries(for: old.key).map(\.id) == [new.id])
        #expect(try await store.body(of: old) == nil)
        #expect(try await store.onlyBody(for: new.key) == body(20))
        #expect(folder.cacheNames.count == 1)
    }

    @Test func aResponseReplacesThoseOfOtherSessionsToo() async throws {
        let old = [HttpCacheEntry.make(), .make(), .make(session: .everyone)]
        for entry in old { try await store.put(entry, body(10)) }
        let new = HttpCacheEntry.make()
        try await store.put(new, body(20), replacing: old + [.make()])
        #expect(try await store.entries(for: new.key).map(\.id) == [new.id])
        #expect(try await store.entries(for: old[2].key).isEmpty)
    }

    @Test func severalVariantsAreKept() async throws {
        let entries = ["de", "en", "fr"].map {
            HttpCacheEntry.make(nominated: [.init(name: "accept-language", value: $0)])
        }
        for entry in entries { try await store.put(entry, Data("\(entry.id)".utf8)) }
        #expect(Set(try await store.entries(for: entries[0].key).map(\.id)) == Set(entries.map(\.id)))
        for entry in entries { #expect(try await store.body(of: entry)?.bytes() == Data("\(entry.id)".utf8)) }
        try await store.remove([entries[1]])
        #expect(try await store.entries(for: entries[0].key).count == 2)
        #expect(try await store.body(of: entries[2]) != nil)
    }

    @Test func oneVariantMoreReplacesTheLeastRecentlyUsedOne() async throws {
        let entries = (0...EntryName.variants).map { _ in HttpCacheEntry.make() }
        for entry in entries.dropLast() {
            try await store.put(entry, body(1))
            try await waitForTheNextTime()
        }
        _ = try await store.body(of: entries[0])
        try await store.put(entries[EntryName.variants], body(1))
        let found = Set(try await store.entries(for: entries[0].key).map(\.id))
        #expect(found == Set(entries.map(\.id)).subtracting([entries[1].id]))
    }

    // MARK: Updates

    @Test func anUpdateReplacesTheHeadersAndTheTimes() async throws {
        var entry = HttpCacheEntry.make()
        try await store.put(entry, body(100_000))
        for number in 0..<5 {
            entry.headers["ETag"] = "\"\(number)\""
            entry.responseTime += 10
            try await store.update(entry)
            #expect(try await store.entries(for: entry.key).first?.isSame(as: entry) == true)
        }
        #expect(try await store.onlyBody(for: entry.key) == body(100_000))
    }

    @Test(arguments: [0, 10, 2_000_000])
    func anUpdateMayAddHeaders(size: Int) async throws {
        var entry = HttpCacheEntry.make()
        try await store.put(entry, body(size))
        entry.headers["X-Long"] = String(repeating: "a", count: 5000)
        try await store.update(entry)
        #expect(try await store.entries(for: entry.key).first?.isSame(as: entry) == true)
        #expect(try await store.onlyBody(for: entry.key) == body(size))
        #expect(folder.cacheNames.count == 1)
    }

    /// The update copies the body, because the header doesn't fit.
    @Test func anEntryThatIsRemovedDuringItsUpdateStaysRemoved() async throws {
        let entry = HttpCacheEntry.make(headers: [:])
        let longer = {
            var longer = entry
            longer.headers["X-Long"] = String(repeating: "a", count: 5000)
            return longer
        }()
        let store = try HttpCacheFolderStore.make(folder, bytes: 200_000_000, fsync: .always)
        // The update may be faster than this task.
        for _ in 1...100 {
            try await store.put(entry, body(20_000_000))
            let isUpdated = Atomic(false)
            async let update: Void = {
                defer { isUpdated.store(true, ordering: .relaxed) }
                try await store.update(longer)
            }()
            var isCopied: Bool { folder.cacheNames.count == 2 }
            await eventually("the copy is written") { isCopied || isUpdated.load(ordering: .relaxed) }
            let wasCopied = isCopied
            try await store.remove { _ in true }
            try await update
            #expect(try await store.entries(for: entry.key).isEmpty)
            await eventually("the copy is removed") { folder.cacheNames.isEmpty }
            if wasCopied { return }
        }
        Issue.record("the copy was never seen")
    }

    @Test func anUpdateOfARemovedEntryDoesNothing() async throws {
        let entry = HttpCacheEntry.make()
        try await store.update(entry)
        #expect(try await store.entries(for: entry.key).isEmpty)
    }

    // MARK: Removals

    @Test func entriesAreRemovedByAClosure() async throws {
        for number in 0..<4 { try await store.put(.make("http://a/\(number)"), body(1)) }
        try await store.remove { $0.key.url > "http://a/1" }
        #expect(try await store.usage().entries == 2)
        #expect(try await store.onlyBody(for: HttpCacheKey(url: "http://a/1")) == body(1))
    }

    @Test func theEntriesOfASessionAreRemovedByTheirNames() async throws {
        let session = HttpCacheSession(rawValue: "ab12")
        for url in ["http://a/", "http://b/"] {
            try await store.put(.make(url), body(1))
            try await store.put(.make(url, session: .everyone), body(1))
            try await store.put(.make(url, session: session), body(1))
        }
        // Its content isn't read.
        let path = try folder.makePlace(for: HttpCacheKey(url: "http://c/", session: session))
        try Data("garbage".utf8).write(to: URL(filePath: path))
        let writer = try #require(try await HttpCacheFolderStore.make(folder).write(.make(session: session)))
        try await writer.append(body(1_000_000))
        try await store.removeSessions(where: { $0.hasCredentials })
        await #expect(throws: HttpCacheFolderError.self) { try await writer.commit(replacing: []) }
        #expect(folder.cacheNames.count == 4)
        #expect(folder.cacheNames.allSatisfy { !$0.contains("ab12-") })
        #expect(try await store.onlyBody(for: HttpCacheKey(url: "http://b/", session: .everyone)) == body(1))
    }

    @Test(arguments: ["../x", "a/b", String(repeating: "a", count: 101), "a-b", "ü"])
    func aSessionWhoseNameIsNoPartOfAFileNameIsNotStored(name: String) async throws {
        let entry = HttpCacheEntry.make(session: HttpCacheSession(rawValue: name))
        #expect(try await store.write(entry) == nil)
        #expect(try await store.entries(for: entry.key).isEmpty)
        try await store.update(entry)
        try await store.remove([entry])
    }

    @Test(arguments: [10, 1_000_000])
    func whatIsWrittenDuringARemovalOfAllIsNotStored(size: Int) async throws {
        let others = try HttpCacheFolderStore.make(folder)
        let entry = HttpCacheEntry.make()
        try await store.put(.make("http://b/"), body(1))
        let writer = try #require(try await store.write(entry))
        let other = try #require(try await others.write(.make("http://c/")))
        try await writer.append(body(size))
        try await other.append(body(size))
        try await store.removeAll()
        try await writer.commit(replacing: [])
        #expect(try await store.usage() == HttpCacheUsage(entries: 0, bytes: 0))
        // The other process has a file only for a body that doesn't fit its buffer.
        if size > 262_144 {
            await #expect(throws: HttpCacheFolderError.self) { try await other.commit(replacing: []) }
            #expect(folder.cacheNames.isEmpty)
        }
        #expect(try await store.put(entry, body(2)))
    }

    @Test func aReleasedWriterLeavesNothing() async throws {
        do {
            let writer = try #require(try await store.write(.make()))
            try await writer.append(body(1_000_000))
            #expect(folder.cacheNames.count == 1)
        }
        await eventually("the file is removed") { folder.cacheNames.isEmpty }
    }

    @Test(arguments: [10, 5_000_000])
    func aBodyCanBeReadAfterItsRemoval(size: Int) async throws {
        let entry = HttpCacheEntry.make()
        try await store.put(entry, body(size))
        let opened = try #require(try await store.body(of: entry))
        try await store.removeAll()
        #expect(try await opened.bytes() == body(size))
    }

    /// A file system has what was set, however far away.
    @Test(arguments: [-20_000_000_000, -1, 9_300_000_000, 15_000_000_000])
    func aFileMayHaveAnyTime(seconds: Int) async throws {
        let entry = HttpCacheEntry.make()
        try await store.put(entry, body(20_000))
        let file = try folder.onlyFile()
        let left = "\(folder.cachePath)/\(EntryName.temporary(for: entry.key))"
        try body(10).write(to: URL(filePath: left))
        for path in [file, left] {
            let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
            try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        }
        let limit = FolderUsage.Limit(bytes: 100_000_000, entries: 1000)
        let other = try HttpCacheFolderStore(folder.cachePath, .init(limit: limit))
        #expect(try await other.usage().entries == 1)
        #expect(try await other.onlyBody(for: entry.key) == body(20_000))
    }

    // MARK: Recent lookups

    /// A store that doesn't record each use, so that the files stay as they were found.
    private func storeWithRecentLookups() throws -> HttpCacheFolderStore {
        let limit = FolderUsage.Limit(bytes: 100_000_000, entries: 1000)
        return try HttpCacheFolderStore(folder.cachePath, .init(limit: limit))
    }

    @Test func aRecentLookupIsServedWithoutReading() async throws {
        let store = try storeWithRecentLookups()
        let entry = HttpCacheEntry.make()
        try await store.put(entry, body(20_000))
        for _ in 0..<3 { #expect(try await store.onlyBody(for: entry.key) == body(20_000)) }
        #expect(store.recent.files(for: [entry.key])?.map(\.entry.id) == [entry.id])
        #expect(store.recent.file(of: entry.id) != nil)
        // Not one that was found with another key.
        #expect(store.recent.files(for: [entry.key, HttpCacheKey(url: "http://a/", session: .everyone)]) == nil)
    }

    @Test(arguments: ["update", "replace", "remove", "variant", "sessions", "all"])
    func aRecentLookupSeesWhatOtherProcessesDo(change: String) async throws {
        let store = try storeWithRecentLookups()
        var entry = HttpCacheEntry.make()
        try await store.put(entry, body(20_000))
        #expect(try await store.onlyBody(for: entry.key) == body(20_000))
        try await waitForTheNextTime()
        let new = HttpCacheEntry.make()
        // `self.store` stands for another process.
        switch change {
        case "update":
            entry.status = 203
            try await self.store.update(entry)
            #expect(try await store.entries(for: entry.key).first?.status == 203)
        case "replace":
            try await self.store.put(new, body(10), replacing: [entry])
            #expect(try await store.body(of: entry) == nil)
            #expect(try await store.onlyBody(for: entry.key) == body(10))
        case "variant":
            try await self.store.put(new, body(10))
            #expect(try await store.entries(for: entry.key).count == 2)
        default:
            switch change {
            case "remove": try await self.store.remove([entry])
            case "sessions": try await self.store.removeSessions { _ in true }
            default: try await self.store.removeAll()
            }
            #expect(try await store.body(of: entry) == nil)
            #expect(try await store.entries(for: entry.key).isEmpty)
        }
    }

    @Test func aRecentLookupSeesTheStoresOwnChanges() async throws {
        let store = try storeWithRecentLookups()
        var entry = HttpCacheEntry.make()
        try await store.put(entry, body(20_000))
        for status in 200..<220 {
            entry.status = status
            try await store.update(entry)
            #expect(try await store.entries(for: entry.key).first?.status == status)
        }
    }

    // MARK: Several processes

    @Test func severalStoresShareAFolder() async throws {
        let other = try HttpCacheFolderStore.make(folder)
        let entry = HttpCacheEntry.make()
        try await store.put(entry, body(10))
        #expect(try await other.onlyBody(for: entry.key) == body(10))
        try await other.remove([entry])
        #expect(try await store.entries(for: entry.key).isEmpty)
        #expect(try await store.body(of: entry) == nil)
        try await store.update(entry)
        try await store.remove([entry])
        #expect(try await other.usage().entries == 0)
    }

    @Test func theSecretIsThatOfTheFolder() async throws {
        let secret = try await store.secret()
        #expect(secret.count == 32)
        #expect(try await store.secret() == secret)
        #expect(try await HttpCacheFolderStore.make(folder).secret() == secret)
        try await store.removeAll()
        #expect(try await HttpCacheFolderStore.make(folder).secret() == secret)
        let elsewhere = try HttpCacheFolderStore.make(TestFolder())
        #expect(try await elsewhere.secret() != secret)
    }

    @Test func theFirstSecretCounts() async throws {
        let stores = try (0..<8).map { _ in try HttpCacheFolderStore.make(folder) }
        let secrets = try await withThrowingTaskGroup(of: [UInt8].self, returning: Set<[UInt8]>.self) { group in
            for store in stores { group.addTask { try await store.secret() } }
            var secrets: Set<[UInt8]> = []
            for try await secret in group { secrets.insert(secret) }
            return secrets
        }
        #expect(secrets.count == 1)
    }

    @Test func aDamagedSecretIsReplaced() async throws {
        let secret = try await store.secret()
        let path = "\(folder.cachePath)/\(StoreSecret.fileName)"
        try Data(secret + [0, 1, 2, 3, 4, 5, 6, 7]).write(to: URL(filePath: path))
        let new = try await HttpCacheFolderStore.make(folder).secret()
        #expect(new != secret)
        #expect(try await HttpCacheFolderStore.make(folder).secret() == new)
    }

    @Test func manyTasksUseOneKey() async throws {
        let other = try HttpCacheFolderStore.make(folder)
        let key = HttpCacheKey(url: "http://a/")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { [store] in
                    let store = task % 2 == 0 ? store : other
                    for number in 0..<40 {
                        let entries = try await store.entries(for: key)
                        // The body says which entry it is of. It was replaced, or is whole.
                        for entry in entries {
                            guard let found = try await store.body(of: entry) else { continue }
                            #expect(try await found.bytes() == Data("\(entry.id)".utf8) + body(2000))
                        }
                        let entry = HttpCacheEntry.make()
                        try await store.put(entry, Data("\(entry.id)".utf8) + body(2000), replacing: entries)
                        if number % 5 == 0, let first = entries.first { try await store.update(first) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.entries(for: key).count >= 1)
    }
}

/// Until the clock of the file system, which may be coarse, shows another time.
func waitForTheNextTime() async throws {
    try await Task.sleep(for: .milliseconds(20))
}
