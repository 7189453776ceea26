import AccessSafe
import Logging
import NodeCore
import ResponseProcessing
import UrlTransport

// The order of every chain, from the first node to the last. `Docs/Chains.md` has it as a list.

extension UrlChainsBuilder {
    typealias Steps<Input: Sendable, Output: Sendable> = ChainSteps<Input, Output, Input, Output>

    /// A whole chain.
    ///
    /// - Parameters:
    ///   - format: how the body of a response is treated.
    ///   - models: the nodes between the input and the payload, and between the response and the output.
    func chain<Input, Output>(
        _ format: BodyFormat, destination: BodyDestination = .memory,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil,
        models: (Steps<Input, Output>) -> ChainSteps<Input, Output, RequestPayload, HttpResponse>
    ) -> Node<Input, Output> {
        var settings = settings
        settings.options.destination = destination
        if let onProgress { settings.options.onProgress = onProgress }
        settings.options.redaction = settings.options.redaction.merging(settings.redaction)
        if format == .json, !tellsNotModified(Output.self) {
            settings.acceptedStatuses = settings.acceptedStatuses.withoutNotModified
        }
        let config = config
        let request = BuildingContext(settings: settings, format: format).whileCurrent {
            requestBuildingChain(with: config).takingPayloads(of: config)
        }
        let log = (filter: settings.logFilter, redaction: settings.redaction, sink: settings.logSink)
        return ChainSteps(isTraced: settings.isTraced)
            .step { LoggerNode(next: $0, filter: log.filter, redaction: log.redaction, sink: log.sink) }
            .step { ChainConfiguratorNode(next: $0, work: settings.work, answer: settings.answer) }
            .step { LoadIndicatableNode(next: $0, activity: settings.activity) }
            .steps(models)
            .end(request)
    }
}

extension RequestSettings {
    /// From the payload to the request.
    func requestChain(
        _ config: UrlChainConfigModel, next: Node<HttpRequest, HttpResponse>
    ) -> Node<RequestPayload, HttpResponse> {
        ChainSteps(isTraced: isTraced)
            .step { MetadataConnectorNode(next: $0, metadata: config.metadata) }
            .step { RequestRouterNode(next: $0, route: config.route) }
            .step(for: config.query.isEmpty ? nil : config.query) { URLQueryInjectorNode(next: $0, config: $1) }
            .step { RequestEncoderNode(next: $0, encoding: config.encoding) }
            .step { UrlRequestTransformerNode(next: $0, method: config.method) }
            .end(next)
    }

    /// From the request to the response.
    func transportChain(_ format: BodyFormat) -> Node<HttpRequest, HttpResponse> {
        let steps = ChainSteps(isTraced: isTraced)
            .inserted(inserted.request)
            .step(for: accessSafety) { $1.node(next: $0) }
            .step(for: retry) { RetryNode(next: $0, policy: $1) }
            .step(for: injectedHeaders.isEmpty ? nil : injectedHeaders) { HeaderInjectorNode(next: $0, headers: $1) }
            .step { RequestCreatorNode(next: $0, providers: providers, options: options) }
            .inserted(inserted.attempt)
            .step { TechnicalErrorMapperNode(next: $0) }
            .step { RequestSenderNode(next: $0, sender: recordingSender) }
            .step { ResponseProcessorNode(next: $0) }
            .step { ResponseHttpErrorProcessorNode(next: $0, accepted: acceptedStatuses) }
            .inserted(inserted.response)
        switch format {
        case .json: return steps.step { ResponseDataPreprocessorNode(next: $0) }.end(parser ?? ResponseDataParserNode())
        case .bytes: return steps.end(DataLoadingResponseProcessor())
        }
    }

    private var recordingSender: any RequestSender {
        let sender = sender ?? DefaultRequestSender.shared
        return recorder.map { HarRecordingSender(next: sender, recorder: $0) } ?? sender
    }
}
