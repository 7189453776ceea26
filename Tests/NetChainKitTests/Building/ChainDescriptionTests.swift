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
        "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode",
    ]
    private let status = ["ResponseProcessorNode", "ResponseHttpErrorProcessorNode"]
    private let json = ["ResponseDataPreprocessorNode", "ResponseDataParserNode"]

    @Test func theDefaultChainIsTheSixteenNodesOfTheSeedInItsOrder() {
        let chain: Node<Town, Town> = UrlChainsBuilder<Route>().route(.post, .users).build()
        #expect(
            chain.chain.names == [
                "LoggerNode", "ChainConfiguratorNode", "LoadIndicatableNode", "ModelInputNode", "DTOMapperNode",
                "MetadataConnectorNode", "RequestRouterNode", "RequestEncoderNode", "UrlRequestTransformerNode",
                "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode", "ResponseProcessorNode",
                "ResponseHttpErrorProcessorNode", "ResponseDataPreprocessorNode", "ResponseDataParserNode",
            ])
        #expect(chain.chain.links.allSatisfy { $0.branches.isEmpty })
    }

    @Test func theFormsDifferAtTheirEndsOnly() {
        let builder = UrlChainsBuilder<Route>()
        let voidIn: Node<Void, Town> = builder.build()
        #expect(voidIn.chain.names == head + ["VoidInputNode"] + request + status + json)
        let voidOut: Node<Town, Void> = builder.build()
        #expect(voidOut.chain.names == head + ["VoidOutputNode"] + request + status + ["ResponseBodyIgnorerNode"])
        let voidBoth: Node<Void, Void> = builder.build()
        #expect(voidBoth.chain.names == head + ["VoidIONode"] + request + status + ["ResponseBodyIgnorerNode"])
        let form: Node<MultipartModel<[String: Data]>, Town> = builder.build()
        #expect(
            form.chain.names
                == head + ["ModelInputNode", "DTOMapperNode", "MultipartCarrierNode"] + request + status + json)
        let voidForm: Node<MultipartModel<[String: Data]>, Void> = builder.build()
        #expect(
            voidForm.chain.names
                == head + ["VoidOutputNode", "MultipartCarrierNode"] + request + status + ["ResponseBodyIgnorerNode"])
        let loaded = ["LoadedDataCarrierNode", "DataLoadingResponseProcessor"]
        let file: Node<Void, Data> = builder.loadData()
        #expect(file.chain.names == head + ["VoidReceivingNode", "LoadedDataNode"] + request + status + loaded)
        let fileForModel: Node<Town, Data> = builder.loadData()
        #expect(
            fileForModel.chain.names
                == head + ["DTOEncoderNode", "RawEncoderNode", "LoadedDataNode"] + request + status + loaded)
    }

    @Test func whatIsAskedForStandsInItsPlace() {
        let refresher = TokenRefresherNode {}
        let chain: Node<Void, Town> = UrlChainsBuilder<Route>()
            .set(query: ["a": 1]).inject(headers: ["X-A": "1"]).retry(.exponential()).accessSafe(refresher).build()
        #expect(
            chain.chain.names == head + [
                "VoidInputNode", "MetadataConnectorNode", "RequestRouterNode", "URLQueryInjectorNode",
                "RequestEncoderNode", "UrlRequestTransformerNode", "AccessSafeNode", "RetryNode", "HeaderInjectorNode",
                "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode",
            ] + status + json)
        let branches = chain.chain.links.filter { !$0.branches.isEmpty }
        #expect(branches.map(\.name) == ["AccessSafeNode"])
        #expect(branches.first?.branches.first?.names == ["TokenRefresherNode", "TokenRefresh"])
    }
}
