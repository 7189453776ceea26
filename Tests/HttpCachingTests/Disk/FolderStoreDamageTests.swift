import HttpMessages
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

/// A damaged or truncated entry is a miss, and is removed.
struct FolderStoreDamageTests {
    private let folder: TestFolder
    private let store: HttpCacheFolderStore
    private let entry = HttpCacheEntry.make(nominated: [.init(name: "accept", value: "text/*")])

    init() throws {
        folder = try TestFolder()
        store = try .make(folder)
    }

    /// What a lookup serves; nil for a miss. Each miss must remove the file.
    private func served() async throws -> (entry: HttpCacheEntry, body: Data)? {
        do {
            let entries = try await store.entries(for: entry.key)
            if let found = entries.first, let body = try await store.body(of: found) {
                return (found, try await body.bytes())
            }
            Issue.record("a file that can't be read is an error")
        } catch let error as HttpCacheFolderError {
            #expect(error.code == .damagedEntry)
            #expect(error.folder == folder.cachePath)
            #expect(error.description.contains(folder.cachePath))
        }
        #expect(folder.cacheNames.isEmpty)
        return nil
    }

    @Test(arguments: [0, 300, 66_000])
    func aTruncatedEntryIsAMiss(size: Int) async throws {
        try await store.put(entry, body(size))
        let path = try folder.onlyFile()
        let whole = try Data(contentsOf: URL(filePath: path))
        // Each length, and of a large file some.
        for length in stride(from: 0, to: whole.count, by: max(1, whole.count / 400)) {
            try whole.prefix(length).write(to: URL(filePath: path))
            #expect(try await served() == nil, "\(length) bytes")
        }
        try (whole + [0]).write(to: URL(filePath: path))
        #expect(try await served() == nil)
        try whole.write(to: URL(filePath: path))
        #expect(try await served()?.body == body(size))
    }

    /// What is served is what was stored: bytes that nothing is read from may change.
    @Test(arguments: [0x01, 0x80, 0xFF])
    func aChangedByteIsAMiss(mask: UInt8) async throws {
        try await store.put(entry, body(300))
        let path = try folder.onlyFile()
        let whole = try Data(contentsOf: URL(filePath: path))
        var misses = 0
        for position in whole.indices {
            var changed = whole
            changed[position] ^= mask
            try changed.write(to: URL(filePath: path))
            if let (found, bytes) = try await served() {
                #expect(found.isSame(as: entry) && bytes == body(300), "byte \(position)")
            } else {
                misses += 1
            }
        }
        let head = EntryHead.bytes(of: entry)
        #expect(misses >= 40 + 16 + head.count + 300 + 8)
    }

    @Test func aChangedByteAfterAnUpdateLeavesOneOfBothHeads() async throws {
        try await store.put(entry, body(50))
        var new = entry
        new.headers["ETag"] = "\"2\""
        try await store.update(new)
        let path = try folder.onlyFile()
        let whole = try Data(contentsOf: URL(filePath: path))
        var old = 0
        for position in whole.indices {
            var changed = whole
            changed[position] ^= 0x10
            try changed.write(to: URL(filePath: path))
            guard let (found, bytes) = try await served() else { continue }
            #expect(found.isSame(as: new) || found.isSame(as: entry), "byte \(position)")
            #expect(bytes == body(50))
            old += found.isSame(as: entry) ? 1 : 0
        }
        // The prefix of the new head and its bytes.
        #expect(old == 16 + EntryHead.bytes(of: new).count)
    }

    @Test(arguments: [0, 65_536, 1_500_000, 2_999_999])
    func aDamagedPieceOfALargeBodyIsNotDelivered(position: Int) async throws {
        try await store.put(entry, body(3_000_000))
        let path = try folder.onlyFile()
        var content = try Data(contentsOf: URL(filePath: path))
        content[content.count - 8 * 46 - 3_000_000 + position] ^= 1
        try content.write(to: URL(filePath: path))
        let found = try #require(try await store.entries(for: entry.key).first)
        let opened = try #require(try await store.body(of: found))
        guard case .pieces(let next) = opened.source else {
            Issue.record("a large body is read in pieces")
            return
        }
        var received = Data()
        let error = await thrown(HttpCacheFolderError.self) {
            while let piece = try await next() { received += piece }
        }
        #expect(error?.code == .damagedEntry)
        #expect(received.count <= position)
        #expect(received == body(3_000_000).prefix(received.count))
        #expect(try await store.entries(for: entry.key).isEmpty)
        #expect(folder.cacheNames.isEmpty)
    }

    @Test func aBodyOfAnotherEntryIsAMiss() async throws {
        try await store.put(entry, body(300))
        let path = try folder.onlyFile()
        let first = try Data(contentsOf: URL(filePath: path))
        let other = HttpCacheEntry.make(nominated: entry.nominated)
        try await store.put(other, Data(repeating: 1, count: 300), replacing: [entry])
        let second = try Data(contentsOf: URL(filePath: path))
        #expect(first.count == second.count)
        try (first.prefix(first.count - 308) + second.suffix(308)).write(to: URL(filePath: path))
        #expect(try await served() == nil)
    }

