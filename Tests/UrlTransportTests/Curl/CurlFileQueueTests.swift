#if os(Linux)
import Glibc
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests that wait: for their place at an origin, or for their file.
@Suite(.timeLimit(.minutes(1)))
struct CurlFileQueueTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
        folder = try TestFolder()
        file = folder.place("target.bin")
        server.on(.get, "/a", respond: .text("whole"))
        server.hold("/held")
    }

    private func options(_ timeout: Duration? = nil) -> RequestOptions {
        RequestOptions(timeout: timeout, destination: .file(file, resuming: true))
    }

    /// A sender whose only place at the server is taken until the exchange is responded to.
    private func busySender() async throws -> (CurlRequestSender, LoopbackExchange, Observer<HttpResponse>) {
        let busy = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let held = busy.send(.get, server.url("/held"))
        return (busy, try await server.nextRequest("/held"), held)
    }

    @Test func aCanceledDownloadThatWasQueuedLeavesItsFileToOtherSenders() async throws {
        let (busy, exchange, held) = try await busySender()
        let queued = busy.send(.get, server.url("/a"), options: options())
        // Another one that stays, so that the queue isn't empty after the cancel.
        let next = busy.send(.get, server.url("/a"))
        queued.cancel()
        let other = sender.send(.get, server.url("/a"), options: options())
        await eventually("the file is free") { other.outcome != nil }
        #expect(other.outcome?.value?.file == file)
        exchange.respond(.text("held"))
        #expect(try await held.value.text == "held")
        #expect(try await next.value.text == "whole")
        #expect(server.requestCount("/a") == 2)
    }

    @Test func aDownloadThatIsQueuedLeavesItsFileToOtherSenders() async throws {
        let (busy, exchange, held) = try await busySender()
        let queued = busy.send(.get, server.url("/a"), options: options())
        #expect(try await sender.send(.get, server.url("/a"), options: options()).value.file == file)
        exchange.respond(.text("held"))
        _ = try await held.value
        #expect(try await queued.value.file == file)
    }

    @Test func canceledRequestsThatWereQueuedReleaseTheirBodiesAtOnce() async throws {
        let (busy, exchange, held) = try await busySender()
        let count = 40
        let released = Mutex(0)
        var queued: [Observer<HttpResponse>] = []
        for _ in 0..<count {
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
            let body = Data(
                bytesNoCopy: bytes, count: 1 << 20,
                deallocator: .custom { bytes, _ in
                    bytes.deallocate()
                    released.withLock { $0 += 1 }
                })
            queued.append(busy.send(.post, server.url("/a"), body: .data(body)))
        }
        // One that stays, in their middle.
        queued.insert(busy.send(.get, server.url("/a")), at: count / 2)
        for (index, request) in queued.enumerated() where index != count / 2 { request.cancel() }
        await eventually("the bodies are released") { released.withLock { $0 } == count }
        exchange.respond(.text("held"))
        _ = try await held.value
        #expect(try await queued[count / 2].value.text == "whole")
        #expect(server.requestCount("/a") == 1)
    }

    // MARK: A file that hangs

    @Test func aDiskThatHangsWhileAFileIsOpenedHoldsUpNoOtherTransfer() async throws {
        let lease = try FileLease(at: folder.place("target.bin.partial"))
        let download = sender.send(.get, server.url("/a"), options: options())
        server.on(.get, "/other", respond: .text("other"))
        let other = sender.send(.get, server.url("/other"))
        await eventually("the other request completes") { other.outcome != nil }
        #expect(other.outcome?.value?.text == "other")
        #expect(download.outcome == nil)
        #expect(server.requestCount("/a") == 0)
        lease.end()
        #expect(try await download.value.file == file)
    }

    @Test func theTimeLimitHoldsWhileAFileIsOpened() async throws {
        let lease = try FileLease(at: folder.place("target.bin.partial"))
        let late = sender.send(.get, server.url("/a"), options: options(.milliseconds(100)))
        await eventually("the time limit has passed") { late.outcome != nil }
        let error = late.outcome?.error as? TransportError
        #expect(error?.code == .requestTimedOut)
        #expect(error?.reason.hasPrefix("the request took longer than its timeout, ") == true)
        #expect(error?.reason.hasSuffix(" seconds: it waited for its file") == true)
        // The next one waits for the file, and the one after that is the second at the same time.
        let next = sender.send(.get, server.url("/a"), options: options())
        let second = await sender.send(.get, server.url("/a"), options: options()).end()
        #expect((second.error as? TransportError)?.code == .destinationFailed)
        lease.end()
        #expect(try await next.value.file == file)
        #expect(server.requestCount("/a") == 1)
    }

    @Test func aCancelWhileAFileIsOpenedFreesThePlaceAtTheOrigin() async throws {
        let lease = try FileLease(at: folder.place("target.bin.partial"))
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let download = sender.send(.get, server.url("/a"), options: options())
        let other = sender.send(.get, server.url("/a"))
        // The sender has begun with the download when it has completed what came later.
        let elsewhere = try LoopbackServer()
        elsewhere.on(.get, "/", respond: .text("elsewhere"))
        #expect(try await sender.text(.get, elsewhere.url("/")) == "elsewhere")
        #expect(server.requestCount("/a") == 0)
        download.cancel()
        await eventually("the other request completes") { other.outcome != nil }
        #expect(other.outcome?.value?.text == "whole")
        lease.end()
        // Nothing is left, and the file can be used again.
        try await eventually("the file is closed") {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty
        }
        #expect(try await sender.send(.get, server.url("/a"), options: options()).value.file == file)
    }

    @Test func closingTheSenderWaitsForNoFileToOpen() async throws {
        let lease = try FileLease(at: folder.place("target.bin.partial"))
        let sender = try makeSender()
        let download = sender.send(.get, server.url("/a"), options: options())
        sender.close()
        await eventually("the download fails") { download.outcome != nil }
        #expect((download.outcome?.error as? TransportError)?.code == .senderClosed)
        lease.end()
        let other = try makeSender().send(.get, server.url("/a"), options: options())
        #expect(try await other.value.file == file)
    }

    // MARK: A file of a body that hangs

    /// A file with a lease, and a body that is this file.
    private func leasedBody(_ bytes: [UInt8]) throws -> (FileLease, RequestBody) {
        let source = try folder.file("source.bin", bytes)
        return (try FileLease(at: source), try .file(source))
    }

    private func expectOthersGoOn(sourceLocation: SourceLocation = #_sourceLocation) async {
        server.on(.get, "/other", respond: .text("other"))
        let other = sender.send(.get, server.url("/other"))
        await eventually("the other request completes") { other.outcome != nil }
        #expect(other.outcome?.value?.text == "other", sourceLocation: sourceLocation)
    }

    @Test func aDiskThatHangsWhileABodysFileIsOpenedHoldsUpNoOtherTransfer() async throws {
        let bytes = pattern(700_000)
        let (lease, body) = try leasedBody(bytes)
        server.on(.put, "/up", respond: .status(200))
        let upload = sender.send(.put, server.url("/up"), body: body)
        await expectOthersGoOn()
        #expect(upload.outcome == nil)
        #expect(server.counts.connectionsAccepted == 1)
        lease.end()
        #expect(try await upload.value.status == 200)
        #expect(server.requests("/up").last?.body == bytes)
    }

    @Test func aDiskThatHangsAfterARedirectHoldsUpNoOtherTransfer() async throws {
        let bytes = pattern(700_000)
        let source = try folder.file("source.bin", bytes)
        let lease = Mutex<FileLease?>(nil)
        server.on(.put, "/start") { _ in
            let new = try FileLease(at: source)
            lease.withLock { $0 = new }
            return .redirect(to: "/end", status: 307)
        }
        server.on(.put, "/end", respond: .status(200))
        // The limit for a server that is silent, which is none for a disk. Where all tests run, the first response may take
        // a second.
        let sender = try makeSender { $0.timeouts.stall = .seconds(3) }
        let upload = sender.send(.put, server.url("/start"), body: try .file(source))
        await eventually("the first hop is sent") { server.requestCount("/start") == 1 }
        await expectOthersGoOn()
        server.hold("/silent")
        try await sender.expectFailure(.stalled, server.url("/silent"))
        #expect(upload.outcome == nil)
        try #require(lease.withLock { $0 }).end()
        #expect(try await upload.value.status == 200)
        #expect(server.requests("/end").last?.body == bytes)
    }

    @Test func theTimeLimitHoldsWhileABodysFileIsOpened() async throws {
        let (lease, body) = try leasedBody([1, 2, 3])
        let late = sender.send(
            .put, server.url("/up"), body: body, options: RequestOptions(timeout: .milliseconds(100)))
        await eventually("the time limit has passed") { late.outcome != nil }
        let error = late.outcome?.error as? TransportError
        #expect(error?.code == .requestTimedOut)
        #expect(error?.reason.hasPrefix("the request took longer than its timeout, ") == true)
        #expect(error?.reason.hasSuffix(" seconds: it waited for its file") == true)
        lease.end()
    }

    @Test func aCancelWhileABodysFileIsOpenedFreesThePlaceAtTheOrigin() async throws {
        let (lease, body) = try leasedBody([1, 2, 3])
        let sender = try makeSender { $0.limits.requestsPerOrigin = 1 }
        let upload = sender.send(.put, server.url("/up"), body: body)
        let other = sender.send(.get, server.url("/a"))
        upload.cancel()
        await eventually("the other request completes") { other.outcome != nil }
        #expect(other.outcome?.value?.text == "whole")
        lease.end()
    }

    @Test func anUploadWhoseFileVanishedOpensNoConnection() async throws {
        let source = try folder.file("source.bin", [1])
        let body = try RequestBody.file(source)
        try FileManager.default.removeItem(at: source)
        let error = try await sender.expectFailure(.uploadFailed, .put, server.url("/up"), body: body)
        #expect(error.reason == "\(source.path) can't be opened: No such file or directory.")
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test func allFilesOfABodyAreCheckedBeforeAConnectionIsMade() async throws {
        let second = try folder.file("second.bin", [1])
        let body = RequestBody(segments: [.data(Data(pattern(1_000_000))), .file(second, size: 1)])
        try FileManager.default.removeItem(at: second)
        let error = try await sender.expectFailure(.uploadFailed, .put, server.url("/up"), body: body)
        #expect(error.reason == "\(second.path) can't be opened: No such file or directory.")
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test func theFilesOfABodyAreCheckedAgainAfterARedirect() async throws {
        let source = try folder.file("source.bin", [])
        server.on(.put, "/start") { [folder] _ in
            _ = try folder.file("source.bin", [1])
            return .redirect(to: "/end", status: 307)
        }
        let error = try await sender.expectFailure(
            .uploadFailed, .put, server.url("/start"), body: try .file(source))
        #expect(error.reason == "\(source.path) changed its size, 1 bytes now, 0 before.")
        #expect(server.requestCount("/end") == 0)
    }

    @Test func theFilesOfABodyAndOfItsDestinationAreMadeReady() async throws {
        let source = try folder.file("source.bin", pattern(300_000))
        server.on(.put, "/up") { .bytes($0.body) }
        let copy = sender.send(
            .put, server.url("/up"), body: try .file(source), options: RequestOptions(destination: .file(file)))
        #expect(try await copy.value.file == file)
        #expect(try Data(contentsOf: file) == Data(pattern(300_000)))
        let missing = RequestOptions(destination: .file(folder.place("none/target.bin")))
        let failed = await sender.send(.put, server.url("/up"), body: try .file(source), options: missing).end()
        #expect((failed.error as? TransportError)?.code == .destinationFailed)
    }

    @Test func aNoteThatIsAPipeIsNone() async throws {
        try #require(mkfifo(folder.place("target.bin.partial-info").path, 0o600) == 0)
        let download = sender.send(.get, server.url("/a"), options: options())
        await eventually("the download completes") { download.outcome != nil }
        #expect(download.outcome?.value?.file == file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["target.bin"])
    }
}
#endif
