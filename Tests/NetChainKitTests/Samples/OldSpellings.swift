// The spellings of the older documents and of NodeKit's example, one after the other: that they compile is the test. The
// samples of the documents, which also run, are in the files beside this one. What doesn't compile is in
// Docs/MigratingFromCoreNetKit.md and Docs/MigratingFromNodeKit.md.

import Dispatch
import NetChainKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@available(*, deprecated, message: "here on purpose")
enum OldSpellings {
    final class Tokens: MetadataProvider {
        func metadata() -> [String: String] { [:] }
    }

    enum Route: UrlRouteProvider {
        case one

        func url() throws -> URL { try URL(string: "http://example.com") + "/one" }
    }

    struct YesNo: URLQueryBoolEncodingStartegy {
        func encode(value: Bool) -> String { value ? "yes" : "no" }
    }

    struct Plain: URLQueryArrayKeyEncodingStartegy {
        func encode(value: String) -> String { value }
    }

    // MARK: - chains.md, existing-nodes.md

    static func firstNodes(_ next: Node<Void, Json>) -> [Node<Void, Json>] {
        [
            LoggerNode(next: next, filters: ["RequstEncoderNode"]),
            ChainConfiguratorNode(next: next),
            ChainConfiguratorNode(next: next, beginQueue: .global(qos: .userInitiated), endQueue: .main),
            LoadIndicatableNode(next: next),
        ]
    }

    static func models(_ next: Node<Json, Json>, _ town: Node<Json, Town>) -> [AnyNode] {
        let mapper = DTOMapperNode<TownEntry, TownEntry>(next: next)
        let input: Node<Town, Town> = ModelInputNode(next: mapper)
        let withoutInput: Node<Void, Town> = VoidInputNode(next: town)
        return [mapper, input, withoutInput]
    }

    static func request(_ next: Node<HttpRequest, Json>) -> Node<Json, Json> {
        let transformer = UrlRequestTrasformatorNode(next: next, method: .get)
        let encoder = RequstEncoderNode(next: transformer, encoding: .formUrl)
        let router = RequestRouterNode(next: encoder, route: Route.one)
        return MetadataConnectorNode(next: router, metadata: [:])
    }

    static func transport(
        _ next: Node<HttpRequest, Json>, _ response: Node<NodeDataResponse, Json>, _ refresher: TokenRefresherNode
    ) -> [AnyNode] {
        let sender = RequestSenderNode(rawResponseProcessor: response)
        let mapper = TechnicaErrorMapperNode(next: sender)
        let aborter = AborterNode(next: mapper, aborter: sender)
        return [
            RequestCreatorNode(next: aborter, providers: [Tokens()]),
            HeaderInjectorNode(next: next, headers: ["Accept-Language": "ru"]),
            AccessSafeNode(next: next, updateTokenChain: refresher),
        ]
    }

    static func response() -> Node<NodeDataResponse, Json> {
        let preprocessor = ResponseDataPreprocessorNode(next: ResponseDataParserNode())
        _ = preprocessor
        let errors = ResponseHttpErrorProcessorNode(next: ResponseDataParserNode())
        return ResponseProcessorNode(next: errors)
    }

    static func isKnown(_ error: any Error) -> Bool {
        switch error {
        case ResponseHttpErrorProcessorNodeError.forbidden, ResponseHttpErrorProcessorNodeError.unauthorized: true
        case HttpError.badRequest, HttpError.notFound, HttpError.internalServerError: true
        case BaseTechnicalError.noInternetConnection, BaseTechnicalError.timeout: true
        case BaseTechnicalError.cantConnectToHost: true
        default: false
        }
    }

    static func forms(_ builder: UrlChainsBuilder<Route>) -> [AnyNode] {
        let both: Node<Town, Town> = builder.build()
        let nothing: Node<Void, Void> = builder.build()
        let input: Node<Town, Void> = builder.build()
        let output: Node<Void, [Town]> = builder.build()
        let form: Node<MultipartModel<[String: Data]>, Town> = builder.build()
        let data: Node<Void, Data> = builder.loadData()
        let sending: Node<Town, Data> = builder.loadData()
        return [both, nothing, input, output, form, data, sending]
    }

    static func operations(_ builder: UrlChainsBuilder<Route>) -> UrlChainsBuilder<Route> {
        builder
            .route(.post, .one)
            .encode(as: .urlQuery)
            .set(query: ["a": 1, "b": ["c": true]])
            .set(boolEncodingStartegy: URLQueryBoolEncodingDefaultStartegy.asInt)
            .set(boolEncodingStartegy: YesNo())
            .set(arrayEncodingStrategy: URLQueryArrayKeyEncodingBracketsStartegy.noBrackets)
            .set(arrayEncodingStrategy: Plain())
            .set(dictEncodindStrategy: URLQueryDictionaryKeyEncodingDefaultStrategy())
            .set(metadata: ["Accept-Language": "ru"])
            .add(provider: Tokens())
            .log(exclude: ["RequstEncoderNode"])
    }

    static func url(_ request: TransportUrlRequest) -> URL { request.url }

    // MARK: - NodeKit

    enum AuthURLProvider: URLRouteProvider {
        private static let base: any URLRouteProvider = Route.one
        case login

        func url() throws -> URL { try Self.base.url() + "/login" }
    }

    class FakeChainBuilder<Route: URLRouteProvider>: URLChainBuilder<Route> {}

    static func auth(_ town: Town) async -> NodeResult<Void> {
        let chain: AnyAsyncNode<Town, Void> = FakeChainBuilder<AuthURLProvider>()
            .encode(as: .urlQuery)
            .route(.post, .login)
            .build()
        do { return .success(try await chain.execute(town)) } catch { return .failure(error) }
    }

    static func data(_ builder: URLChainBuilder<Route>) -> [AnyNode] {
        let data: AnyAsyncNode<Void, Data> = builder.buildDataLoading()
        let sending: AnyAsyncNode<Town, Data> = builder.buildDataLoading()
        return [data, sending]
    }

    static func multipart(_ files: [String: MultipartFileProvider], _ file: URL) -> [MultipartModel<[String: Data]>] {
        [
            MultipartModel(payloadModel: ["word": Data()]),
            MultipartModel(payloadModel: ["word": Data()], files: files),
            MultipartModel(payloadModel: [:], files: ["a": .customWithURL(url: file, filename: "a", mimetype: "b/c")]),
            MultipartModel(payloadModel: [:], files: ["a": .data(data: Data(), filename: "a", mimetype: "b/c")]),
            MultipartModel(payloadModel: [:], files: ["a": .url(url: file)]),
        ]
    }

    static func transformer(
        _ next: Node<TransportURLRequest, Json>, _ config: URLChainConfigModel
    ) -> AnyNode {
        URLRequestTrasformatorNode(next: next, method: config.method)
    }
}
