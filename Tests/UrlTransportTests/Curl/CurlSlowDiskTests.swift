#if os(Linux)
import Glibc
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

/// Downloads to a disk that takes nothing until the test reads from it.
@Suite(.timeLimit(.minutes(1)))
struct CurlSlowDiskTests {
    /// Far more than may wait to be written.
    private static let large = pattern(4_000_000)
    /// All of it fits in memory, so that the whole body comes.
    private static let small = pattern(300_000)

    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL
    private let pipe: NamedPipe

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
        folder = try TestFolder()
        file = folder.url.appending(path: "target.bin")
        pipe = try NamedPipe(at: folder.url.appending(path: "target.bin.partial"))
        server.on(.get, "/other", respond: .text("other"))
        server.on(.get, "/large", respond: .bytes(Self.large))
        server.on(.get, "/small", respond: .bytes(Self.small))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path) }
    }

    /// Begins a download, and comes back when so many bytes were received and no more can be written.
    private func load(
        _ path: String, by sender: CurlRequestSender? = nil, until count: Int
    ) async -> Observer<HttpResponse> {
        let (steps, step) = AsyncStream.makeStream(of: Int64.self)
        let options = RequestOptions(
            destination: .file(file, resuming: true), onProgress: { step.yield($0.received) })
        let download = (sender ?? self.sender).send(.get, server.url(path), options: options)
        for await received in steps where received >= count { break }
        await pipe.full()
        return download
    }

    private func expectOthersGoOn(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await sender.text(.get, server.url("/other")) == "other", sourceLocation: sourceLocation)
    }

    @Test func theMiddleOfADownloadHoldsUpNoOtherTransfer() async throws {
        let download = await load("/large", until: 100_000)
        try await expectOthersGoOn()
        #expect(download.outcome == nil)
        async let read = pipe.read(count: Self.large.count)
        #expect(try await download.value.file == file)
        #expect(await read == Self.large)
    }

    @Test func theEndOfADownloadHoldsUpNoOtherTransfer() async throws {
        let download = await load("/small", until: Self.small.count)
        try await expectOthersGoOn()
        // It's told when the file is whole, and not before.
        #expect(download.outcome == nil)
        #expect(try names == ["target.bin.partial"])
        async let read = pipe.read(count: Self.small.count)
        #expect(try await download.value.file == file)
        #expect(try names == ["target.bin"])
        #expect(await read == Self.small)
    }

    @Test(arguments: [("/large", 100_000), ("/small", small.count)])
    func aCancelHoldsUpNoOtherTransferAndLeavesNothing(path: String, count: Int) async throws {
        let download = await load(path, until: count)
        download.cancel()
        #expect(await download.end().isCanceled)
        try await expectOthersGoOn()
        #expect(try names == ["target.bin.partial"])
        _ = await pipe.read()
        try await eventually("the file is gone") { try names.isEmpty }
    }

    @Test func aFailureHoldsUpNoOtherTransferAndIsToldWhenTheFileIsGone() async throws {
        server.hold("/held")
        async let held = load("/held", until: 280_000)
        let exchange = try await server.nextRequest("/held")
        exchange.sendHead(headers: ["Content-Length": "300000"])
        exchange.sendBody(Array(Self.small[..<290_000]))
        let download = await held
        exchange.close()
        try await server.waitForConnections(open: 0)
        try await expectOthersGoOn()
        #expect(download.outcome == nil)
        async let read = pipe.read()
        let error = await download.end().error as? TransportError
        #expect(error?.code == .truncatedResponse)
        #expect(try names == [])
        // What had begun to be written; the rest is of no use to anybody.
        #expect(await read.count <= FileOutput.batch)
    }

    @Test func closingTheSenderWaitsForNoDisk() async throws {
        server.hold("/held")
        let held = sender.send(.get, server.url("/held"))
        _ = try await server.nextRequest("/held")
        let download = await load("/large", until: 100_000)
        sender.close()
        #expect((await held.end().error as? TransportError)?.code == .senderClosed)
        #expect(download.outcome == nil)
        async let read = pipe.read()
        let error = await download.end().error as? TransportError
        #expect(error?.code == .senderClosed)
        #expect(try names == [])
        _ = await read
    }

    @Test func whatOnlyHasToBeWrittenIsWholeAfterAClose() async throws {
        server.hold("/held")
        let held = sender.send(.get, server.url("/held"))
        _ = try await server.nextRequest("/held")
        let download = await load("/small", until: Self.small.count)
        try await expectOthersGoOn()
        sender.close()
        #expect((await held.end().error as? TransportError)?.code == .senderClosed)
        #expect(download.outcome == nil)
        async let read = pipe.read(count: Self.small.count)
        #expect(try await download.value.file == file)
        #expect(try names == ["target.bin"])
        #expect(await read == Self.small)
    }

    @Test func aDroppedSenderFinishesTheFileAndThoseThatWaitForItsPlace() async throws {
        let (download, next) = try await { () async throws -> (Observer<HttpResponse>, Observer<HttpResponse>) in
            let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
            let download = await load("/small", by: sender, until: Self.small.count)
            return (download, sender.send(.get, server.url("/other")))
        }()
        async let read = pipe.read(count: Self.small.count)
        #expect(try await download.value.file == file)
        #expect(try await next.value.text == "other")
        #expect(await read == Self.small)
        try await server.waitForConnections(open: 0)
    }

    /// However slow the disk is, no more bodies wait for it than requests may be in progress.
    @Test(arguments: [false, true])
    func aDownloadKeepsItsPlaceUntilItsFileIsWritten(isCancelled: Bool) async throws {
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let download = await load("/small", by: sender, until: Self.small.count)
        let next = sender.send(.get, server.url("/other"))
        let elsewhere = try LoopbackServer()
        elsewhere.on(.get, "/", respond: .text("elsewhere"))
        #expect(try await sender.text(.get, elsewhere.url("/")) == "elsewhere")
        if isCancelled { download.cancel() }
        #expect(try await sender.text(.get, elsewhere.url("/")) == "elsewhere")
        #expect(server.requestCount("/other") == 0)
        async let read = pipe.read(count: Self.small.count)
        #expect(try await next.value.text == "other")
        #expect(await download.end().isCanceled == isCancelled)
        _ = await read
    }

    @Test func afterACancelTheSameFileWaitsForTheDiskInsteadOfBeingRefused() async throws {
        let first = await load("/large", until: 100_000)
        first.cancel()
        let second = sender.send(
            .get, server.url("/small"), options: RequestOptions(destination: .file(file, resuming: true)))
        let third = sender.send(
            .get, server.url("/small"), options: RequestOptions(destination: .file(file, resuming: true)))
        third.cancel()
        try await expectOthersGoOn()
        #expect(second.outcome == nil)
        #expect(server.requestCount("/small") == 0)
        _ = await pipe.read()
        #expect(try await second.value.file == file)
        #expect(try Data(contentsOf: file) == Data(Self.small))
        #expect(try names == ["target.bin"])
    }
}
#endif
