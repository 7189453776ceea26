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

    // MARK: The head of a proxy's response to CONNECT, which FoundationNetworking reports, too

    private func head(_ status: Int, _ fields: [String: String] = [:], _ url: URL) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
    }

    @Test(arguments: [[:], ["Content-Type": "text/plain", "Content-Length": "9"]])
    func anErrorAfterTheHeadOfAProxyLeavesTheFile(fields: [String: String]) async throws {
        let file = try folder.file("film", "old".utf8)
        let transfer = transfer(to: .file(file))
        let observer = transfer.context.observer
        transfer.openDestination(try head(200, fields, url))
        let missing = try head(404, [:], url)
        transfer.openDestination(missing)
        try transfer.receive(Data("no such film".utf8), limit: 100)
        transfer.complete(.success(try transfer.response(missing))) {}
        let response = try await observer.value
        #expect(response.file == nil && response.status == 404 && response.data == Data("no such film".utf8))
        #expect(try String(contentsOf: file, encoding: .utf8) == "old")
    }

    #if canImport(FoundationNetworking)
    @Test func aStreamWaitsForTheHeadAfterThatOfAProxy() async throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        for (status, fields) in [(200, ["Content-Type": "text/plain"]), (200, [:]), (404, ["X-A": "1"])] {
            let transfer = SessionTransfer(
                HttpRequest(method: .get, url: url, options: RequestOptions(destination: .stream)))
            let observer = transfer.context.observer
            transfer.openDestination(try head(200, ["Via": "proxy"], url))
            #expect(observer.outcome == nil && !transfer.hasDestination)
            let last = try head(status, fields, url)
            transfer.openDestination(last)
            try transfer.receive(Data("body".utf8), limit: 100)
            transfer.complete(.success(try transfer.response(last))) {}
            let response = try await observer.value
            #expect(response.status == status && response.headers["Via"] == nil)
            #expect((response.bytes == nil) == (status == 404))
            var data = response.data
            if let bytes = response.bytes { for try await piece in bytes { data += piece } }
            #expect(data == Data("body".utf8))
        }
    }

    @Test func aStreamWithoutABodyStartsAtItsEnd() async throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let transfer = SessionTransfer(
            HttpRequest(method: .get, url: url, options: RequestOptions(destination: .stream)))
        let observer = transfer.context.observer
        let head = try head(200, [:], url)
        transfer.openDestination(head)
        transfer.complete(.success(try transfer.response(head))) {}
        let stream = try #require(try await observer.value.bytes)
        for try await _ in stream { Issue.record("there is a piece") }
    }

    /// The server has got nothing.
    @Test(arguments: [
        ("SSL certificate problem: unable to get local issuer certificate", TransportError.Code.certificateRejected),
        ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to h:443", .connectionLost),
        ("Recv failure: Connection reset by peer", .connectionLost),
    ])
    func aHandshakeThatFailsInTheTunnelTruncatesNoResponse(words: String, code: TransportError.Code) throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let transfer = SessionTransfer(HttpRequest(method: .get, url: url))
        let failure = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: words])
        #expect(transfer.error(failure, after: try head(200, [:], url)).code == code)
    }
    #endif

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
