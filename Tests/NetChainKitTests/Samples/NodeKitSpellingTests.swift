// Code in the spelling of NodeKit 5, and of the older documents beyond their samples: it compiles, with warnings that name
// what to write. What has no counterpart of the same form is in Docs/MigratingFromNodeKit.md.

import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the tests call, since a test can't be deprecated.
protocol NodeKitSamples: Sendable {
    func user(_ sender: ScriptedRequestSender) async -> Result<Town, any Error>
    func bytes(_ sender: ScriptedRequestSender) async throws -> Data
    func form(_ files: [String: MultipartFileProvider]) -> MultipartModel<[String: Data]>
    func withoutInput(_ next: Node<Json, Json>) -> Node<Void, Json>
    func isTechnical(_ error: any Error) -> Bool
    func aborter(_ sender: RequestSenderNode<Json>) -> Node<HttpRequest, Json>
}

/// Its members are deprecated themselves, so that the build doesn't warn of what is here on purpose.
struct NodeKitSpelling: NodeKitSamples {
    @available(*, deprecated, message: "here on purpose")
    enum TownRoute: URLRouteProvider {
        case one

        func url() throws -> URL {
            try URL(string: "http://example.com") + "/towns/1"
        }
    }

    @available(*, deprecated, message: "here on purpose")
    class TownChainBuilder: URLChainBuilder<TownRoute> {
        override func requestBuildingChain(with config: URLChainConfigModel) -> AnyAsyncNode<Json, Json> {
            let transport: AnyAsyncNode<TransportURLRequest, Json> = serviceChain.requestTransportChain()
            let transformer = URLRequestTrasformatorNode(next: transport, method: config.method)
            let encoder = RequestEncoderNode(next: transformer, encoding: config.encoding)
            let router = RequestRouterNode(next: encoder, route: config.route)
            return MetadataConnectorNode(next: router, metadata: config.metadata)
        }
    }

    @available(*, deprecated, message: "here on purpose")
    func user(_ sender: ScriptedRequestSender) async -> NodeResult<Town> {
        let chain: AnyAsyncNode<Void, Town> = TownChainBuilder()
            .route(.get, .one)
            .set(boolEncodingStartegy: URLQueryBoolEncodingDefaultStartegy.asBool)
            .set(arrayEncodingStrategy: URLQueryArrayKeyEncodingBracketsStartegy.noBrackets)
            .sender(sender)
            .log(to: .silent)
            .build()
        do { return .success(try await chain.execute()) } catch { return .failure(error) }
    }

    @available(*, deprecated, message: "here on purpose")
    func bytes(_ sender: ScriptedRequestSender) async throws -> Data {
        let builder = URLChainBuilder<TownRoute>().route(.get, .one).sender(sender).log(to: .silent)
        let sending: Node<Town, Data> = builder.buildDataLoading()
        _ = try await sending.execute(Town(name: "Kazan"))
        let loading: Node<Void, Data> = builder.buildDataLoading()
        return try await loading.execute()
    }

    @available(*, deprecated, message: "here on purpose")
    func form(_ files: [String: MultipartFileProvider]) -> MultipartModel<[String: Data]> {
        var files = files
        files["custom"] = .customWithURL(url: URL(filePath: "/tmp/a"), filename: "a.txt", mimetype: "text/plain")
        return MultipartModel(payloadModel: ["word": Data("Test".utf8)], files: files)
    }

    @available(*, deprecated, message: "here on purpose")
    func withoutInput(_ next: Node<Json, Json>) -> Node<Void, Json> {
        VoidInputNode(next: next)
    }

    @available(*, deprecated, message: "here on purpose")
    func isTechnical(_ error: any Error) -> Bool {
        switch error {
        case BaseTechnicalError.noInternetConnection, BaseTechnicalError.timeout, BaseTechnicalError.cantConnectToHost:
            true
        default: false
        }
    }

    @available(*, deprecated, message: "here on purpose")
    func aborter(_ sender: RequestSenderNode<Json>) -> Node<HttpRequest, Json> {
        AborterNode(next: TechnicaErrorMapperNode(next: sender), aborter: sender)
    }

    @available(*, deprecated, message: "here on purpose")
    func sender(_ next: Node<NodeDataResponse, Json>) -> Node<TransportUrlRequest, Json> {
        RequestSenderNode(rawResponseProcessor: next)
    }
}

struct NodeKitSpellingTests {
    private let samples: any NodeKitSamples = NodeKitSpelling()

    @Test func aChainInTheOldNamesSends() async throws {
        let sender = ScriptedRequestSender { $0.respond(json: #"{"townName": "Kazan"}"#) }
        #expect(try await samples.user(sender).get() == Town(name: "Kazan"))
        #expect(sender.requests.map(\.url.absoluteString) == ["http://example.com/towns/1"])
        #expect(try await samples.bytes(sender) == Data(#"{"townName": "Kazan"}"#.utf8))
    }

    @Test func filesByNameAreSentInTheOrderOfTheirNames() {
        let form = samples.form(["b": .data(data: Data([1]), filename: "b", mimetype: nil)])
        #expect(form.description.hasSuffix("with [b, custom]"))
        // A literal stays in its order.
        let literal = MultipartModel(
            payloadModel: ["a": Data()],
            files: ["z": .data(data: Data(), filename: "z"), "y": .data(data: Data(), filename: "y")])
        #expect(literal.description.hasSuffix("with [z, y]"))
    }

    @Test func withoutInputTheNextNodeGetsAnEmptyObject() async throws {
        let next = ClosureNode<Json, Json>(async: { $0 })
        let node = samples.withoutInput(next)
        #expect(try await node.execute() == [:])
        #expect(node.chain.names == ["VoidInputNode", next.name])
    }

    @Test func technicalErrorsAndAbortersKeepTheirNames() async throws {
        let request = HttpRequest(method: .get, url: try #require(URL(string: "http://example.com")))
        let timeout = TransportError(.requestTimedOut, of: request, reason: "late")
        #expect(samples.isTechnical(try #require(TechnicalError(timeout))))
        #expect(!samples.isTechnical(timeout))
        let sender = RequestSenderNode(
            next: ClosureNode<DataResponse, Json>(async: { try Json.from(response: $0.result.get()) }),
            sender: ScriptedRequestSender { $0.respond(json: "[1]") })
        #expect(try await samples.aborter(sender).execute(request) == [1])
    }
}

/// The node in a chain that is put together by hand, as in the older documents.
struct VoidInputNodeTests {
    @Test func withoutInputNoBodyIsSent() async throws {
        let sender = ScriptedRequestSender { $0.respond(json: #"{"townName": "Kazan"}"#) }
        let builder = UrlChainsBuilder<URL>(serviceChain: UrlServiceChainBuilder(sender: sender))
        let url = try #require(URL(string: "http://example.com/towns"))
        let request = builder.requestBuildingChain(with: UrlChainConfigModel(method: .post, route: url))
        let mapper = DTOMapperNode<Json, TownEntry>(next: request)
        let chain = VoidInputNode(next: ModelInputNode<Json, Town>(next: mapper))

        #expect(try await chain.execute() == Town(name: "Kazan"))
        #expect(sender.requests.map(\.body.isEmpty) == [true])
        #expect(chain.chain.names.prefix(3) == ["VoidInputNode", "ModelInputNode", "DTOMapperNode"])
    }
}
