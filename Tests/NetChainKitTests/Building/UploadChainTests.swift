import NetChainKit
import NetChainTestKit
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Chains that send a body which is no model, over the real sender.
struct UploadChainTests {
    private let server: LoopbackServer
    private let bytes = Data(repeating: 7, count: 300_000)

    init() throws {
        server = try LoopbackServer()
        server.on(.any, "/", respond: .json(#"{"townName": "Riga"}"#))
    }

    private func builder(_ method: HttpMethod = .put, _ path: String = "/") -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, server.url(path)).quiet()
    }

    private func stream() -> RequestBody {
        .stream(ByteStream(bytes), length: Int64(bytes.count))
    }

    @Test func aFileBytesAndAStreamGoOutAndAModelComesBack() async throws {
        let folder = try TestFolder()
        let file = try folder.file("body.bin", bytes)
        let chain: Node<RequestBody, Town> = builder().build()
        #expect(try await chain.execute(.file(file)) == Town(name: "Riga"))
        #expect(try await chain.execute(.data(bytes)) == Town(name: "Riga"))
        #expect(server.requests.map { Data($0.body) } == [bytes, bytes])
        #expect(
            server.requests.map { $0.headers["Content-Type"] } == [
                "application/octet-stream", "application/octet-stream",
            ])
        #if os(Linux)
        #expect(try await chain.execute(stream()) == Town(name: "Riga"))
        #expect(server.requests.last.map { Data($0.body) } == bytes)
        #endif
    }

    @Test func aPartOfAFileIsSentAgain() async throws {
        let folder = try TestFolder()
        let file = try folder.file("body.bin", Data("0123456789".utf8))
        server.on(.put, "/", inOrder: [.status(503), .close, .status(201)])
        let api = ApiClient(server.url) { $0.log.sink = .silent }
        let request = api.put("").retry(.constant(.zero)).body(try .file(file, range: 3..<7))
        #expect(try await request.send().status == 201)
        #expect(server.requests.map(\.text) == ["3456", "3456", "3456"])
    }

    @Test func anAnswerOfAnotherModelNamesTheRequest() async throws {
        let chain: Node<RequestBody, User> = builder(.put, "/?token=t").build()
        let error = await thrown(DecodingError.self) { try await chain.execute(.data(bytes)) }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "id")
        #expect(context.debugDescription.hasSuffix(" In the response to PUT \(server.url("/"))?token=***"))
    }

    @Test func theTypeIsTheFormsOrTheMetadatas() async throws {
        let chain: Node<RequestBody, Void> = builder().set(metadata: ["Content-Type": "image/png"]).build()
        try await chain.execute(.data(bytes))
        let own: Node<RequestBody, Void> = builder().set(metadata: ["content-type": "image/jpeg"]).build()
        try await own.execute(.data(bytes))
        #expect(server.requests.map { $0.headers.values(of: "Content-Type") } == [["image/png"], ["image/jpeg"]])
    }

    @Test func progressIsToldInBytes() async throws {
        let last = Mutex<TransferProgress?>(nil)
        let chain: Node<RequestBody, Void> = builder()
            .onProgress { step in last.withLock { $0 = step } }.build()
        try await chain.execute(.data(bytes))
        #expect(last.withLock { $0?.sent } == 300_000)
        #expect(last.withLock { $0?.totalToSend } == 300_000)
    }

    @Test func aRefusalIsAnHttpError() async throws {
        server.on(.put, "/", respond: .text("too large", status: 413))
        let chain: Node<RequestBody, Void> = builder().build()
        let error = await thrown(HttpError.self) { try await chain.execute(.data(bytes)) }
        #expect(error?.status == 413)
    }

    #if os(Linux)
    @Test func aStreamIsNotRetriedOnceItWasRead() async throws {
        server.on(.put, "/", inOrder: [.text("later", status: 503), .status(200)])
        let chain: Node<RequestBody, Void> = builder().retry(.constant(.zero)).build()
        let error = await thrown(HttpError.self) { try await chain.execute(stream()) }
        #expect(error?.status == 503)
        #expect(server.counts.requests == 1)
        server.on(.put, "/", inOrder: [.text("later", status: 503), .status(200)])
        try await chain.execute(.data(bytes))
        #expect(server.counts.requests == 3)
    }

    @Test func aReplayAfterARefreshTellsThatTheStreamIsGone() async throws {
        server.on(.put, "/", inOrder: [.status(401), .status(200)])
        let refresher = TokenRefresherNode(tokenRefreshChain: Refreshed())
        let chain: Node<RequestBody, Void> = builder().accessSafe(refresher).build()
        let error = await thrown(TransportError.self) { try await chain.execute(stream()) }
        #expect(error?.code == .bodyAlreadySent)
        #expect(server.counts.requests == 1)
    }
    #endif
}

private final class Refreshed: Node<Void, Void>, @unchecked Sendable {
    override func process(_ data: Void) -> Observer<Void> {
        .emit(data: ())
    }
}
