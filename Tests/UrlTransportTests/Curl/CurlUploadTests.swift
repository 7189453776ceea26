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

struct CurlUploadTests {
    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/up", respond: .status(200))
        // On a busy machine the server may stop reading for longer than 20 s.
        sender = try makeSender { $0.connections.tcpUserTimeout = nil }
        folder = try TestFolder()
    }

    private func bytes(sending body: RequestBody) async throws -> [UInt8] {
        _ = try await sender.send(.put, server.url("/up"), body: body).value
        return try #require(server.requests.last).body
    }

    @Test func aBodyInMemoryArrivesWhole() async throws {
        let bytes = pattern(300_000)
        #expect(try await self.bytes(sending: .data(Data(bytes))) == bytes)
    }

    @Test func aSliceOfDataArrivesAsThatSlice() async throws {
        let bytes = pattern(1000)
        #expect(try await self.bytes(sending: .data(Data(bytes)[100..<200])) == Array(bytes[100..<200]))
    }

    @Test func aFileArrivesWhole() async throws {
        let bytes = pattern(300_000)
        #expect(try await self.bytes(sending: try .file(try folder.file("a", bytes))) == bytes)
    }

    @Test func anEmptyFileIsABodyOfNoBytes() async throws {
        #expect(try await bytes(sending: try .file(try folder.file("a", []))) == [])
        #expect(server.requests.last?.headers["Content-Length"] == "0")
    }

    @Test func aLinkToAFileIsSentAsTheFile() async throws {
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: try folder.file("a", Array("12345".utf8)))
        #expect(try await bytes(sending: try .file(link)) == Array("12345".utf8))
    }

    @Test func aFileThatVanishedIsAnError() async throws {
        let file = try folder.file("a", pattern(1000))
        let body = try RequestBody.file(file)
        try FileManager.default.removeItem(at: file)
        let error = try await sender.expectFailure(.uploadFailed, .post, server.url("/up"), body: body)
        #expect(error.reason == "\(file.path) can't be opened: No such file or directory.")
        #expect(server.requestCount("/up") == 0)
    }

    @Test(arguments: [999, 1, 0, 1001, 5000])
    func aFileThatChangedItsSizeBeforeItIsSentIsAnError(newSize: Int) async throws {
        let file = try folder.file("a", pattern(1000))
        let body = try RequestBody.file(file)
        _ = try folder.file("a", pattern(newSize))
        let error = try await sender.expectFailure(.uploadFailed, .post, server.url("/up"), body: body)
        #expect(error.reason == "\(file.path) changed its size, \(newSize) bytes now, 1000 before.")
        #expect(server.requestCount("/up") == 0)
    }

    @Test func anEmptyFileThatGrewIsAnErrorToo() async throws {
        let file = try folder.file("a", [])
        let body = try RequestBody.file(file)
        _ = try folder.file("a", [1])
        let error = try await sender.expectFailure(.uploadFailed, .post, server.url("/up"), body: body)
        #expect(error.reason == "\(file.path) changed its size, 1 bytes now, 0 before.")
    }

    @Test(arguments: [2_000_000, 9_000_000])
    func aFileThatChangesItsSizeWhileItIsSentIsAnError(newSize: Int) async throws {
        let file = try folder.file("a", pattern(8_000_000))
        let body = try RequestBody.file(file)
        server.whileReceiving(.put, "/up", .stopReading(afterBytes: 100_000))
        let answer = sender.send(.put, server.url("/up"), body: body)
        try await server.waitForReceivedBytes(100_000)
        truncate(file.path, newSize)
        server.resumeReading()
        let error = try #require(await answer.end().error as? TransportError)
        #expect(error.code == .uploadFailed)
        #expect(
            error.reason
                == (newSize < 8_000_000
                    ? "\(file.path) became shorter while it was sent."
                    : "\(file.path) changed its size, 9000000 bytes now, 8000000 before."))
        try await server.waitForIncompleteRequests(1)
    }

    @Test func anAnswerBeforeTheBodysEndIsTheAnswer() async throws {
        server.whileReceiving(.post, "/early", .answer(afterBytes: 1000, .text("too large", status: 413)))
        let response = try await sender.send(
            .post, server.url("/early"), body: .data(Data(count: 4_000_000))
        ).value
        #expect((response.status, response.text) == (413, "too large"))
    }

    @Test func aServerThatResetsWhileTheBodyIsSentIsALostConnection() async throws {
        server.whileReceiving(.post, "/up", .reset(afterBytes: 1000))
        let error = try await sender.expectFailure(
            .connectionLost, .post, server.url("/up"), body: .data(Data(count: 32_000_000)))
        let sent = try #require(error.metrics?.bytesSent)
        #expect(sent > 0 && error.reason.hasSuffix("; \(sent) of 32000000 bytes of the body were sent"))
    }

    @Test func progressIsToldWhileTheBodyIsSentAndAtTheEnd() async throws {
        server.hold("/slow")
        let steps = Gathered<TransferProgress>()
        let first = Context<TransferProgress>()
        server.whileReceiving(.post, "/slow", .stopReading(afterBytes: 1_000_000))
        // More than the system's buffers on both sides take.
        let size = 32_000_000
        let answer = sender.send(
            .post, server.url("/slow"), body: .data(Data(count: size)),
            options: RequestOptions { step in
                steps.append(step)
                if step.sent > 0 { first.emit(data: step) }
            })
        let early = try await first.observer.value
        #expect(early.sent < Int64(size))
        #expect(early.totalToSend == Int64(size))
        server.resumeReading()
        try await server.nextRequest("/slow").respond(.text("12345"))
        _ = try await answer.value
        #expect(
            steps.all.last
                == TransferProgress(
                    sent: Int64(size), totalToSend: Int64(size), received: 5, totalToReceive: 5))
        #expect(steps.all.map(\.sent) == steps.all.map(\.sent).sorted())
    }
}
#endif
