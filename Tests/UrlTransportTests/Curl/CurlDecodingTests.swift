#if os(Linux)
import NetChainTestKit
import NodeCore
import TestSupport
import Testing
@testable import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Compressed bodies on their way into memory, files and streams.
@Suite(.timeLimit(.minutes(1)))
struct CurlDecodingTests {
    enum Framing: CaseIterable, Sendable {
        case length, chunks, close

        func body(_ bytes: [UInt8]) -> LoopbackResponse.Body {
            switch self {
            case .length: .bytes(bytes)
            case .chunks: .chunks([Array(bytes.prefix(3)), Array(bytes.dropFirst(3))].filter { !$0.isEmpty })
            case .close: .untilClose(bytes)
            }
        }
    }

    private let server: LoopbackServer
    private let sender: CurlRequestSender
    private let folder: TestFolder
    private let file: URL
    private let text = Array("hello hello hello hello, and something that does not repeat".utf8)

    init() throws {
        server = try LoopbackServer()
        sender = try makeSender()
        folder = try TestFolder()
        file = folder.url.appending(path: "target.bin")
    }

    private func serve(_ name: String, _ body: LoopbackResponse.Body, status: Int = 200) -> URL {
        server.on(
            .any, "/x", respond: LoopbackResponse(status: status, headers: ["Content-Encoding": name], body: body))
        return server.url("/x")
    }

    private func options(_ destination: BodyDestination, timeout: Duration? = nil) -> RequestOptions {
        var options = RequestOptions(destination: destination)
        options.timeout = timeout
        return options
    }

    /// The answer's stream and what came of it until its end or its error.
    private func read(_ url: URL) async throws -> (body: [UInt8], error: TransportError?) {
        let stream = try #require(try await sender.send(.get, url, options: options(.stream)).value.bytes)
        var body: [UInt8] = []
        do {
            for try await chunk in stream { body += chunk }
        } catch let error as TransportError {
            return (body, error)
        }
        return (body, nil)
    }

    // MARK: Whole and cut

    @Test(arguments: Coding.allCases, Framing.allCases)
    func aWholeBodyArrives(coding: Coding, framing: Framing) async throws {
        let url = serve(coding.name, framing.body(try coding.compress(text)))
        let answer = try await sender.send(.get, url).value
        #expect(Array(answer.data) == text)
        #expect(answer.headers["Content-Encoding"] == coding.name)
        #expect(try answer.metrics.bytesReceived == Int64(coding.compress(text).count))
        _ = try await sender.send(.get, url, options: options(.file(file))).value
        #expect(try Array(Data(contentsOf: file)) == text)
        let (body, error) = try await read(url)
        #expect(body == text)
        #expect(error == nil)
    }

    @Test(arguments: Coding.allCases, Framing.allCases)
    func aBodyCutShortIsAnError(coding: Coding, framing: Framing) async throws {
        let bytes = try coding.compress(text)
        for cut in [1, 4, bytes.count / 2, bytes.count - 1] {
            let url = serve(coding.name, framing.body(bytes.dropLast(cut)))
            let error = try await sender.expectFailure(.truncatedResponse, url)
            #expect(error.reason == "the body ended inside its compressed data")
            try await sender.expectFailure(.truncatedResponse, url, options: options(.file(file)))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
            let (body, broken) = try await read(url)
            #expect(broken?.code == .truncatedResponse)
            #expect(text.starts(with: body))
        }
    }

    @Test func severalCodingsAreUndoneAndAnInnerCutIsSeen() async throws {
        let inner = try Coding.gzip.compress(text)
        let url = serve("gzip, br", .bytes(try Coding.br.compress(inner)))
        #expect(Array(try await sender.send(.get, url).value.data) == text)
        try await sender.expectFailure(
            .truncatedResponse, serve("gzip, br", .bytes(try Coding.br.compress(inner.dropLast()))))
    }

    @Test func aFailureStatusIsHeldToItToo() async throws {
        let bytes = try Coding.gzip.compress(text)
        let url = serve("gzip", .bytes(bytes), status: 404)
        #expect(Array(try await sender.send(.get, url, options: options(.stream)).value.data) == text)
        try await sender.expectFailure(.truncatedResponse, serve("gzip", .bytes(bytes.dropLast()), status: 404))
    }

