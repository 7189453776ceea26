import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A newer response that can't be stored also replaces the older one: it isn't served any more.
@Suite struct UnstoredUpdateTests {
    private static let small = 8000
    private static let large = String(repeating: "x", count: 2000)

    enum Destination: CaseIterable, Sendable {
        case memory, stream, file
    }

    /// Stores a response, and reloads one that isn't stored.
    private func reload(_ lab: CacheLab, to destination: Destination, _ fail: () throws -> Void = {}) async throws {
        let folder = try TestFolder()
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "old")
        try await lab.get()
        #expect(try await lab.get().cache?.isStored == true)
        lab.answers(200, [("Cache-Control", "max-age=60")], body: Self.large)
        try fail()
        var request = try lab.request(.get, "/a", [], .reload)
        switch destination {
        case .memory: request.options.destination = .memory
        case .stream: request.options.destination = .stream
        case .file: request.options.destination = .file(folder.url.appending(path: "body"))
        }
        let response = try await lab.sender.send(request)
        if let stream = response.bytes { for try await _ in stream {} }
        await lab.cache.waitForWrites()
    }

    private func expectMiss(_ lab: CacheLab) async throws {
        #expect(await lab.cache.statistics.entries == 0)
        #expect(try await lab.get().cache == .miss)
        // The lab's clock never begins what waits.
        await lab.cache.waitForWrites()
    }

    @Test(arguments: Destination.allCases)
    func aBodyThatIsTooLargeForTheMemory(_ destination: Destination) async throws {
        let lab = CacheLab(store: HttpCacheMemoryStore(limit: Self.small))
        try await reload(lab, to: destination)
        try await expectMiss(lab)
    }

    @Test(arguments: Destination.allCases)
    func aBodyThatIsTooLargeForTheFolder(_ destination: Destination) async throws {
        let folder = try TestFolder()
        let lab = CacheLab(store: try HttpCacheFolderStore.make(folder, bytes: 8 * 1500))
        try await reload(lab, to: destination)
        try await expectMiss(lab)
    }

    @Test(arguments: [FlakyStore.Point.write, .append, .commit], Destination.allCases)
    func anErrorOfTheStore(_ point: FlakyStore.Point, _ destination: Destination) async throws {
        let store = FlakyStore()
        let lab = CacheLab(store: store)
        try await reload(lab, to: destination) { store.fail(point) }
        try await expectMiss(lab)
    }

    @Test func aStreamThatIsNotReadToItsEnd() async throws {
        let store = HttpCacheMemoryStore(limit: 1_000_000)
        let lab = CacheLab(store: store)
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "old")
        try await lab.get()
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "new")
        var request = try lab.request(.get, "/a", [], .reload)
        request.options.destination = .stream
        // The response is released.
        _ = try await lab.sender.send(request)
        await eventually("the older response is removed") { store.usage().entries == 0 }
    }

    /// The older response may be served offline, as after any other error of the network.
    @Test func aStreamThatFailsRemovesNothing() async throws {
        let lab = CacheLab()
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "old")
        try await lab.get()
        let buffer = ByteBuffer(onSpace: {}, onAbandon: {})
        let sender = CachingSender(next: StreamingServer(buffer: buffer), cache: lab.cache)
        var request = try lab.request(.get, "/a", [], .reload)
        request.options.destination = .stream
        let stream = try #require(try await sender.send(request).bytes)
        buffer.finish(TransportError(.truncatedResponse, of: request, reason: "cut"))
        await #expect(throws: TransportError.self) { for try await _ in stream {} }
        #expect(try await lab.get().text == "old")
    }
}
