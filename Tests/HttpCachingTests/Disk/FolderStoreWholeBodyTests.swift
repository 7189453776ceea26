import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response whose body is in memory is stored as by a writer.
struct FolderStoreWholeBodyTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: [0, 1, 65_537, 262_143, 262_144, 1_500_000], [HttpCacheFsync.never, .always])
    func aBodyIsFoundAsItWasStored(size: Int, fsync: HttpCacheFsync) async throws {
        let store = try HttpCacheFolderStore.make(folder, fsync: fsync)
        let (old, other) = (HttpCacheEntry.make(), HttpCacheEntry.make(session: .everyone))
        for entry in [old, other] { try await store.store(entry, body(10), replacing: []) }
        let new = HttpCacheEntry.make()
        try await store.store(new, body(size), replacing: [old, other])
        #expect(try await store.entries(for: old.key).map(\.id) == [new.id])
        #expect(try await store.onlyBody(for: new.key) == body(size))
        #expect(try await store.entries(for: other.key).isEmpty)
        #expect(folder.cacheNames.count == 1)
        #expect(try await store.usage().entries == 1)
    }

    @Test func oneThatIsTooLargeIsNotStored() async throws {
        let store = try HttpCacheFolderStore.make(folder, bytes: 400_000)
        try await store.store(.make(), body(60_000), replacing: [])
        #expect(folder.cacheNames.isEmpty)
        try await store.store(.make(session: HttpCacheSession(rawValue: "a-b")), body(1), replacing: [])
        #expect(folder.cacheNames.isEmpty)
    }

    @Test func aFolderThatIsLostIsAnError() async throws {
        let store = try HttpCacheFolderStore.make(folder)
        try FileManager.default.removeItem(atPath: folder.cachePath)
        try Data().write(to: URL(filePath: folder.cachePath))
        await #expect(throws: HttpCacheFolderError.self) { try await store.store(.make(), body(1), replacing: []) }
    }
}
