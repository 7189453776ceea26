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

/// The folder's creation, its permissions, and its failures.
struct FolderStoreFolderTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func expectUnusable(_ url: URL, _ reason: String) {
        let error = thrown(HttpCacheFolderError.self) { try HttpCacheFolderStore(folder: url, limit: 1_000_000) }
        #expect(error?.code == .unusableFolder)
        #expect(error?.description.contains(url.path) == true)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func theFolderAndItsFilesAreTheOwnersOnly() async throws {
        let url = folder.place("a/b/cache")
        let store = try HttpCacheFolderStore(folder: url, limit: 8_000_000)
        _ = try await store.secret()
        try await store.put(.make(), body(10))
        let writer = try #require(try await store.write(.make()))
        try await writer.append(body(500_000))
        for name in ["a", "a/b", "a/b/cache"] { #expect(mode(folder.place(name).path) == 0o700) }
        // The tag, the secret, an entry and a file that is being written, in two folders.
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path)
        #expect(names.count == 6)
        for name in names {
            let isFolder = name == EntryName.entries || EntryName.parts.contains(name)
            #expect(mode("\(url.path)/\(name)") == (isFolder ? 0o700 : 0o600), "\(name)")
        }
        try await writer.commit(replacing: [])
    }

    @Test func anEmptyFolderIsClosedToOthers() throws {
        let url = folder.place("cache")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        chmod(url.path, 0o755)
        _ = try HttpCacheFolderStore(folder: url, limit: 1_000_000)
        #expect(mode(url.path) == 0o700)
        // And one that is a cache already.
        chmod(url.path, 0o777)
        _ = try HttpCacheFolderStore(folder: url, limit: 1_000_000)
        #expect(mode(url.path) == 0o700)
    }

    @Test func aFolderOfOtherThingsStaysAsItIs() throws {
        chmod(folder.url.path, 0o755)
        _ = try folder.file("notes.txt", [1])
        expectUnusable(folder.url, "contains other files")
        #expect(mode(folder.url.path) == 0o755)
        chmod(folder.url.path, 0o700)
        _ = try HttpCacheFolderStore(folder: folder.url, limit: 1_000_000)
    }

    /// Such as the cache of a browser.
    @Test func theTagOfAnotherProgramDoesntMakeItACache() throws {
        chmod(folder.url.path, 0o755)
        _ = try folder.file("CACHEDIR.TAG", Array("Signature: 8a477f597d28d172789f06886806bc55\n# Others\n".utf8))
        expectUnusable(folder.url, "contains other files")
        #expect(mode(folder.url.path) == 0o755)
    }

    @Test func theErrorNamesTheFolder() throws {
        let file = try folder.file("file", [1])
        expectUnusable(file, "can't be opened as a folder")
        expectUnusable(file.appending(path: "cache"), "can't be created")
        let error = thrown(HttpCacheFolderError.self) {
            try HttpCacheFolderStore(folder: #require(URL(string: "https://example.com/cache")), limit: 1)
        }
        #expect(error?.description == "https://example.com/cache is no file URL.")
    }

    @Test(.enabled(if: isRoot(), "only root can make a folder of another user"))
    func theFolderOfAnotherUserIsNotUsed() throws {
        let url = folder.place("cache")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        try #require(chown(url.path, 12_345, 12_345) == 0)
        expectUnusable(url, "belongs to another user")
    }

    @Test func theFolderMayBeALink() async throws {
        let target = folder.place("target")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: folder.place("cache"), withDestinationURL: target)
        let store = try HttpCacheFolderStore.make(folder)
        try await store.put(.make(), body(10))
        #expect(try await store.onlyBody(for: HttpCacheEntry.make().key) == body(10))
    }

    @Test func aRemovedFolderIsCreatedAgain() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        try await store.put(.make(), body(10))
        try FileManager.default.removeItem(atPath: folder.cachePath)
        #expect(try await store.entries(for: HttpCacheEntry.make().key).isEmpty)
        #expect(try await store.usage().entries == 0)
        try await store.put(.make(), body(20))
        #expect(try await store.onlyBody(for: HttpCacheEntry.make().key) == body(20))
        #expect(mode(folder.cachePath) == 0o700)
        #expect(try await HttpCacheFolderStore.make(folder).onlyBody(for: HttpCacheEntry.make().key) == body(20))
    }

    @Test func theFolderIsMarkedAsACache() throws {
        _ = try HttpCacheFolderStore.make(folder)
        let tag = try String(decoding: Data(contentsOf: folder.place("cache/CACHEDIR.TAG")), as: UTF8.self)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test func eachEntryMayWaitForTheDisk() async throws {
        let store = try HttpCacheFolderStore.make(folder, fsync: .always)
        var entry = HttpCacheEntry.make()
        try await store.put(entry, body(1_500_000))
        entry.status = 203
        try await store.update(entry)
        #expect(try await store.entries(for: entry.key).first?.status == 203)
        #expect(try await store.onlyBody(for: entry.key) == body(1_500_000))
    }
}

private func isRoot() -> Bool { geteuid() == 0 }
