import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an application sees when no whole answer arrives.
struct TechnicalErrorsTests {
    private func failure(of builder: UrlChainsBuilder<URL>) async throws -> any Error {
        let chain: Node<Void, User> = builder.quiet().build()
        return try #require(await thrown((any Error).self) { try await chain.execute() })
    }

    @Test func aRefusedPortIsAHostThatCannotBeConnectedTo() async throws {
        let url = try ClosedPort.url("/users?token=geheim")
        let error = try await failure(of: UrlChainsBuilder<URL>().route(.get, url))
        guard case .cantConnectToHost(let cause) = error as? TechnicalError else {
            Issue.record("\(error)")
            return
        }
        #expect(cause.code == .connectionRefused)
        #expect(cause.method == .get)
        #expect(cause.attempt == 1)
        #expect(
            "\(error)".hasPrefix("Can't connect to the host: GET http://127.0.0.1:\(url.port ?? 0)/users?token=***"))
        #expect(!"\(error)".contains("geheim"))
    }

    @Test func aServerThatDoesNotAnswerIsATimeout() async throws {
        let server = try LoopbackServer()
        server.hold("/")
        let builder = UrlChainsBuilder<URL>().route(.get, server.url("/")).timeout(.milliseconds(50))
        let error = try await failure(of: builder)
        guard case .timeout(let cause) = error as? TechnicalError else {
            Issue.record("\(error)")
            return
        }
        #expect(cause.code == .requestTimedOut)
    }

    @Test(arguments: ["/head", "/body"])
    func aStallIsTheSameErrorBeforeTheHeadAndInAStream(path: String) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/head", respond: .text("held").stalling(afterBytes: 5))
        server.on(.get, "/body", respond: .text(String(repeating: "a", count: 1000)).stalling(afterBytes: 600))
        let api = ApiClient(server.url.absoluteString).log(to: .silent).stallTimeout(.seconds(1))
        let error = await thrown(TechnicalError.self) {
            for try await _ in try await api.get(path).stream().value {}
        }
        guard case .timeout(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .stalled)
    }

    @Test func aBrokenConnectionStaysTheTransportErrorThatItIs() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/reset", respond: .reset)
        server.on(.get, "/close", respond: .close)
        server.on(.get, "/cut", respond: .text("a text that is cut off").closing(afterBytes: 100))
        for (path, code) in [
            ("/reset", TransportError.Code.connectionLost), ("/close", .connectionLost), ("/cut", .truncatedResponse),
        ] {
            let error = try await failure(of: UrlChainsBuilder<URL>().route(.get, server.url(path)))
            #expect((error as? TransportError)?.code == code, "\(error)")
        }
    }

    @Test(
        arguments: [
            (
                TransportError.Code.noNetwork,
                "No internet connection: GET http://api.example.com/users failed: scripted"
            ),
            (.stalled, "Timeout: GET http://api.example.com/users failed: scripted"),
            (.connectTimedOut, "Timeout: GET http://api.example.com/users failed: scripted"),
            (.hostNotFound, "Can't connect to the host: GET http://api.example.com/users failed: scripted"),
            (.certificateRejected, "GET http://api.example.com/users failed: scripted"),
        ])
    func eachSenderErrorIsMappedAsInCoreNetKit(code: TransportError.Code, text: String) async throws {
        let sender = ScriptedRequestSender { $0.fail(code) }
        let chain: Node<Void, User> = UrlChainsBuilder<Route>().quiet().route(.get, .users).sender(sender).build()
        let error = await thrown((any Error).self) { try await chain.execute() }
        #expect(try "\(#require(error))" == "\(text) [\(code)]")
    }
}
