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
    private let nothing = ["ResponseBodyIgnorerNode"]
    private let model = ["DTOEncoderNode", "RawEncoderNode"]
    private let file = URL(filePath: "/tmp/answer")
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

    typealias Form = MultipartModel<[String: Data]>

    /// The rows of the table in Docs/Chains.md.
    @Test func theFormsDifferAtTheirEndsOnly() {
        let builder = UrlChainsBuilder<Route>()
        expect(builder.build() as Node<Void, Town>, ["VoidInputNode"], json)
        expect(builder.build() as Node<Town, Void>, ["VoidOutputNode"], nothing)
        expect(builder.build() as Node<Void, Void>, ["VoidIONode"], nothing)
        expect(builder.build() as Node<Form, Town>, ["ModelInputNode", "DTOMapperNode", "MultipartCarrierNode"], json)
        expect(builder.build() as Node<Form, Void>, ["VoidOutputNode", "MultipartCarrierNode"], nothing)
        let loaded = ["LoadedDataCarrierNode", "DataLoadingResponseProcessor"]
        expect(builder.loadData() as Node<Void, Data>, ["VoidReceivingNode", "LoadedDataNode"], loaded)
        expect(builder.loadData() as Node<Town, Data>, model + ["LoadedDataNode"], loaded)
        expect(builder.upload() as Node<RequestBody, Town>, ["UploadNode"], json)
        expect(builder.upload() as Node<RequestBody, Void>, ["VoidUploadNode"], nothing)
        let received = ["ReceivedBodyCarrierNode"]
        expect(builder.download(to: file) as Node<Void, URL>, ["VoidReceivingNode", "ReceivedBodyNode"], received)
        expect(builder.download(to: file) as Node<Town, URL>, model + ["ReceivedBodyNode"], received)
        expect(builder.stream() as Node<Void, ByteStream>, ["VoidReceivingNode", "ReceivedBodyNode"], received)
        expect(builder.stream() as Node<Town, ByteStream>, model + ["ReceivedBodyNode"], received)
    }

    @Test func theFormsWithTheAnswerBesideDifferAtTheirEndsOnly() {
        let builder = UrlChainsBuilder<Route>()
        let form = model + ["MultipartCarrierNode"]
        let read = ["ApiResponseCarrierNode"] + json
        expect(builder.build() as Node<Void, ApiResponse<Town>>, ["VoidReceivingNode", "ApiResponseNode"], read)
        expect(builder.build() as Node<Town, ApiResponse<Town>>, model + ["ApiResponseNode"], read)
        expect(builder.build() as Node<Form, ApiResponse<Town>>, form + ["ApiResponseNode"], read)
        let uploaded: Node<RequestBody, ApiResponse<Town>> = builder.upload()
        expect(uploaded, ["UploadCarrierNode", "ApiResponseNode"], read)
        let received = ["ReceivedBodyCarrierNode"]
        let receiving = ["VoidReceivingNode", "ReceivedBodyNode"]
        expect(builder.build() as Node<Void, ApiResponse<Void>>, receiving, received)
        expect(builder.loadData() as Node<Void, ApiResponse<Data>>, receiving, received)
        expect(builder.download(to: file) as Node<Void, ApiResponse<URL>>, receiving, received)
        expect(builder.stream() as Node<Void, ApiResponse<ByteStream>>, receiving, received)
        expect(builder.build() as Node<Town, ApiResponse<Void>>, model + ["ReceivedBodyNode"], received)
        expect(builder.loadData() as Node<Town, ApiResponse<Data>>, model + ["ReceivedBodyNode"], received)
        expect(builder.download(to: file) as Node<Town, ApiResponse<URL>>, model + ["ReceivedBodyNode"], received)
        expect(builder.stream() as Node<Town, ApiResponse<ByteStream>>, model + ["ReceivedBodyNode"], received)
        expect(builder.build() as Node<Form, ApiResponse<Void>>, form + ["ReceivedBodyNode"], received)
        let sent: Node<RequestBody, ApiResponse<Void>> = builder.upload()
        expect(sent, ["UploadCarrierNode", "ReceivedBodyNode"], received)
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
                "VoidInputNode", "MetadataConnectorNode", "RequestRouterNode", "URLQueryInjectorNode",
                "RequestEncoderNode", "UrlRequestTransformerNode", "AccessSafeNode", "RetryNode", "HeaderInjectorNode",
                "RequestCreatorNode", "TechnicalErrorMapperNode", "RequestSenderNode",
            ] + status + json)
        let branches = chain.chain.links.filter { !$0.branches.isEmpty }
        #expect(branches.map(\.name) == ["AccessSafeNode"])
        #expect(branches.first?.branches.first?.names == ["TokenRefresherNode", "TokenRefresh"])
    }
}
