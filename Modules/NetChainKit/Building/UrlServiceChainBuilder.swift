import AccessSafe
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

/// Builds the parts of a chain that know the network: sending and the processing of the answer.
///
/// Subclass it to put nodes of your own there, and give it to `UrlChainsBuilder(serviceChain:)`. Used from one thread at
/// a time, as the builder is.
open class UrlServiceChainBuilder {
    /// What ends the processing of an answer.
    enum AnswerForm {
        /// The body read as JSON.
        case json
        /// The body as it came.
        case data
        /// The body isn't looked at.
        case nothing
    }

    /// What a builder asks of the parts while it builds.
    struct Settings {
        var answer = AnswerForm.json
        var sender: (any RequestSender)?
        var providers: [any MetadataProvider] = []
        var options = RequestOptions()
        var accepted = AcceptedStatuses.successful
        var headers: [String: String] = [:]
        var accessSafe: TokenRefresherNode?
        var retry: RetryPolicy?
    }

    private let sender: (any RequestSender)?
    private var settings = Settings()

    /// Makes a builder of parts.
    ///
    /// - Parameter sender: what sends; without it the builder's, and without that ``DefaultRequestSender``.
    public init(sender: (any RequestSender)? = nil) {
        self.sender = sender
    }

    /// From the request that the application described to the answer as `Json`: access safety, retries and injected
    /// headers where the builder was asked for them, then `RequestCreatorNode`, `TechnicalErrorMapperNode`,
    /// `RequestSenderNode` and the processing of the answer.
    open func requestTransportChain() -> Node<TransportUrlRequest, Json> {
        let senderNode = RequestSenderNode(
            next: urlResponseProcessingLayerChain(),
            sender: settings.sender ?? sender ?? DefaultRequestSender.shared)
        let errorMapper = TechnicalErrorMapperNode(next: senderNode)
        var chain: Node<TransportUrlRequest, Json> = RequestCreatorNode(
            next: errorMapper, providers: settings.providers, options: settings.options)
        if !settings.headers.isEmpty { chain = HeaderInjectorNode(next: chain, headers: settings.headers) }
        if let retry = settings.retry { chain = RetryNode(next: chain, policy: retry) }
        if let refresher = settings.accessSafe { chain = AccessSafeNode(next: chain, updateTokenChain: refresher) }
        return chain
    }

    /// From the end of the sending to the answer as `Json`: `ResponseProcessorNode`, `ResponseHttpErrorProcessorNode`,
    /// `ResponseDataPreprocessorNode`, `ResponseDataParserNode`; in chains that load a file, or that give nothing back,
    /// another end takes the place of the last two.
    open func urlResponseProcessingLayerChain() -> Node<DataResponse, Json> {
        let errorProcessor = ResponseHttpErrorProcessorNode(next: answerChain(), accepted: settings.accepted)
        return ResponseProcessorNode(next: errorProcessor)
    }

    private func answerChain() -> Node<UrlDataResponse, Json> {
        switch settings.answer {
        case .json: ResponseDataPreprocessorNode(next: ResponseDataParserNode())
        case .data: LoadedDataCarrierNode(next: DataLoadingResponseProcessor())
        case .nothing: ResponseBodyIgnorerNode()
        }
    }

    /// Calls `body` while the parts are built with `settings`.
    func building<Chain>(with settings: Settings, _ body: () -> Chain) -> Chain {
        self.settings = settings
        defer { self.settings = Settings() }
        return body()
    }
}
