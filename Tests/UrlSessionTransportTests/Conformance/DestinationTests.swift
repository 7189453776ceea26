import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the body of a response goes: into a file, or a stream.
@Suite(.timeLimit(.minutes(1)))
struct DestinationTests {
    private let server: LoopbackServer
    /// A folder for the test, with the file `new` in it.
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "netchain-\(UInt64.random(in: 0 ... .max))")
    private let block = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    init() throws {
        server = try LoopbackServer()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var file: URL { folder.appending(path: "new") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func toFile(_ path: String = "/", _ method: HttpMethod = .get) -> HttpRequest {
        server.request(method, path, options: RequestOptions(destination: .file(file)))
    }

    private func toStream(_ path: String = "/") -> HttpRequest {
        server.request(.get, path, options: RequestOptions(destination: .stream))
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamOfNoBytesIsNotIterated(kind: SenderKind) async throws {
        server.on(.put, "/") { .text($0.headers["Content-Length"] ?? "none") }
        let asked = Recorder<Bool>()
        let endless = AsyncStream<Data> {
            asked.append(true)
            return Data()
        }
        let request = server.request(.put, body: .stream(endless, length: 0))
        #expect(try await kind.sender().observed(request).value.data == Data("0".utf8))
        #expect(asked.values.isEmpty)
    }

    /// Sums up a stream, and what ended it.
    private func read(_ stream: ByteStream, pause: Duration = .zero) async -> (checksum: Int, error: (any Error)?) {
        var checksum = Hasher()
        do {
            for try await piece in stream {
                piece.withUnsafeBytes { checksum.combine(bytes: $0) }
                if pause > .zero { try await Task.sleep(for: pause) }
            }
            return (checksum.finalize(), nil)
        } catch {
            return (checksum.finalize(), error)
        }
    }

    private func checksum(_ blocks: Int) -> Int {
        var checksum = Hasher()
        for _ in 0..<blocks { block.withUnsafeBytes { checksum.combine(bytes: $0) } }
        return checksum.finalize()
    }

    // MARK: Files

    @Test(arguments: SenderKind.allCases)
    func aFileHasTheBodyAndReplacesTheOldOne(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: file)
        server.on(.get, "/", respond: .repeating(block, length: 320 << 16))
        let progress = Recorder<TransferProgress>()
        let sender = try kind.sender { $0.limits.responseSize = 1000 }
        let request = server.request(
            options: RequestOptions(destination: .file(file), onProgress: { progress.append($0) }))
        let response = try await sender.observed(request).value
        #expect(response.file == file && response.data.isEmpty && response.status == 200)
        let content = try Data(contentsOf: file)
        var sum = Hasher()
        content.withUnsafeBytes { sum.combine(bytes: $0) }
        #expect(content.count == 320 << 16 && sum.finalize() == checksum(320))
        #expect(try names() == ["new"])
        #expect(progress.values.last?.received == 320 << 16)
    }

    @Test(arguments: SenderKind.allCases)
    func anEmptyBodyIsAnEmptyFileAndNoContentIsNone(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.on(.get, "/empty", respond: .text(""))
        server.on(.any, "/none", respond: .status(204))
        let sender = try kind.sender()
        #expect(try await sender.observed(toFile("/none")).value.file == nil)
        #expect(try names() == [])
        #expect(try await sender.observed(toFile("/empty")).value.file == file)
        #expect(try Data(contentsOf: file).isEmpty)
    }

    @Test(arguments: SenderKind.allCases)
    func aRejectionStaysInMemory(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.on(.get, "/", respond: .text("no such film", status: 404))
        let sender = try kind.sender()
        for request in [toFile(), toStream()] {
            let response = try await sender.observed(request).value
            #expect(response.text == "no such film" && response.file == nil && response.bytes == nil)
        }
        #expect(try names() == [])
    }

    @Test(arguments: SenderKind.allCases)
    func aRedirectLeadsToTheFile(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.on(.get, "/", respond: .redirect(to: "/film"))
        server.on(.get, "/film", respond: .text("film"))
        let response = try await kind.sender().observed(toFile()).value
        #expect(response.url.path == "/film" && response.file == file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "film")
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyThatBreaksOffLeavesTheOldFile(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: file)
        server.on(.get, "/", respond: .repeating(block, length: 1 << 20).closing(afterBytes: 300_000))
        #expect(try await kind.sender().failure(toFile()) == .truncatedResponse)
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
        #expect(try names() == ["new"])
    }

    @Test(arguments: SenderKind.allCases)
    func aPlaceThatCannotBeWrittenToIsAnErrorBeforeAnythingIsSent(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let nowhere = folder.appending(path: "missing/new")
        let request = server.request(options: RequestOptions(destination: .file(nowhere)))
        let error = await (try kind.sender()).error(request)
        #expect(error?.code == .destinationFailed)
        #expect(error?.wasProcessed == .no)
        #expect(error?.reason.contains(folder.appending(path: "missing").path) == true)
        #expect(server.counts.requests == 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aCanceledDownloadLeavesNothing(kind: SenderKind) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        server.on(.get, "/", respond: .repeating(block, length: 1 << 20).stalling(afterBytes: 300_000))
        let (steps, step) = AsyncStream<Void>.makeStream()
        let request = server.request(
            options: RequestOptions(destination: .file(file), onProgress: { if $0.received > 0 { step.yield() } }))
        let sender = try kind.sender()
        let observer = sender.observed(request)
        for await _ in steps { break }
        observer.cancel()
        try await eventually("the unfinished file is removed") { try names().isEmpty }
        #expect(observer.outcome?.isCanceled == true)
    }

    // MARK: Streams

    @Test(arguments: SenderKind.allCases, [Duration.zero, .milliseconds(1)])
    func aStreamBringsTheBodyAsItIsRead(kind: SenderKind, pause: Duration) async throws {
        server.on(.get, "/", respond: .repeating(block, length: 160 << 16))
        let sender = try kind.sender { $0.limits.responseSize = 1000 }
        let response = try await sender.observed(toStream()).value
        #expect(response.status == 200 && response.data.isEmpty)
        let (sum, error) = await read(try #require(response.bytes), pause: pause)
        #expect(error == nil && sum == checksum(160))
    }

    @Test(arguments: SenderKind.allCases)
    func theRequestCompletesWithTheHead(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .text("begin and end").stalling(afterBytes: 80))
        let sender = try kind.sender()
        let response = try await sender.observed(toStream()).value
        #expect(response.status == 200)
        sender.close()
        let (_, error) = await read(try #require(response.bytes))
        #expect((error as? TransportError)?.code == .senderClosed)
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamThatBreaksOffThrowsAfterThePiecesThatCame(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .repeating(block, length: 1 << 20).closing(afterBytes: 300_000))
        let sender = try kind.sender()
        let stream = try #require(try await sender.observed(toStream()).value.bytes)
        var count = 0
        let error = await thrown(TransportError.self) { for try await piece in stream { count += piece.count } }
        #expect(error?.code == .truncatedResponse)
        #expect((250_000...300_000).contains(count))
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamIsHeldToTheTimeOfTheRequest(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .text("begin and end").stalling(afterBytes: 80))
        let sender = try kind.sender()
        var options = RequestOptions(destination: .stream)
        options.timeout = .milliseconds(300)
        let response = try await sender.observed(server.request(options: options)).value
        let (_, error) = await read(try #require(response.bytes))
        #expect((error as? TransportError)?.code == .requestTimedOut)
    }

    @Test(arguments: SenderKind.allCases)
    func aReleasedStreamEndsTheTransfer(kind: SenderKind) async throws {
        server.on(.get, "/", respond: .repeating(block, length: 1 << 20).stalling(afterBytes: 300_000))
        let sender = try kind.sender()
        do {
            let stream = try #require(try await sender.observed(toStream()).value.bytes)
            for try await _ in stream { break }
        }
        await eventually("the connection is closed") { server.counts.connectionsOpen == 0 }
        withExtendedLifetime(sender) {}
    }

    // MARK: Bodies of requests

    private struct Broken: Error {}

    @Test(arguments: SenderKind.allCases, [nil, 9] as [Int64?])
    func aStreamIsABody(kind: SenderKind, length: Int64?) async throws {
        server.on(.put, "/", respond: .text("ok"))
        let pieces = AsyncStream { continuation in
            for piece in ["one", "two", "six"] { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
        let request = server.request(.put, body: .stream(pieces, length: length))
        let sender = try kind.sender()
        #expect(try await sender.observed(request).value.text == "ok")
        #expect(server.requests.first?.text == "onetwosix")
        #expect(await sender.failure(request) == .bodyAlreadySent)
    }

    @Test(arguments: SenderKind.allCases)
    func aStreamThatThrowsOrHasAnotherLengthFailsTheRequest(kind: SenderKind) async throws {
        server.on(.put, "/", respond: .text("ok"))
        let sender = try kind.sender()
        let broken = AsyncThrowingStream { continuation in
            continuation.yield(Data("one".utf8))
            continuation.finish(throwing: Broken())
        }
        let error = await sender.error(server.request(.put, body: .stream(broken)))
        #expect(error?.code == .uploadFailed && error?.cause is Broken)
        for length in [2, 4] as [Int64] {
            let body = RequestBody.stream(ByteStream(Data("one".utf8)), length: length)
            #expect(await sender.failure(server.request(.put, body: body)) == .bodyLengthMismatch)
        }
        #expect(server.counts.requests == 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aCancelEndsTheSequence(kind: SenderKind) async throws {
        let (events, event) = AsyncStream<String>.makeStream()
        let pieces = AsyncStream<Data> {
            event.yield("asked")
            // Until it is canceled.
            try? await Task.sleep(for: .seconds(60))
            event.yield("ended")
            return nil
        }
        let sender = try kind.sender()
        let observer = sender.observed(server.request(.put, body: .stream(pieces)))
        for await event in events {
            if event == "asked" { observer.cancel() } else { break }
        }
        #expect(observer.outcome?.isCanceled == true)
    }
}