    @Test func aDamagedVariantIsNoObstacleForTheOthers() async throws {
        let other = HttpCacheEntry.make()
        try await store.put(entry, body(10))
        let path = try folder.onlyFile()
        try await store.put(other, body(20))
        try Data("garbage".utf8).write(to: URL(filePath: path))
        await #expect(throws: HttpCacheFolderError.self) { try await store.entries(for: entry.key) }
        #expect(try await store.onlyBody(for: entry.key) == body(20))
        try await store.remove([other])
        #expect(try await store.entries(for: entry.key).isEmpty)
        #expect(folder.cacheNames.isEmpty)
    }

    /// For example one that another process has stored under the name of a key with the same hash.
    @Test func anEntryOfAnotherKeyIsNotServed() async throws {
        try await store.put(entry, body(10))
        let path = try folder.onlyFile()
        let key = HttpCacheKey(url: "http://b/")
        try FileManager.default.moveItem(atPath: path, toPath: folder.makePlace(for: key))
        #expect(try await store.entries(for: key).isEmpty)
        #expect(try await store.entries(for: entry.key).isEmpty)
        let new = HttpCacheEntry.make("http://b/")
        try await store.put(new, body(20))
        #expect(try await store.onlyBody(for: key) == body(20))
    }

    // MARK: Planted files

    @Test func aLinkIsNotFollowed() async throws {
        try await store.put(entry, body(10))
        let path = try folder.onlyFile()
        let outside = folder.place("outside").path
        try FileManager.default.moveItem(atPath: path, toPath: outside)
        let content = try Data(contentsOf: URL(filePath: outside))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
        #expect(try await served() == nil)
        // Nor does a new entry replace its target.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
        try await store.put(.make(), body(20), replacing: [entry])
        #expect(try await store.usage().entries >= 1)
        try await store.removeAll()
        #expect(try Data(contentsOf: URL(filePath: outside)) == content)
    }

    @Test(arguments: [true, false]) func aLinkInPlaceOfAFolderIsNotFollowed(isPart: Bool) async throws {
        try await store.put(entry, body(10))
        let outside = folder.place("outside").path
        let path = "\(folder.cachePath)/\(isPart ? EntryName.UrlHash(entry.key.url).part : EntryName.entries)"
        try FileManager.default.moveItem(atPath: path, toPath: outside)
        let former = try FileManager.default.subpathsOfDirectory(atPath: outside)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
        let store = try HttpCacheFolderStore.make(folder)
        #expect(try await store.entries(for: entry.key).isEmpty)
        try await store.put(.make(), body(20))
        #expect(try await store.onlyBody(for: entry.key) == body(20))
        try await store.remove(urls: [entry.key.url])
        try await store.removeAll()
        #expect(try FileManager.default.subpathsOfDirectory(atPath: outside) == former)
    }

    /// A link to nothing is found when an entry can't be created.
    @Test func aLinkToNothingInPlaceOfAFolderIsReplaced() async throws {
        let path = "\(folder.cachePath)/\(EntryName.entries)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.place("outside").path)
        try await store.put(entry, body(20))
        #expect(try await store.onlyBody(for: entry.key) == body(20))
    }

    @Test func aLinkInPlaceOfTheSecretIsReplaced() async throws {
        let outside = try folder.file("outside", [1, 2, 3])
        let path = "\(folder.cachePath)/\(StoreSecret.fileName)"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside.path)
        let secret = try await store.secret()
        #expect(try Data(contentsOf: outside) == Data([1, 2, 3]))
        #expect(try await HttpCacheFolderStore.make(folder).secret() == secret)
    }

    @Test func aPipeInPlaceOfAnEntryDoesntBlock() async throws {
        let path = try folder.makePlace(for: entry.key)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try await served() == nil)
    }

    @Test func aFolderInPlaceOfAnEntryIsAMiss() async throws {
        let path = try folder.makePlace(for: entry.key)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data("a file of someone".utf8).write(to: URL(filePath: path + "/file"))
        #expect(try await store.entries(for: entry.key).isEmpty)
        try await store.put(entry, body(1))
        #expect(try await store.body(of: entry)?.bytes() == body(1))
        #expect(try await store.onlyBody(for: entry.key) == body(1))
        var new = entry
        new.headers["ETag"] = "\"2\""
        try await store.update(new)
        #expect(try await store.entries(for: entry.key).first?.headers["ETag"] == "\"2\"")
        #expect(FileManager.default.fileExists(atPath: path + "/file"))
    }

    @Test func aUrlWithAFolderInItsPlaceIsCached() async throws {
        let lab = CacheLab(store: store)
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "text")
        let path = try folder.makePlace(for: HttpCacheKey(url: "https://example.com/a"))
        try FileManager.default.createDirectory(atPath: path + "/full", withIntermediateDirectories: true)
        try await lab.get()
        #expect(try await lab.get().cache?.isStored == true)
        #expect(await lab.cache.statistics.storeFailures == 0)
    }
}
