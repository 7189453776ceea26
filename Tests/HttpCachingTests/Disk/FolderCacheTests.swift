import HttpMessages
import NodeCore
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A whole cache in a folder.
@Suite struct FolderCacheTests {
    private let folder: TestFolder
    private let stored = [("Cache-Control", "max-age=60")]

    init() throws {
        folder = try TestFolder()
    }

    private func lab() throws -> CacheLab { CacheLab(store: try HttpCacheFolderStore.make(folder)) }

    /// RFC 9111 §4.4, for what an earlier process has stored.
    @Test func anUnsafeRequestInvalidatesTheResponsesOfEarlierSessions() async throws {
        let earlier = try lab()
        earlier.answers(200, stored, body: "old")
        for path in ["/a", "/b"] { try await earlier.get(path, [("Authorization", "Bearer a")]) }
        await earlier.cache.waitForWrites()
        let now = try lab()
        now.answers()
        _ = try await now.sender.send(try now.request(.put, "/a", [("Authorization", "Bearer b")]))
        now.answers(200, stored, body: "new")
        #expect(try await now.get("/a", [("Authorization", "Bearer a")]).text == "new")
        #expect(try await now.get("/b", [("Authorization", "Bearer a")]).text == "old")
    }

    private func stream(_ lab: CacheLab) async throws -> HttpResponse {
        var request = try lab.request()
        request.options.destination = .stream
        return try await lab.sender.send(request)
    }

    private func read(_ stream: ByteStream?) async throws -> Data {
        var data = Data()
        for try await piece in try #require(stream) { data.append(piece) }
        return data
    }

    /// Stores a body of this size and changes a bit near its end.
    private func damaged(_ size: Int) async throws -> CacheLab {
        let lab = try lab()
        lab.answers(200, stored, body: String(repeating: "x", count: size))
        try await lab.get()
        await lab.cache.waitForWrites()
        try change(size)
        lab.answers(200, stored, body: "new")
        return lab
    }

    /// Changes a byte of the only entry.
    private func change(_ position: Int) throws {
        let url = URL(filePath: try folder.onlyFile())
        var bytes = try Data(contentsOf: url)
        bytes[position] ^= 1
        try bytes.write(to: url)
    }

    @Test func aDamagedBodyThatIsStreamedIsAMiss() async throws {
        let lab = try await damaged(3 << 20)
        let response = try await stream(lab)
        #expect(response.cache == .miss)
        #expect(try await read(response.bytes) == Data("new".utf8))
        #expect(await lab.cache.statistics.storeFailures == 1)
    }

    @Test func aDamagedBodyBeyondTheCheckFailsOnceAndIsAMissThen() async throws {
        let lab = CacheLab(store: try HttpCacheFolderStore.make(folder, bytes: 1 << 30))
        lab.answers(200, stored, body: String(repeating: "x", count: 17 << 20))
        _ = try await read(stream(lab).bytes)
        await lab.cache.waitForWrites()
        try change(16 << 20)
        lab.answers(200, stored, body: "new")
        let response = try await stream(lab)
        #expect(response.cache?.isStored == true)
        let error = await thrown(HttpCacheFolderError.self) { try await read(response.bytes) }
        #expect(error?.code == .damagedEntry)
        #expect(try await read(stream(lab).bytes) == Data("new".utf8))
    }

    @Test func aLargeBodyInMemoryThatIsDamagedIsAMiss() async throws {
        let lab = try await damaged(3 << 20)
        #expect(try await lab.get().text == "new")
    }

    @Test func theFilesOfARemovalOfAllAreRemoved() async throws {
        let lab = try lab()
        lab.answers(200, stored, body: "text")
        for number in 0..<50 { try await lab.get("/\(number)") }
        try await lab.cache.removeAll()
        #expect(try await lab.get("/1").cache == .miss)
        let path = folder.cachePath
        await eventually("the folder is removed") {
            (try? FileManager.default.contentsOfDirectory(atPath: path))?.contains { $0.hasPrefix("removed-") } == false
        }
        #expect(await lab.cache.statistics.entries == 1)
    }

    /// What a process has left that was killed during a removal.
    @Test func aRemovalThatWasInterruptedIsCompletedAtTheNextOpening() async throws {
        let left = folder.cachePath + "/" + EntryName.removed() + "/07"
        _ = try lab()
        try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
        try Data("text".utf8).write(to: URL(filePath: left + "/file"))
        let other = try lab()
        await eventually("it is removed") { !FileManager.default.fileExists(atPath: left) }
        #expect(await other.cache.statistics.entries == 0)
    }
}
