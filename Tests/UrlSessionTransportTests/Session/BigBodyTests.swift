import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlSessionTransport
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite(.timeLimit(.minutes(1)))
struct BigBodyTests {
    @Test func aLargeFileIsReadWhileItIsSent() async throws {
        let server = try LoopbackServer()
        server.on(.put, "/", respond: .text("ok"))
        server.whileReceiving(.put, "/", .discard)
        let sender = try UrlSessionRequestSender()
        let block = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        var bytes = Data()
        for _ in 0..<1024 { bytes.append(block) }
        let file = try TemporaryFile(bytes)
        var checksum = Hasher()
        bytes.withUnsafeBytes { checksum.combine(bytes: $0) }
        let steps = Recorder<TransferProgress>()
        let answer = try await sender.observed(
            server.request(.put, body: try .file(file.url), options: RequestOptions { steps.append($0) })
        ).value
        #expect(answer.data == Data("ok".utf8))
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Length"] == "\(bytes.count)")
        #expect(request.bodyChecksum == checksum.finalize())
        #expect(steps.values.last?.sent == Int64(bytes.count))
    }

    @Test func aLargeFileThatChangedItsSizeIsAnError() async throws {
        let server = try LoopbackServer()
        let sender = try UrlSessionRequestSender()
        let file = try TemporaryFile(Data(count: 2 << 20))
        let body = try RequestBody.file(file.url)
        try Data(count: 3 << 20).write(to: file.url)
        let error = await sender.error(server.request(.put, body: body))
        #expect(error?.code == .uploadFailed)
        #expect(error?.wasProcessed == .no)
        #expect(server.counts.requests == 0)
    }

    @Test func aFileOfAStreamIsGoneWhenTheRequestIs() async throws {
        let folder = FileManager.default.temporaryDirectory.path
        func spooled() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".body") })
        }
        let before = try spooled()
        let server = try LoopbackServer()
        server.on(.put, "/", respond: .text("ok"))
        let sender = try UrlSessionRequestSender()
        let request = server.request(.put, body: .stream(ByteStream(Data(count: 3 << 20))))
        #expect(try await sender.observed(request).value.data == Data("ok".utf8))
        #expect(server.requests.first?.bodyLength == 3 << 20)
        try await eventually("the temporary file is removed") { try spooled().subtracting(before).isEmpty }
    }

    @Test func aRequestWhoseStreamIsStillReadIsOneInProgress() async throws {
        let server = try LoopbackServer()
        server.on(.put, "/", respond: .text("ok"))
        let (pieces, piece) = AsyncStream<Data>.makeStream()
        let sender = try UrlSessionRequestSender()
        let observer = sender.observed(server.request(.put, body: .stream(pieces)))
        async let drained: Void = sender.shutdown(drain: .seconds(30))
        // Later requests fail, this one completes.
        await eventually("the sender is shut down") {
            sender.observed(server.request(.get, "/refused")).outcome?.error != nil
        }
        piece.yield(Data("one".utf8))
        piece.finish()
        #expect(try await observer.value.data == Data("ok".utf8))
        await drained
    }

    @Test func aClosedSenderEndsTheReadingOfAStream() async throws {
        let server = try LoopbackServer()
        let (events, event) = AsyncStream<String>.makeStream()
        let pieces = AsyncStream<Data> {
            event.yield("asked")
            // Until it is canceled.
            try? await Task.sleep(for: .seconds(60))
            event.yield("ended")
            return nil
        }
        let sender = try UrlSessionRequestSender()
        let observer = sender.observed(server.request(.put, body: .stream(pieces)))
        for await event in events {
            if event == "asked" { sender.close() } else { break }
        }
        let error = observer.outcome?.error as? TransportError
        #expect(error?.code == .senderClosed)
        #expect(error?.wasProcessed == .no)
        #expect(server.counts.requests == 0)
    }
}
