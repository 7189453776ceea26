import NetChainKit
import NetChainTestKit
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct ChainDescriptionTests {
    private let head = ["LoggerNode", "ChainConfiguratorNode", "LoadIndicatableNode"]
    private let request = [
        "MetadataConnectorNode", "RequestRouterNode", "RequestEncoderNode", "UrlRequestTransformerNode",
        "RetryNode", "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode",
    ]
    private let status = ["ResponseProcessorNode", "ResponseHttpErrorProcessorNode"]
    private let models = ["ModelInputNode", "DTOMapperNode", "PayloadNode"]
    private let bytes = ["DataLoadingResponseProcessor"]
    private let file = URL(filePath: "/tmp/answer")
    private let json = ["ResponseDataPreprocessorNode", "ResponseDataParserNode"]

    @Test func theDefaultChainIsTheSixteenNodesOfCoreNetKitInItsOrderAndTwoMore() {
        let chain: Node<Town, Town> = UrlChainsBuilder<Route>().route(.post, .users).build()
        #expect(
            chain.chain.names == [
                "LoggerNode", "ChainConfiguratorNode", "LoadIndicatableNode", "ModelInputNode", "DTOMapperNode",
                "PayloadNode", "MetadataConnectorNode", "RequestRouterNode", "RequestEncoderNode",
                "UrlRequestTransformerNode", "RetryNode",
                "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode", "ResponseProcessorNode",
                "ResponseHttpErrorProcessorNode", "ResponseDataPreprocessorNode", "ResponseDataParserNode",
            ])
        #expect(chain.chain.links.allSatisfy { $0.branches.isEmpty })
    }

    typealias Form = MultipartModel<[String: Data]>

    /// Docs/Chains.md says so, without the names.
    @Test func theTypesDifferAtTheirEndsOnly() {
        struct Plain: Codable {}
        let builder = UrlChainsBuilder<Route>()
        expect(builder.build() as Node<Form, Town>, models, json)
        expect(builder.build() as Node<RequestBody, Town>, models, json)
        expect(builder.build() as Node<Town, ApiResponse<[Town]>>, models, json)
        expect(builder.build() as Node<Town, Data>, models, bytes)
        expect(builder.build() as Node<Town, String>, models, bytes)
        expect(builder.build() as Node<Void, Town>, ["PayloadNode"], json)
        expect(builder.build() as Node<Void, ApiResponse<Town>>, ["PayloadNode"], json)
        expect(builder.loadData() as Node<Void, Data>, ["PayloadNode"], bytes)
        expect(builder.build() as Node<Plain, Plain>, ["PayloadNode"], json)
        expect(builder.build() as Node<Void, [Plain]>, ["PayloadNode"], json)
        expect(builder.build() as Node<Town, Void>, ["PayloadNode"], bytes)
        expect(builder.build() as Node<Void, Void>, ["PayloadNode"], bytes)
        expect(builder.download(to: file) as Node<Void, ApiResponse<URL>>, ["PayloadNode"], bytes)
        expect(builder.stream() as Node<Town, ApiResponse<ByteStream>>, ["PayloadNode"], bytes)
    }

    /// Whether a chain is the default one with other ends.
    private func expect<Input, Output>(
        _ node: Node<Input, Output>, _ first: [String], _ last: [String], location: SourceLocation = #_sourceLocation
    ) {
        #expect(node.chain.names == head + first + request + status + last, sourceLocation: location)
    }

    @Test func whatIsAskedForStandsInItsPlace() {
        let refresher = TokenRefresherNode {}
        let chain: Node<Void, Town> = UrlChainsBuilder<Route>()
            .set(query: ["a": 1]).inject(headers: ["X-A": "1"]).retry(.exponential()).accessSafe(refresher).build()
        #expect(
            chain.chain.names == head + [
                "PayloadNode", "MetadataConnectorNode", "RequestRouterNode", "URLQueryInjectorNode",
                "RequestEncoderNode", "UrlRequestTransformerNode", "AccessSafeNode", "RetryNode", "HeaderInjectorNode",
                "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode",
            ] + status + json)
        let branches = chain.chain.links.filter { !$0.branches.isEmpty }
        #expect(branches.map(\.name) == ["AccessSafeNode"])
        #expect(branches.first?.branches.first?.names == ["TokenRefresherNode", "TokenRefresh"])
    }
}
