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

/// Chains whose answer goes to a file or a stream, over the real sender. The default one on Apple platforms has answers
/// in memory only.
struct BigBodyChainTests {
    private let server: LoopbackServer
    private let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let folder: TestFolder
    private var file: URL { folder.place() }

    init() throws {
        folder = try TestFolder()
        server = try LoopbackServer()
    }

    private func builder(_ method: HttpMethod, _ path: String = "/") -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(method, server.url(path)).quiet()
    }

    #if os(Linux)
    @Test func aDownloadIsInItsFileByteForByte() async throws {
        server.on(.get, "/", respond: .data(bytes))
        server.on(.post, "/", respond: .data(bytes))
        #expect(try await builder(.get).download(to: file).execute().value == file)
        #expect(try Data(contentsOf: file) == bytes)
        let withInput: Node<User, ApiResponse<URL>> = builder(.post).download(to: file)
        #expect(try await withInput.execute(User(id: 1, name: "Ann")).value == file)
        #expect(try Json(parsing: server.requests[1].body) == ["id": 1, "name": "Ann"])
    }

    @Test func aRetryGoesOnWhereTheDownloadBrokeOff() async throws {
        let whole = bytes
        server.on(.get, "/") { request in
            guard let range = request.headers["Range"], let start = Int(range.filter(\.isNumber)) else {
                return .data(whole).header("ETag", "\"one\"").closing(afterBytes: 200_000)
            }
            return .data(whole[start...], status: 206)
                .header("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")
        }
        let chain = builder(.get).retry(.constant(.zero)).download(to: file, resuming: true)
        #expect(try await chain.execute().value == file)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(server.requests.count == 2)
    }

    /// Serves ranges, and cuts each response after some bytes.
    private func serveCut(after count: Int, hasRanges: Bool = true, tag: String? = "\"one\"") {
        let whole = bytes
        server.on(.get, "/") { request in
            let start = hasRanges ? request.headers["Range"].flatMap { Int($0.filter(\.isNumber)) } ?? 0 : 0
            var response = LoopbackResponse.data(whole[start...], status: start > 0 ? 206 : 200)
            if start > 0 {
                response = response.header("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)")
            }
            if let tag { response = response.header("ETag", tag) }
            return response.closing(afterBytes: count)
        }
    }

    @Test func attemptsOfADownloadThatProgressAreNotCounted() async throws {
        serveCut(after: 30_000)
        let chain = builder(.get).retry(.constant(.zero, maxAttempts: 2)).download(to: file, resuming: true)
        #expect(try await chain.execute().value == file)
        #expect(try Data(contentsOf: file) == bytes)
        #expect(server.requests.count > 10)
    }

    @Test func aPartThatTheServerSendsWholeIsNotTheLastAttempt() async throws {
        let whole = bytes
        server.on(.get, "/") { request in
            // At most so many bytes of a range, as some servers do.
            let start = request.headers["Range"].flatMap { Int($0.filter(\.isNumber)) } ?? 0
            guard start > 0 else { return .data(whole).header("ETag", "\"one\"").closing(afterBytes: 100_000) }
            let end = min(start + 50_000, whole.count)
            return .data(whole[start..<end], status: 206)
                .header("Content-Range", "bytes \(start)-\(end - 1)/\(whole.count)")
        }
        let chain = builder(.get).retry(.constant(.zero, maxAttempts: 2)).download(to: file, resuming: true)
        #expect(try await chain.execute().value == file)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test(arguments: [(false, "\"one\""), (true, nil)] as [(Bool, String?)])
    func attemptsThatStartAgainAreCounted(hasRanges: Bool, tag: String?) async throws {
        serveCut(after: 100_000, hasRanges: hasRanges, tag: tag)
        let chain = builder(.get).retry(.constant(.zero, maxAttempts: 3)).download(to: file, resuming: true)
        let error = await thrown(TransportError.self) { try await chain.execute() }
        #expect(error?.code == .truncatedResponse)
        #expect(server.requests.count == 3)
    }

    @Test func attemptsThatReceiveNothingMoreAreCounted() async throws {
        let whole = bytes
        let isCut = Mutex(true)
        server.on(.get, "/") { request in
            if isCut.withLock({ $0 }) {
                isCut.withLock { $0 = false }
                return .data(whole).header("ETag", "\"one\"").closing(afterBytes: 100_000)
            }
            return .status(503)
        }
        let chain = builder(.get).retry(.constant(.zero, maxAttempts: 3)).download(to: file, resuming: true)
        #expect(await thrown(HttpError.self) { try await chain.execute() }?.status == 503)
        #expect(server.requests.count == 3)
    }

    @Test func theTimeLimitHoldsForADownloadThatProgresses() async throws {
        serveCut(after: 30_000)
        let chain = builder(.get).retry(.constant(.milliseconds(50), maxAttempts: 2, timeLimit: .milliseconds(120)))
            .download(to: file, resuming: true)
        #expect(await thrown(TransportError.self) { try await chain.execute() }?.code == .truncatedResponse)
        #expect(server.requests.count <= 3)
    }

    @Test func progressOfADownloadIsTold() async throws {
        server.on(.get, "/", respond: .data(bytes))
        let last = Mutex<TransferProgress?>(nil)
        _ = try await builder(.get).download(to: file) { step in last.withLock { $0 = step } }.execute()
        #expect(last.withLock { $0?.received } == 300_000)
        #expect(last.withLock { $0?.totalToReceive } == 300_000)
    }

    @Test func aRefusalIsNoFileAndKeepsItsBody() async throws {
        server.on(.get, "/", respond: .text("no such file", status: 404))
        let error = await thrown(HttpError.self) { try await builder(.get).download(to: file).execute() }
        #expect(error?.response.status == 404)
        #expect(error?.response.data == Data("no such file".utf8))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        await #expect(throws: HttpError.self) { _ = try await builder(.get).stream().execute() }
    }

    @Test func aStreamBringsTheBody() async throws {
        server.on(.get, "/", respond: .data(bytes))
        var received = Data()
        for try await chunk in try await builder(.get).stream().execute().value { received.append(chunk) }
        #expect(received == bytes)
    }
    #endif

    @Test func aScriptedSenderAnswersIntoAFileAndAStreamToo() async throws {
        let sender = ScriptedRequestSender { $0.respond(status: 200, json: #"{"a": 1}"#) }
        #expect(try await builder(.get).sender(sender).download(to: file).execute().value == file)
        #expect(try Data(contentsOf: file) == Data(#"{"a": 1}"#.utf8))
        var received = Data()
        for try await chunk in try await builder(.get).sender(sender).stream().execute().value {
            received.append(chunk)
        }
        #expect(received == Data(#"{"a": 1}"#.utf8))
    }
}
