import HttpMessages
import NetChainTestKit
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hit whose body goes to the caller's file or memory has the promises of a download.
@Suite struct DestinationTests {
    private static let stored = [("Cache-Control", "max-age=60")]
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private static func stores() -> [any HttpCacheStore] { [HttpCacheMemoryStore(limit: 1_000_000), FlakyStore()] }

    private func lab(_ store: any HttpCacheStore, body: String = "content") async throws -> CacheLab {
        let lab = CacheLab(store: store)
        lab.answers(200, Self.stored, body: body)
        try await lab.get()
        lab.fails(.noNetwork)
        return lab
    }

    private func request(_ lab: CacheLab, to url: URL) throws -> HttpRequest {
        var request = try lab.request()
        request.options.destination = .file(url)
        return request
    }

    @Test func aFileThatCannotBeWrittenLeavesTheEntry() async throws {
        for store in Self.stores() {
            let lab = try await lab(store)
            let request = try request(lab, to: folder.place("missing/file"))
            let error = await thrown(TransportError.self) { try await lab.sender.send(request) }
            #expect(error?.code == .destinationFailed)
            #expect(lab.sent.count == 1)
            #expect(try await lab.get().text == "content")
            #expect(await lab.cache.statistics.storeFailures == 0)
        }
    }

    #if os(Linux)
    /// A miss doesn't replace a device or a pipe either.
    @Test func whatIsNoFileStays() async throws {
        for store in Self.stores() {
            let lab = try await lab(store)
            let pipe = try NamedPipe(at: folder.place("pipe \(Int.random(in: 0 ... .max))")).url
            let link = try #require(URL(string: "https://example.com" + folder.place("link").path))
            for (url, reason) in [(pipe, "is no regular file."), (link, "is no file URL.")] {
                let request = try request(lab, to: url)
                let error = await thrown(TransportError.self) { try await lab.sender.send(request) }
                #expect(error?.code == .destinationFailed && error?.reason.hasSuffix(reason) == true)
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: pipe.path)
            #expect(attributes[.type] as? FileAttributeType != .typeRegular)
            #expect(!FileManager.default.fileExists(atPath: link.path))
            #expect(try await lab.get().text == "content")
        }
    }
    #endif

    @Test func aStaleResponseOfflineFailsWithTheDestination() async throws {
        let lab = try await lab(HttpCacheMemoryStore(limit: 1_000_000))
        lab.wait(100)
        let request = try request(lab, to: folder.place("missing/file"))
        let error = await thrown(TransportError.self) { try await lab.sender.send(request) }
        #expect(error?.code == .destinationFailed)
    }

    @Test func theFileIsReplacedAsAWhole() async throws {
        for store in Self.stores() {
            let lab = try await lab(store)
            let url = try folder.file("file", [1, 2, 3])
            // A second name of the former file.
            let former = folder.place("former \(Int.random(in: 0 ... .max))")
            try FileManager.default.linkItem(at: url, to: former)
            #expect(try await lab.sender.send(request(lab, to: url)).file == url)
            #expect(try String(contentsOf: url, encoding: .utf8) == "content")
            #expect(try Data(contentsOf: former) == Data([1, 2, 3]))
        }
    }

    @Test func anEmptyBodyIsAnEmptyFile() async throws {
        for store in Self.stores() {
            let lab = try await lab(store, body: "")
            let url = try folder.file("file", [1, 2, 3])
            #expect(try await lab.sender.send(request(lab, to: url)).file == url)
            #expect(try Data(contentsOf: url).isEmpty)
        }
    }

    @Test func aCanceledCopyLeavesTheFile() async throws {
        let store = FlakyStore()
        let lab = try await lab(store)
        let (url, context) = (try folder.file("file", [1, 2, 3]), Gathered<Int>())
        let request = try request(lab, to: url)
        let task = Task {
            store.onPiece {
                context.append(1)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return try await lab.sender.send(request)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!context.all.isEmpty)
        #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
        store.onPiece {}
        #expect(try await lab.get().text == "content")
        #expect(await lab.cache.statistics.storeFailures == 0)
    }

    @Test(arguments: [6, 8]) func aBodyOfAnotherLengthIsAMiss(_ length: Int64) async throws {
        let store = FlakyStore()
        let lab = try await lab(store)
        store.announce(length)
        lab.answers(200, Self.stored, body: "new")
        let url = try folder.file("file", [1, 2, 3])
        #expect(try await lab.sender.send(request(lab, to: url)).cache == .miss)
        #expect(try String(contentsOf: url, encoding: .utf8) == "new")
    }

    /// Downloads of two URLs to one path: the file is that of the other one already.
    @Test(arguments: [true, false])
    func aFileThatAnotherDownloadHasReplacedIsNotStored(isAnnounced: Bool) async throws {
        for store in Self.stores() {
            for length in [6, 8, 7] {
                let lab = CacheLab(store: store)
                let network = ReplacedFileSender(content: "content", length: length, isAnnounced: isAnnounced)
                let sender = CachingSender(next: network, cache: lab.cache)
                _ = try await sender.send(request(lab, to: folder.place("file")))
                #expect(await lab.cache.statistics.entries == (length == 7 ? 1 : 0))
            }
        }
    }

    @Test func aBodyAboveTheLimitOfTheSenderFails() async throws {
        for store in Self.stores() {
            let lab = try await lab(store)
            let sender = CachingSender(next: LimitedSender(limit: 6), cache: lab.cache)
            let error = await thrown(TransportError.self) { try await sender.send(lab.request()) }
            #expect(error?.code == .responseTooLarge)
            #expect(error?.reason == "the body is larger than limits.responseSize, 6 bytes")
            // The limit isn't for files.
            #expect(try await sender.send(request(lab, to: folder.place("file"))).cache?.isStored == true)
            #expect(try await lab.get().text == "content")
        }
    }
}

/// Responds with a file whose content is another one.
private struct ReplacedFileSender: TraitDeclaring {
    let content: String
    /// The length of the body.
    let length: Int
    let isAnnounced: Bool
    let traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        var response = HttpResponse(request: request, status: 200, headers: ["Cache-Control": "max-age=60"])
        if isAnnounced { response.headers["Content-Length"] = "\(length)" }
        response.metrics.bytesReceived = Int64(length)
        guard case .file(let url, _) = request.options.destination else { return response }
        try Data(content.utf8).write(to: url)
        response.file = url
        return response
    }
}

/// Sends nothing.
private struct LimitedSender: TraitDeclaring {
    let traits: SenderTraits

    init(limit: Int) {
        var traits = SenderTraits()
        traits.responseSize = limit
        self.traits = traits
    }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        throw TransportError(.noNetwork, of: request, reason: "this sender sends nothing")
    }
}
