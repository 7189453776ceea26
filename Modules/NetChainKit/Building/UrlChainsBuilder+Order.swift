import AccessSafe
import HttpArchive
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
        if let onProgress { settings.onProgress = onProgress }
        if format == .json, !tellsNotModified(Output.self) {
            settings.acceptedStatuses = settings.acceptedStatuses.withoutNotModified
        }
        return ChainSteps(isTraced: settings.isTraced)
            .step { settings.log.node(next: $0) }
            .step { ChainConfiguratorNode(next: $0, work: settings.work, answer: settings.callbacks) }
            .step { LoadIndicatableNode(next: $0, activity: settings.activity) }
            .steps(models)
            .end(requestPart(format, destination, settings))
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
    func transportChain(_ format: BodyFormat, _ destination: BodyDestination) -> Node<HttpRequest, HttpResponse> {
        let providers = [auth?.provider].compactMap { $0 } + providers
        let response = responseChain(format)
        let sending = attemptMiddleware.isEmpty ? sendingChain(next: response) : aroundAttempt(response)
        return ChainSteps(isTraced: isTraced)
            .step(for: errorModels.isEmpty ? nil : errorModels) {
                ApiErrorNode(next: $0, models: $1, decoder: json.decoder)
            }
            .step(for: deadline) { DeadlineNode(next: $0, deadline: $1, clock: clock) }
            .inserted(inserted.request)
            .step(for: accessSafety ?? auth?.safety) { $1.node(next: $0) }
            .step(for: retry?.ending(within: deadline)) { RetryNode(next: $0, policy: $1, clock: clock) }
            .step(for: injectedHeaders.isEmpty ? nil : injectedHeaders) { HeaderInjectorNode(next: $0, headers: $1) }
            .step { RequestCreatorNode(next: $0, providers: providers, options: options(destination: destination)) }
            .inserted(inserted.attempt)
            .end(sending)
    }

    /// From an attempt to its response.
    private func sendingChain(next: Node<HttpResponse, HttpResponse>) -> Node<HttpRequest, HttpResponse> {
        ChainSteps(isTraced: isTraced)
            .step { TechnicalErrorMapperNode(next: $0) }
            .step { RequestSenderNode(next: $0, sender: recordingSender) }
            .step { ResponseProcessorNode(next: $0) }
            .end(next)
    }

    /// The same inside of middleware, which sees every status as a response.
    private func aroundAttempt(_ response: Node<HttpResponse, HttpResponse>) -> Node<HttpRequest, HttpResponse> {
        var chain = sendingChain(next: ClosureNode(name: "MiddlewareResponse") { .emit(data: $0) })
        for (index, middleware) in attemptMiddleware.enumerated().reversed() {
            chain = MiddlewareNode(middleware, next: chain, responseChain: index == 0 ? response : nil)
        }
        return chain
    }

    /// From a response to the one that a chain gives.
    private func responseChain(_ format: BodyFormat) -> Node<HttpResponse, HttpResponse> {
        let steps = ChainSteps(isTraced: isTraced)
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

extension LogSettings {
    fileprivate func node<Input, Output>(next: Node<Input, Output>) -> Node<Input, Output> {
        LoggerNode(next: next, filter: filter, redaction: redaction, sink: sink)
    }
}
