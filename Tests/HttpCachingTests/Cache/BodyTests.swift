import HttpMessages
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bodies in memory, in files and as streams, stored and served.
@Suite struct BodyTests {
    private static let stored: HttpHeaders = ["Cache-Control": "max-age=60"]

    private static func stores() -> [any HttpCacheStore] { [HttpCacheMemoryStore(limit: 1_000_000), FlakyStore()] }

    private func read(_ stream: ByteStream?) async throws -> String {
        var data = Data()
        for try await piece in try #require(stream) { data.append(piece) }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func aStreamIsStoredWhileItIsReadAndServedAsAStream() async throws {
        for store in Self.stores() {
            let lab = CacheLab(store: store)
            lab.answers(200, [("Cache-Control", "max-age=60")], body: "a long text")
            var request = try lab.request()
            request.options.destination = .stream
            let first = try await lab.sender.send(request)
            #expect(first.cache == .miss)
            #expect(try await read(first.bytes) == "a long text")
            let second = try await lab.sender.send(request)
            #expect(second.cache?.isStored == true)
            #expect(try await read(second.bytes) == "a long text")
            #expect(try await lab.get().text == "a long text")
            #expect(lab.sent.count == 1)
        }
    }

    @Test func aStreamThatIsReleasedOrFailsIsNotStored() async throws {
        let store = FlakyStore()
        let cache = HttpCache(store: store)
        let buffer = ByteBuffer(onSpace: {}, onAbandon: {})
        let sender = CachingSender(next: StreamingServer(buffer: buffer), cache: cache)
        var request = try CacheLab().request()
        request.options.destination = .stream
        var response: HttpResponse? = try await sender.send(request)
        Data("part".utf8).withUnsafeBytes { buffer.write($0) }
        #expect(try await response?.bytes?.makeAsyncIterator().next() == Data("part".utf8))
        response = nil
        await eventually("the transfer is abandoned") { buffer.isAbandoned }
        // Later nothing stores it any more.
        await eventually("its writer is released") { store.releasedWriters == 1 }
        #expect(await cache.statistics.entries == 0)

        let failing = ByteBuffer(onSpace: {}, onAbandon: {})
        let other = CachingSender(next: StreamingServer(buffer: failing), cache: cache)
        let second = try await other.send(request)
        failing.finish(TransportError(.truncatedResponse, of: request, reason: "cut"))
        await #expect(throws: TransportError.self) { try await read(second.bytes) }
        await eventually("its writer is released") { store.releasedWriters == 2 }
        #expect(await cache.statistics.entries == 0)
    }

    @Test func aShortPieceKeepsNoLargeBuffer() throws {
        let buffer = Data(repeating: 1, count: 256 << 10)
        func address(_ data: Data) -> UnsafeRawPointer? { data.withUnsafeBytes { $0.baseAddress } }
        let short = try #require(FilePieces.piece(of: buffer, 1000))
        #expect(short == buffer.prefix(1000) && address(short) != address(buffer))
        #expect(FilePieces.piece(of: buffer, buffer.count).flatMap(address) == address(buffer))
        #expect(FilePieces.piece(of: buffer, 0) == nil)
    }

    @Test func aReaderThatWaitsMakesTheServerWait() async throws {
        let cache = HttpCache(memory: 100_000_000)
        let buffer = ByteBuffer(onSpace: {}, onAbandon: {})
        let sender = CachingSender(next: StreamingServer(buffer: buffer), cache: cache)
        var request = try CacheLab().request()
        request.options.destination = .stream
        let response = try await sender.send(request)
        let piece = Data(count: 256 << 10)
        var count = 0
        // Until nothing is taken for 200 ms.
        func hasSpaceSoon() async throws -> Bool {
            for _ in 0..<200 where !buffer.hasSpace() { try await Task.sleep(for: .milliseconds(1)) }
            return buffer.hasSpace()
        }
        while count < 100, try await hasSpaceSoon() {
            piece.withUnsafeBytes { buffer.write($0) }
            count += 1
        }
        // What is on its way, and two buffers of 1 MiB.
        #expect(count < 20)
        buffer.finish(nil)
        #expect(try await read(response.bytes).utf8.count == count * piece.count)
        #expect(await cache.statistics.entries == 1)
    }

    @Test func aBodyThatIsTooLargeIsDeliveredAndNotStored() async throws {
        let cache = HttpCache(memory: 80_000)
        let body = String(repeating: "x", count: 20_000)
        let network = ScriptedRequestSender { $0.respond(headers: Self.stored, body: Data(body.utf8)) }
        let sender = CachingSender(next: network, cache: cache)
        var request = try CacheLab().request()
        #expect(try await sender.send(request).text == body)
        request.options.destination = .stream
        #expect(try await read(sender.send(request).bytes) == body)
        let statistics = await cache.statistics
        #expect(statistics.entries == 0 && statistics.evictions == 0)
    }

    @Test func aDownloadedFileIsStoredAndServedAsAFile() async throws {
        for store in Self.stores() {
            let folder = try TestFolder()
            let lab = CacheLab(store: store)
            lab.answers(200, [("Cache-Control", "max-age=60")], body: "content")
            var request = try lab.request()
            request.options.destination = .file(folder.url.appending(path: "one"))
            let first = try await lab.sender.send(request)
            #expect(first.cache == .miss && first.file != nil)
            request.options.destination = .file(folder.url.appending(path: "two"))
            let second = try await lab.sender.send(request)
            #expect(second.cache?.isStored == true)
            #expect(try String(contentsOf: #require(second.file), encoding: .utf8) == "content")
            #expect(lab.sent.count == 1)
        }
    }

    @Test func progressIsReportedOnceForAHit() async throws {
        let lab = CacheLab()
        lab.answers(200, [("Cache-Control", "max-age=60")], body: "four")
        try await lab.get()
        var request = try lab.request()
        let reports = Gathered<Int64>()
        request.options.onProgress = { reports.append($0.received) }
        _ = try await lab.sender.send(request)
        #expect(reports.all == [4])
    }
}

/// Responds with a stream that a test writes.
struct StreamingServer: RequestSender, TraitDeclaring {
    let buffer: ByteBuffer
    let traits = SenderTraits()

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        HttpResponse(
            request: request, status: 200, headers: ["Cache-Control": "max-age=60"], bytes: ByteStream(buffer))
    }
}
