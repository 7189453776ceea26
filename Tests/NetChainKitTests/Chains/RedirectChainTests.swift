#if os(Linux)
import NetChainKit
import NetChainTestKit
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
        var configuration = SenderConfiguration()
        configuration.redirects.sensitiveHeaders.insert("X-Our-Secret")
        let sender = try CurlRequestSender(configuration: configuration)
        for server in [server, other] { server.on(.post, "/end", respond: .json(#"{"id": 1, "name": "Ann"}"#)) }
        server.on(.post, "/near", respond: .redirect(to: "/end", status: 307))
        server.on(.post, "/far", respond: .redirect(to: other.url("/end").absoluteString, status: 307))
        for path in ["/near", "/far"] {
            let chain: Node<User, User> = UrlChainsBuilder<URL>().quiet().send(with: sender)
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
}
#endif
