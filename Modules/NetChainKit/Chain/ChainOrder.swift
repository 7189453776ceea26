import HttpArchive
import HttpCaching
import Logging
import NodeCore
import Resilience
import ResponseProcessing
import UrlTransport

/// The settings that a chain is built with, and the order of its nodes, first to last. `Docs/Chains.md` lists it.
final class ChainOrder: Sendable {
    let settings: RequestSettings
    /// How the body of a response is processed.
    let format: BodyFormat
    let destination: BodyDestination
    /// The options of each request. Kept, because computing them copies all settings.
    let options: RequestOptions

    init(_ settings: RequestSettings, _ format: BodyFormat, _ destination: BodyDestination) {
        self.settings = settings
        self.format = format
        self.destination = destination
        options = settings.options(destination: destination)
    }

    /// Builds a whole chain.
    ///
    /// - Parameter models: the nodes between the input and the payload, and between the response and the output.
    func chain<Input, Output>(models: Node<Input, Output>) -> Node<Input, Output> {
        LoggerNode(
            next: ChainConfiguratorNode(
                next: LoadIndicatableNode(next: models, activity: settings.activity),
                work: settings.work, answer: settings.callbacks),
            filter: settings.log.filter, redaction: options.redaction, sink: settings.log.sink)
    }

    /// Builds the part from the payload to the HTTP request.
    func requestChain(
        _ config: UrlChainConfigModel, next: Node<HttpRequest, HttpResponse>
    ) -> Node<RequestPayload, HttpResponse> {
        let transformer = UrlRequestTransformerNode(next: next, method: config.method, options: options)
        let encoder = RequestEncoderNode(next: transformer, encoding: config.encoding)
        let query = config.query.isEmpty ? encoder : URLQueryInjectorNode(next: encoder, config: config.query)
        let router = RequestRouterNode(next: query, route: config.route)
        return MetadataConnectorNode(next: router, headers: config.headers)
    }

    /// Builds the part from the HTTP request to the response.
    func transportChain() -> Node<HttpRequest, HttpResponse> {
        settings.endCachedSessions()
        let providers = [settings.auth?.provider].compactMap { $0 } + settings.providers
        let response = responseChain()
        let sending = settings.attemptMiddleware.isEmpty ? sendingChain(next: response) : aroundAttempt(response)
        return ChainSteps()
            .step(for: settings.visitedPages) { RepeatedPageNode(next: $0, visited: $1) }
            .step(for: settings.errorModels.isEmpty ? nil : settings.errorModels) {
                ApiErrorNode(next: $0, models: $1)
            }
            .step(for: settings.deadline) {
                DeadlineNode(
                    next: $0, deadline: $1, since: self.settings.deadlineStart, clock: self.settings.clock)
            }
            .inserted(settings.inserted.request)
            .step(for: settings.accessSafety ?? settings.auth?.safety) { $1.node(next: $0) }
            .step(for: settings.auth?.challenges) { ChallengeNode(next: $0, store: $1) }
            .step { RetryNode(next: $0, policy: self.settings.retry, clock: self.settings.clock) }
            .step(for: settings.injectedHeaders.isEmpty ? nil : settings.injectedHeaders) {
                HeaderInjectorNode(next: $0, headers: $1)
            }
            .step(for: settings.auth?.challenges) { CredentialsNode(next: $0, store: $1) }
            .step { RequestCreatorNode(next: $0, providers: providers) }
            .inserted(settings.inserted.attempt)
            .end(sending)
    }

    /// Builds the part that sends one attempt.
    private func sendingChain(next: Node<HttpResponse, HttpResponse>) -> Node<HttpRequest, HttpResponse> {
        ChainSteps()
            .step { TechnicalErrorMapperNode(next: $0) }
            .step { RequestSenderNode(next: $0, sender: self.cachingSender) }
            .step { ResponseProcessorNode(next: $0) }
            .end(next)
    }

    /// Builds the part that sends one attempt through middleware, which receives every status as a response.
    private func aroundAttempt(_ response: Node<HttpResponse, HttpResponse>) -> Node<HttpRequest, HttpResponse> {
        var chain = sendingChain(next: ClosureNode(name: "MiddlewareResponse") { .emit(data: $0) })
        for (index, middleware) in settings.attemptMiddleware.enumerated().reversed() {
            chain = MiddlewareNode(middleware, next: chain, responseChain: index == 0 ? response : nil)
        }
        return chain
    }

    /// Builds the part that checks and reads a response.
    private func responseChain() -> Node<HttpResponse, HttpResponse> {
        let steps = ChainSteps()
            .step { ResponseHttpErrorProcessorNode(next: $0, accepted: self.settings.acceptedStatuses) }
            .inserted(settings.inserted.response)
        switch format {
        case .json:
            return steps.step { ResponseDataPreprocessorNode(next: $0) }.end(
                settings.parser ?? ResponseDataParserNode())
        case .bytes: return steps.end(DataLoadingResponseProcessor())
        }
    }

    /// The sender with the cache, which precedes the limits: what is served from it doesn't count.
    private var cachingSender: any RequestSender {
        guard let cache = settings.cache else { return limitingSender }
        return CachingSender(next: limitingSender, cache: cache)
    }

    /// The sender within its limits: the last of what precedes the network, so that each attempt counts.
    private var limitingSender: any RequestSender {
        guard settings.rateLimit != nil || settings.concurrencyLimit != nil else { return recordingSender }
        return LimitingSender(
            next: recordingSender, rateLimit: settings.rateLimit, concurrencyLimit: settings.concurrencyLimit,
            clock: settings.clock)
    }

    private var recordingSender: any RequestSender {
        let sender = settings.sender ?? DefaultRequestSender.shared
        return settings.recorder.map { HarRecordingSender(next: sender, recorder: $0) } ?? sender
    }
}

extension RequestSettings {
    /// Makes the cache remove what a session has stored when it ends, also before this process has sent a request.
    func endCachedSessions() {
        if let cache { (accessSafety ?? auth?.safety)?.refresher.notifyAtSessionEnd(cache) }
    }
}
