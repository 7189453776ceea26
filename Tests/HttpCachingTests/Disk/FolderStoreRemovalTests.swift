#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Glibc
import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder whose files can't be removed. root can remove any, so each test runs in a process of another user. The process
/// ends by _exit(2), because LeakSanitizer can't inspect one that has changed its user.
struct FolderStoreRemovalTests {
    @Test(.timeLimit(.minutes(1))) func aRemovalOfAnEntryThatFailsIsAnError() async throws {
        await #expect(processExitsWith: .success) {
            do {
                let place = try await Place()
                await place.expectFailure { store, entry in try await store.remove([entry]) }
            }
            _exit(EXIT_SUCCESS)
        }
    }

    @Test func eachOtherRemovalThatFailsIsAnError() async throws {
        await #expect(processExitsWith: .success) {
            do {
                let place = try await Place()
                await place.expectFailure { store, _ in try await store.remove { _ in true } }
                await place.expectFailure { store, _ in try await store.removeSessions { _ in true } }
                await place.expectFailure { store, entry in try await store.remove(urls: [entry.key.url]) }
                try await place.store.remove { _ in true }
                #expect(place.folder.cacheNames.isEmpty)
            }
            _exit(EXIT_SUCCESS)
        }
    }

    /// It might be what the closure selects.
    @Test func anEntryThatCannotBeOpenedIsAnErrorOfARemoval() async throws {
        await #expect(processExitsWith: .success) {
            do {
                let place = try await Place()
                let file = try place.folder.onlyFile()
                chmod(file, 0)
                let error = await thrown(HttpCacheFolderError.self) { try await place.store.remove { _ in true } }
                #expect(error?.code == .failedSystemCall)
                chmod(file, 0o600)
                #expect(place.folder.cacheNames.count == 1)
            }
            _exit(EXIT_SUCCESS)
        }
    }
}

/// A folder with one entry, whose names can't be changed.
private struct Place {
    let folder: TestFolder
    let store: HttpCacheFolderStore
    let entry = HttpCacheEntry.make(session: HttpCacheSession(rawValue: "ab12"))
    private let part: String

    init() async throws {
        try #require(geteuid() != 0 || seteuid(12_345) == 0)
        folder = try TestFolder()
        store = try .make(folder)
        // After its own first scan.
        _ = try await store.usage()
        try await store.put(entry, body(10))
        part = URL(filePath: try folder.onlyFile()).deletingLastPathComponent().path
    }

    /// The removal throws, and the entry stays.
    func expectFailure(of removal: (HttpCacheFolderStore, HttpCacheEntry) async throws -> Void) async {
        chmod(part, 0o500)
        defer { chmod(part, 0o700) }
        let error = await thrown(HttpCacheFolderError.self) { try await removal(store, entry) }
        #expect(error?.code == .failedSystemCall)
        #expect(error?.description.contains("can't be removed") == true, "\(error?.description ?? "")")
        #expect(folder.cacheNames.count == 1)
    }
}
#endif
