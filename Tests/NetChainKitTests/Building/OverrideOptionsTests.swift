import NetChainKit
import NetChainTestKit
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options of a builder hold although an override wires the request-building part by itself, as in `Docs/Chains.md`.
struct OverrideOptionsTests {
    private final class Signing<Route: UrlRouteProvider>: UrlChainsBuilder<Route> {
        var changing: @Sendable (inout RequestOptions) -> Void = { _ in }

        override func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
            let transport = serviceChain.requestTransportChain()
            let changing = ClosureNode<HttpRequest, Json>(async: { [changing] request in
                var request = request
                changing(&request.options)
                return try await transport.execute(request)
            })
            let transformer = UrlRequestTransformerNode(next: changing, method: config.method)
            let encoder = RequestEncoderNode(next: transformer, encoding: config.encoding)
            let query = URLQueryInjectorNode(next: encoder, config: config.query)
            let router = RequestRouterNode(next: query, route: config.route)
            return MetadataConnectorNode(next: router, metadata: config.metadata)
        }
    }

    #if os(Linux)
    @Test func aSecretHeaderStaysAtItsOrigin() async throws {
        let (server, other) = (try LoopbackServer(), try LoopbackServer())
        other.on(.get, "/", respond: .json("{}"))
        server.on(.get, "/", respond: .redirect(to: other.url("/").absoluteString, status: 302))
        let chain: Node<Void, Json> = Signing<URL>().quiet().route(.get, server.url("/"))
            .auth(.header("X-Mine", "secret")).build()
        #expect(try await chain.execute() == [:])
        #expect(server.requests.first?.headers["X-Mine"] == "secret")
        #expect(other.requests.count == 1 && other.requests.first?.headers["X-Mine"] == nil)
    }

    @Test func aDownloadIsWrittenToItsFile() async throws {
        let (server, folder) = (try LoopbackServer(), try TestFolder())
        server.on(.get, "/", respond: .text("abc"))
        let response = try await Signing<URL>().quiet().route(.get, server.url("/")).download(to: folder.place())
            .execute()
        #expect(try Data(contentsOf: response.value) == Data("abc".utf8))
    }

    @Test func aUnixDomainSocketIsUsed() async throws {
        let sender = ScriptedRequestSender(json: "{}")
        _ = try await Signing<Route>().quiet().sender(sender).route(.get, .users).unixSocket("/a.sock")
            .build(Json.self).execute()
        #expect(sender.requests.map(\.options.unixSocket) == ["/a.sock"])
    }
    #endif

    @Test func optionsReachTheSender() async throws {
        let sender = ScriptedRequestSender(json: "{}")
        let chain = Signing<Route>().quiet().sender(sender).route(.get, .users).timeout(.seconds(3))
            .stallTimeout(.seconds(2)).caching(.reload).onProgress { _ in }
            .log(redaction: .standard.adding(headers: ["X-Plain"])).build(Json.self)
        _ = try await chain.execute()
        let options = try #require(sender.requests.first).options
        #expect(options.timeout == .seconds(3) && options.stallTimeout == .seconds(2))
        #expect(options.cacheMode == .reload && options.onProgress != nil)
        #expect(options.redaction.header("X-Plain", "a") == "***")
    }

    @Test func aNodeOfTheOverrideMayChangeThem() async throws {
        let sender = ScriptedRequestSender(json: "{}")
        let builder = Signing<Route>().quiet().sender(sender).route(.get, .users).timeout(.seconds(3))
            .stallTimeout(.seconds(2))
        builder.changing = {
            $0.timeout = .seconds(9)
            $0.cacheMode = .none
            $0.redaction = .none
        }
        _ = try await builder.build(Json.self).execute()
        let options = try #require(sender.requests.first).options
        #expect(options.timeout == .seconds(9) && options.stallTimeout == .seconds(2))
        #expect(options.cacheMode == .none && options.redaction.header("X-Api-Key", "a") == "a")
    }
}
