#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Glibc
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A disk that takes no more. The limit is that of a whole process, so each test runs in a dedicated process.
struct FolderStoreFullDiskTests {
    @Test func whatExceedsTheLargestFileIsNotStored() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let store = try HttpCacheFolderStore.make(folder)
            _ = signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 300_000, rlim_max: 300_000)
            try #require(setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0)
            try await expectFull(store, folder, after: 250_000)
        }
    }

    @Test(.enabled(if: isRoot(), "only root can mount a small disk"))
    func aFullDiskIsAMiss() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.cachePath, withIntermediateDirectories: false)
            try #require(mount("tmpfs", folder.cachePath, "tmpfs", 0, "size=400k") == 0, "errno \(errno)")
            let store = Result { try HttpCacheFolderStore.make(folder) }
            // The store has the disk by its descriptor. Nothing outlives the process.
            umount2(folder.cachePath, Int32(MNT_DETACH))
            try await expectFull(store.get(), folder, after: 250_000)
        }
    }
}

/// A small response is stored, a larger one is an error, and neither harms the other.
private func expectFull(_ store: HttpCacheFolderStore, _ folder: TestFolder, after size: Int) async throws {
    let small = HttpCacheEntry.make("http://a/")
    let large = HttpCacheEntry.make("http://b/")
    try await store.put(small, body(10_000))
    for _ in 0..<3 {
        let error = await thrown(HttpCacheFolderError.self) {
            let writer = try #require(try await store.write(large))
            for _ in 0..<10 { try await writer.append(body(100_000)) }
            try await writer.commit(replacing: [])
        }
        #expect(error?.code == .fullDisk)
        #expect(error?.description.contains(folder.cachePath) == true)
    }
    #expect(try await store.entries(for: large.key).isEmpty)
    #expect(try await store.onlyBody(for: small.key) == body(10_000))
    // What was written of it is removed, so that the disk has space for others.
    await eventually("the files are removed") {
        (try? store.names { EntryName.session(ofTemporary: $0) != nil })?.isEmpty == true
    }
    try await store.put(large, body(size))
    #expect(try await store.onlyBody(for: large.key) == body(size))
}

private func isRoot() -> Bool { geteuid() == 0 }
#endif