    @Test(arguments: ["gzip", "br", "unheard-of"])
    func noBodyIsNotACutOne(name: String) async throws {
        let head = "Content-Encoding: \(name)\r\n\r\n"
        for (method, raw) in [
            (.head, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\(head)"),
            (.get, "HTTP/1.1 204 No Content\r\n\(head)"), (.get, "HTTP/1.1 304 Not Modified\r\n\(head)"),
            (.get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(head)"),
            (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(head)0\r\n\r\n"),
        ] as [(HttpMethod, String)] {
            server.on(.any, "/raw", respond: .raw(raw))
            let answer = try await sender.send(method, server.url("/raw")).value
            #expect(answer.data.isEmpty)
            #expect(answer.headers["Content-Encoding"] == name)
        }
    }

    @Test func bytesAfterTheCompressedDataAreAnError() async throws {
        let url = serve("gzip", .bytes(try Coding.gzip.compress(text) + Array("garbage".utf8)))
        try await sender.expectFailure(.invalidContentEncoding, url)
    }

    @Test func onlyTheFinalHeadTellsOfCodings() async throws {
        let head = "HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\nHTTP/1.1 200 OK\r\n"
        server.on(.get, "/raw", respond: .raw("\(head)Content-Length: 5\r\n\r\nplain"))
        #expect(try await sender.text(.get, server.url("/raw")) == "plain")
    }

    @Test func aTransferCodingThatNobodyAskedForIsAnError() async throws {
        let body = try Coding.gzip.compress(text)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"
        server.on(.get, "/raw", respond: .raw(Array(head.utf8) + body).closing())
        let error = try await sender.expectFailure(.invalidContentEncoding, server.url("/raw"))
        #expect(error.reason == "the body has an unsupported transfer coding: gzip")
    }

    @Test func compressionThatIsTurnedOffLeavesTheBodyAsItIs() async throws {
        let bytes = try Coding.gzip.compress(text)
        let url = serve("gzip", .bytes(bytes))
        #expect(Array(try await makeSender { $0.compression = false }.send(.get, url).value.data) == bytes)
        let own: HttpHeaders = ["Accept-Encoding": "gzip"]
        #expect(Array(try await sender.send(.get, url, headers: own).value.data) == text)
    }

    // MARK: Bombs

    @Test func aBodyMayBecomeAsLargeAsTheLimitAndNoLarger() async throws {
        let sender = try makeSender { $0.limits.responseSize = 200_000 }
        for coding in Coding.allCases where coding != .br {
            let fits = try coding.compress([UInt8](repeating: 7, count: 200_000))
            #expect(try await sender.send(.get, serve(coding.name, .bytes(fits))).value.data.count == 200_000)
            let larger = try coding.compress([UInt8](repeating: 7, count: 200_001))
            let error = try await sender.expectFailure(.responseTooLarge, serve(coding.name, .bytes(larger)))
            #expect(error.reason == "the body is larger than limits.responseSize, 200000 bytes")
        }
    }

    @Test func compressedDataThatBecomesNothingMeetsTheLimitToo() async throws {
        let sender = try makeSender { $0.limits.responseSize = 1 << 20 }
        let empty = (0..<500).map { _ in Coding.gzip }.flatMap { (try? $0.compress([])) ?? [] }
        try await sender.expectFailure(.responseTooLarge, serve("gzip", .endlessChunks(empty)))
    }

    @Test func whatBecomesNothingBetweenTwoCodingsMeetsTheLimitToo() async throws {
        let members = try Array(repeating: Coding.gzip.compress([]), count: 800_000).flatMap { $0 }
        let body = try Coding.zstd.compress(members)
        let sender = try makeSender { $0.limits.responseSize = 8 << 20 }
        let error = try await sender.expectFailure(.responseTooLarge, serve("gzip, zstd", .bytes(body)))
        #expect(error.reason == "the body is larger than limits.responseSize, 8388608 bytes")
        let patient = try makeSender()
        #expect(try await patient.send(.get, serve("gzip, zstd", .bytes(body))).value.data.isEmpty)
    }

    #if compiler(>=6.2)  // Exit tests.
    @Test func aBombMeetsItsLimitInBoundedMemory() async throws {
        // In a process of its own: other tests take memory at the same time.
        await #expect(processExitsWith: .success) {
            let tests = try CurlDecodingTests()
            let sender = try makeSender { $0.limits.responseSize = 1 << 20 }
            _ = try await sender.send(.get, tests.serve("br", .bytes(try Coding.br.compress(tests.text)))).value
            let before = residentKilobytes()
            for (name, body) in [("br", .bytes(Bomb.brotli)), try tests.endlessBomb()] {
                try await sender.expectFailure(.responseTooLarge, tests.serve(name, body))
            }
            expectGrowth(since: before, below: 32 << 10)
        }
    }
    #endif

    /// 32 GiB of zeros in some hundreds of bytes.
    private func endlessBomb() throws -> (name: String, body: LoopbackResponse.Body) {
        let bytes = try Coding.gzip.compress(Coding.gzip.compress(Bomb.zstandard(blocks: 262_144)))
        #expect(bytes.count < 4000)
        return ("zstd, gzip, gzip", .bytes(bytes))
    }

    @Test func aBombKeepsNobodyElseWaiting() async throws {
        let bomb = try endlessBomb()
        server.on(.get, "/other", respond: .text("ok"))
        let answer = sender.send(.get, serve(bomb.name, bomb.body), options: options(.file(file)))
        await eventually("the bomb is asked for") { server.requestCount("/x") == 1 }
        for _ in 0..<3 { #expect(try await sender.text(.get, server.url("/other")) == "ok") }
        answer.cancel()
        #expect(await answer.end().isCanceled)
    }

    /// libcurl has completed the transfer long before its body is decoded.
    @Test func aConnectionIsUsedAgainWhileTheBodyOfItsLastResponseIsDecoded() async throws {
        let bomb = try endlessBomb()
        server.on(.get, "/other", respond: .text("ok"))
        // The server sends head and body at once, and nobody reads the stream.
        let response = try await sender.send(.get, serve(bomb.name, bomb.body), options: options(.stream)).value
        for _ in 0..<3 { #expect(try await sender.text(.get, server.url("/other")) == "ok") }
        #expect(server.counts.connectionsAccepted == 1)
        withExtendedLifetime(response) {}
    }

    @Test func aBombMeetsTheTimeLimit() async throws {
        let bomb = try endlessBomb()
        let sender = try makeSender { $0.limits.responseSize = .max }
        try await sender.expectFailure(
            .requestTimedOut, serve(bomb.name, bomb.body), options: options(.file(file), timeout: .milliseconds(300)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }

    // MARK: Streams

    #if compiler(>=6.2)  // Exit tests.
    @Test func aBombWaitsWhileNobodyReads() async throws {
        await #expect(processExitsWith: .success) {
            let tests = try CurlDecodingTests()
            let (name, body) = try tests.endlessBomb()
            tests.server.on(.get, "/other", respond: .text("ok"))
            _ = try await tests.sender.text(.get, tests.server.url("/other"))
            let before = residentKilobytes()
            do {
                let answer = tests.sender.send(.get, tests.serve(name, body), options: tests.options(.stream))
                let stream = try #require(try await answer.value.bytes)
                for _ in 0..<200 { _ = try await tests.sender.text(.get, tests.server.url("/other")) }
                var count = 0
                for try await chunk in stream {
                    count += chunk.count
                    if count > 64 << 20 { break }
                }
            }
            expectGrowth(since: before, below: 32 << 10)
        }
    }
    #endif

    @Test(arguments: Coding.allCases)
    func aStreamThatWaitsLosesNothing(coding: Coding) async throws {
        try await checkStreamThatWaits(coding.name, coding.compress)
    }

    @Test func aStreamWithoutACodingThatWaitsLosesNothing() async throws {
        try await checkStreamThatWaits("identity") { $0 }
    }

    private func checkStreamThatWaits(_ coding: String, _ compress: ([UInt8]) throws -> [UInt8]) async throws {
        // Nothing in it repeats within the window of gzip.
        var state: UInt64 = 7
        let block = (0..<65_521).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let bytes = Array(repeating: block, count: 64).flatMap(\.self)
        let url = serve(coding, .bytes(try compress(bytes)))
        server.on(.get, "/other", respond: .text("ok"))
        let stream = try #require(try await sender.send(.get, url, options: options(.stream)).value.bytes)
        var received: [UInt8] = []
        for try await chunk in stream {
            received += chunk
            // Time in which the buffer fills and the transfer pauses again.
            for _ in 0..<2 { _ = try await sender.text(.get, server.url("/other")) }
        }
        #expect(received == bytes)
    }

    @Test(arguments: [true, false])
    func whatIsWrongAfterAPauseEndsTheStream(isCut: Bool) async throws {
        // So much comes of it that the last bytes wait with the pause.
        var bytes = try Coding.gzip.compress([UInt8](repeating: 7, count: 3 << 20))
        if isCut { bytes.removeLast(9) } else { bytes[bytes.count - 6] ^= 1 }
        server.on(.get, "/other", respond: .text("ok"))
        let stream = try #require(
            try await sender.send(.get, serve("gzip", .bytes(bytes)), options: options(.stream)).value.bytes)
        for _ in 0..<20 { #expect(try await sender.text(.get, server.url("/other")) == "ok") }
        var count = 0
        let error = await thrown(TransportError.self) {
            for try await chunk in stream { count += chunk.count }
        }
        #expect(error?.code == (isCut ? .truncatedResponse : .invalidContentEncoding))
        #expect(count > 2 << 20)
    }
}
#endif
