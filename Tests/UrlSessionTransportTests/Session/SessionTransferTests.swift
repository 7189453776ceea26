import Dispatch
import Foundation
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
import UrlTransport

@testable import UrlSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transfer without a session.
@Suite(.timeLimit(.minutes(1)))
struct SessionTransferTests {
    private let folder: TestFolder
    private let url: URL
    private let head: HTTPURLResponse

    init() throws {
        folder = try TestFolder()
        url = try #require(URL(string: "http://127.0.0.1/"))
        head = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil))
    }

    private func transfer(_ body: RequestBody = .empty, to destination: BodyDestination = .memory) -> SessionTransfer {
        SessionTransfer(
            HttpRequest(method: .put, url: url, body: body, options: RequestOptions(destination: destination)))
    }

    @Test func theMetricsHaveTheBytesThatWereSent() throws {
        let transfer = transfer(.data(Data(count: 10)))
        transfer.tellProgress(sent: 4)
        #expect(try transfer.response(head).metrics.bytesSent == 4)
    }

    @Test func aFileWithItsWholeBodyIsCompletedWhateverFails() async throws {
        let file = folder.place()
        let transfer = transfer(to: .file(file))
        let observer = transfer.context.observer
        transfer.openDestination(head)
        try transfer.receive(Data("film".utf8), limit: 0)
        let hasFailed = DispatchSemaphore(value: 0)
        transfer.complete(.success(try transfer.response(head))) { hasFailed.wait() }
        transfer.fail(.senderClosed, "the sender was closed")
        hasFailed.signal()
        #expect(try await observer.value.file == file)
        #expect(try String(contentsOf: file, encoding: .utf8) == "film")
    }

    @Test func aCanceledRequestIsCanceledWhileItsFileIsCompleted() throws {
        let transfer = transfer(to: .file(folder.place()))
        let observer = transfer.context.observer
        transfer.openDestination(head)
        let isCanceled = DispatchSemaphore(value: 0)
        transfer.complete(.success(try transfer.response(head))) { isCanceled.wait() }
        observer.cancel()
        isCanceled.signal()
        #expect(observer.outcome?.isCanceled == true)
    }

    // MARK: Several heads, as of multipart/x-mixed-replace

    @Test func aSecondHeadFailsAStream() async throws {
        let transfer = transfer(to: .stream)
        let observer = transfer.context.observer
        transfer.openDestination(head)
        let stream = try #require(try await observer.value.bytes)
        transfer.openDestination(head)
        let error = await thrown(TransportError.self) { for try await _ in stream {} }
        #expect(error?.code == .invalidResponse)
    }

    @Test func aSecondHeadAfterBytesOfTheBodyFailsTheRequest() throws {
        for destination in [BodyDestination.memory, .file(folder.place())] {
            let transfer = transfer(to: destination)
            let observer = transfer.context.observer
            transfer.openDestination(head)
            try transfer.receive(Data("part".utf8), limit: 100)
            transfer.openDestination(head)
            #expect((observer.outcome?.error as? TransportError)?.code == .invalidResponse)
        }
    }

    @Test func theHeadOfAProxyPrecedesThatOfTheResponse() throws {
        let transfer = transfer()
        let observer = transfer.context.observer
        transfer.openDestination(head)
        transfer.openDestination(head)
        try transfer.receive(Data("body".utf8), limit: 100)
        #expect(try transfer.response(head).data == Data("body".utf8))
        #expect(observer.outcome == nil)
    }
}
