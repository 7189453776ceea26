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

struct FailureTests {
    private func failure(_ kind: SenderKind, _ answer: LoopbackResponse) async throws -> TransportError.Code? {
        let server = try LoopbackServer()
        server.on(.get, "/", respond: answer)
        return try await kind.sender().failure(server.request())
    }

    @Test(arguments: SenderKind.allCases)
    func aPortWhereNobodyListensRefuses(kind: SenderKind) async throws {
        let code = try await kind.sender().failure(HttpRequest(method: .get, url: ClosedPort.url()))
        #expect(code == (kind == .urlSession ? .cannotConnect : .connectionRefused))
    }

    #if os(Linux)
    @Test func urlSessionCannotUseAUnixDomainSocket() async throws {
        let server = try LoopbackServer()
        var options = RequestOptions()
        options.unixSocket = "/var/run/docker.sock"
        let error = try await SenderKind.urlSession.sender().error(server.request(options: options))
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == "URLSession can't use Unix domain sockets")
        #expect(server.counts.connectionsAccepted == 0)
    }
    #endif

    @Test func urlSessionCannotSendABodyWithAGet() async throws {
        let server = try LoopbackServer()
        let sender = try SenderKind.urlSession.sender()
        let error = await sender.error(server.request(body: .data(Data("body".utf8))))
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason == "URLSession can't send a GET request with a body")
        #expect(error?.wasProcessed == .no)
        #expect(server.counts.connectionsAccepted == 0)
    }

    @Test(arguments: SenderKind.allCases)
    func aNameWithoutAnAddressIsNoHost(kind: SenderKind) async throws {
        let url = try #require(URL(string: "http://nowhere.invalid/"))
        let code = try await kind.sender().failure(HttpRequest(method: .get, url: url))
        #expect(code == .hostNotFound || code == .noNetwork)
    }

    @Test(arguments: SenderKind.allCases)
    func aConnectionThatEndsWithoutAnAnswerIsAnError(kind: SenderKind) async throws {
        #expect(try await failure(kind, .close) == .connectionLost)
    }

    @Test(arguments: SenderKind.allCases)
    func aConnectionThatIsResetIsLost(kind: SenderKind) async throws {
        #expect(try await failure(kind, .reset) == .connectionLost)
    }

    @Test(
        arguments: SenderKind.allCases,
        [
            .text("a long text").closing(afterBytes: 90), .text("a").header("Content-Length", "9").closing(),
            .chunked(["abc", "def"], isTerminated: false).closing(),
            .text("a").header("Content-Length", "9").resetting(),
        ] as [LoopbackResponse])
    func aBodyThatIsCutShortIsNoAnswer(kind: SenderKind, answer: LoopbackResponse) async throws {
        #expect(try await failure(kind, answer) == .truncatedResponse)
    }

    @Test(arguments: SenderKind.allCases)
    func whatIsNotHttpIsNoAnswer(kind: SenderKind) async throws {
        let code = try await failure(kind, .raw("SSH-2.0-OpenSSH_9.2\r\n").closing())
        #expect(code == .invalidResponse)
    }

    @Test(arguments: SenderKind.allCases)
    func aBodyThatIsNotCompressedAsSaidIsAnError(kind: SenderKind) async throws {
        let answer = LoopbackResponse.text("not gzip").header("Content-Encoding", "gzip")
        #expect(try await failure(kind, answer) == .invalidContentEncoding)
    }

    @Test(arguments: SenderKind.allCases)
    func aFileThatIsGoneFailsTheRequest(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        let file = try TemporaryFile(Data("notes".utf8))
        let request = server.request(.post, body: try .file(file.url))
        file.remove()
        #expect(try await kind.sender().failure(request) == .uploadFailed)
    }

    @Test(arguments: SenderKind.allCases)
    func aFileThatHasChangedFailsTheRequest(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        let file = try TemporaryFile(Data("notes".utf8))
        let request = server.request(.post, body: try .file(file.url))
        try Data("more notes".utf8).write(to: file.url)
        #expect(try await kind.sender().failure(request) == .uploadFailed)
    }

    @Test(arguments: SenderKind.allCases)
    func aRequestWithoutAResponseMayBeProcessed(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let sender = try kind.sender()
        let observer = sender.observed(server.request())
        try await server.waitForRequests(1, "/")
        sender.close()
        let error = await thrown(TransportError.self) { try await observer.value }
        #expect(error?.code == .senderClosed)
        #expect(error?.wasProcessed == .unknown)
    }

    @Test(arguments: SenderKind.allCases)
    func aRequestWithTheHeadOfAResponseWasProcessed(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let (started, continuation) = AsyncStream.makeStream(of: Void.self)
        let options = RequestOptions { if $0.received > 0 { continuation.yield() } }
        let sender = try kind.sender()
        let observer = sender.observed(server.request(options: options))
        let exchange = try await server.nextRequest("/")
        exchange.sendHead(headers: ["Content-Length": "10000000"])
        exchange.sendBody(Array(repeating: 0x61, count: 100_000))
        for await _ in started { break }
        sender.close()
        let error = await thrown(TransportError.self) { try await observer.value }
        #expect(error?.code == .senderClosed)
        #expect(error?.wasProcessed == .yes)
    }

    @Test(arguments: SenderKind.allCases)
    func theErrorNamesTheRequestWithoutItsSecrets(kind: SenderKind) async throws {
        let server = try LoopbackServer()
        server.on(.post, "*", respond: .reset)
        var request = server.request(.post, "/a?token=secret")
        request.attempt = 2
        let sender = try kind.sender()
        let error = await thrown(TransportError.self) { try await sender.observed(request).value }
        #expect(error?.method == .post)
        #expect(error?.attempt == 2)
        #expect(error?.url.hasPrefix(server.url("/a?token=").absoluteString) == true)
        #expect(error?.cause != nil)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
