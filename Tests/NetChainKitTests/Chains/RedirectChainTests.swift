#if os(Linux)
import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a chain adds to a request is as much its origin's own as what the caller writes.
struct RedirectChainTests {
    private struct Tokens: MetadataProvider {
        func metadata() async throws -> [String: String] {
            ["Authorization": "Bearer hunter2", "X-Auth-Token": "hunter2"]
        }
    }

    @Test func secretsOfMetadataProvidersAndInjectionStayWithTheirOrigin() async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        var configuration = CurlRequestSender.Configuration()
        configuration.redirects.sensitiveHeaders.insert("X-Our-Secret")
        let sender = try CurlRequestSender(configuration: configuration)
        for server in [server, other] { server.on(.post, "/end", respond: .json(#"{"id": 1, "name": "Ann"}"#)) }
        server.on(.post, "/near", respond: .redirect(to: "/end", status: 307))
        server.on(.post, "/far", respond: .redirect(to: other.url("/end").absoluteString, status: 307))
        for path in ["/near", "/far"] {
            let chain: Node<User, User> = UrlChainsBuilder<URL>().quiet().sender(sender)
                .route(.post, server.url(path)).set(metadata: ["X-Api-Key": "hunter2", "X-Plain": "1"])
                .add(provider: Tokens()).inject(headers: ["X-Our-Secret": "hunter2"]).build()
            #expect(try await chain.execute(User(id: 1, name: "Ann")).name == "Ann")
        }
        let near = try #require(server.requests("/end").first)
        let far = try #require(other.requests("/end").first)
        for request in [near, far] {
            #expect(request.headers["X-Plain"] == "1")
            #expect(request.text.contains("Ann"))
        }
        let names = ["Authorization", "X-Auth-Token", "X-Api-Key", "X-Our-Secret"]
        #expect(names.filter { near.headers[$0] == nil } == [])
        #expect(names.filter { far.headers[$0] != nil } == [])
    }

    /// The lines at the default level, without the rest of the chain's.
    private func log(_ report: LogReport) -> [String] {
        report.shown.map { "\($0.id): \($0.message)" }.filter {
            $0.hasPrefix("RequestCreatorNode") || $0.hasPrefix("RequestSenderNode")
                || $0.hasPrefix("ResponseProcessorNode")
        }
    }

    @Test func eachRedirectIsALineOfTheLogWithoutSecrets() async throws {
        let (server, other, store) = (try LoopbackServer(), try LoopbackServer(), LogStore())
        let target = "http://ann:hunter2@127.0.0.1:\(other.port)/end?token=hunter2&page=2"
        server.on(.post, "/", respond: .redirect(to: "/next", status: 307))
        server.on(.post, "/next", respond: .redirect(to: target, status: 303))
        other.on(.get, "/end", respond: .json("{}"))
        let chain: Node<User, Json> = UrlChainsBuilder<URL>().run(on: .inPlace, callbacks: .inPlace)
            .log(to: .memory(store)).route(.post, server.url("/")).build()
        _ = try await chain.execute(User(id: 1, name: "Ann"))
        let report = try #require(await store.report())
        #expect(
            log(report) == [
                "RequestCreatorNode: POST \(server.url("/")), body of 21 bytes",
                "RequestSenderNode: status 307, redirected to POST \(server.url("/next")), body of 21 bytes",
                "RequestSenderNode: status 303, redirected to GET "
                    + "http://***@127.0.0.1:\(other.port)/end?token=***&page=2",
                "ResponseProcessorNode: status 200, 2 bytes",
            ])
        #expect(!report.description.contains("hunter2"))
    }

    @Test func redirectsBeforeAFailureAreInTheLogAndCanBeLeftOut() async throws {
        let (server, store) = (try LoopbackServer(), LogStore())
        var configuration = CurlRequestSender.Configuration()
        configuration.redirects.limit = 2
        server.on(.get, "/", respond: .redirect(to: "/?secret=hunter2", status: 302))
        let builder = UrlChainsBuilder<URL>().run(on: .inPlace, callbacks: .inPlace).log(to: .memory(store))
            .sender(try CurlRequestSender(configuration: configuration)).route(.get, server.url("/"))
        let error = await thrown(TransportError.self) { try await builder.build().execute() as Json }
        #expect(error?.code == .tooManyRedirects)
        let first = try #require(await store.report())
        let hop = "RequestSenderNode: status 302, redirected to GET \(server.url("/"))?secret=***"
        #expect(log(first).filter { $0.hasPrefix("RequestSenderNode") } == [hop, hop])
        let quiet: Node<Void, Json> = builder.log(exclude: ["RequestSenderNode"]).build()
        await #expect(throws: TransportError.self) { try await quiet.execute() }
        let second = try #require(await store.reports(count: 2).last)
        #expect(log(second).filter { $0.hasPrefix("RequestSenderNode") } == [])
    }
}
#endif
