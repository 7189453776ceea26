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
        /// The body read as JSON, with the rest of the answer beside it.
        case jsonAndHead
        /// The body as it came.
        case data
        /// All of it: the body may have gone to a file or be a stream.
        case received
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
        var parser: Node<HttpResponse, Json>?
        var headers: [String: String] = [:]
        var accessSafe: AccessSafety?
        var retry: RetryPolicy?
        var recorder: HarRecorder?
        var isTraced = false

        /// The node, measured when the builder was asked for it.
        func traced<Input, Output>(_ node: Node<Input, Output>) -> Node<Input, Output> {
            isTraced ? node.traced() : node
        }
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
    /// headers where the builder was asked for them, then `RequestCreatorNode` and ``requestSendingChain()``.
    open func requestTransportChain() -> Node<HttpRequest, Json> {
        var chain = traced(
            RequestCreatorNode(
                next: traced(requestSendingChain()), providers: settings.providers, options: settings.options))
        if !settings.headers.isEmpty { chain = traced(HeaderInjectorNode(next: chain, headers: settings.headers)) }
        if let retry = settings.retry { chain = traced(RetryNode(next: chain, policy: retry)) }
        if let safety = settings.accessSafe { chain = traced(safety.node(next: chain)) }
        return chain
    }

    /// From the request that goes over the network to the answer as `Json`: `TechnicalErrorMapperNode`,
    /// `RequestSenderNode` and ``urlResponseProcessingLayerChain()``.
    open func requestSendingChain() -> Node<HttpRequest, Json> {
        var sender = settings.sender ?? sender ?? DefaultRequestSender.shared
        if let recorder = settings.recorder { sender = HarRecordingSender(next: sender, recorder: recorder) }
        let senderNode = RequestSenderNode(next: traced(urlResponseProcessingLayerChain()), sender: sender)
        return TechnicalErrorMapperNode(next: traced(senderNode))
    }

    /// From the end of the sending to the answer as `Json`: `ResponseProcessorNode`, `ResponseHttpErrorProcessorNode`
    /// and ``responseBodyChain()``.
    open func urlResponseProcessingLayerChain() -> Node<DataResponse, Json> {
        let errorProcessor = ResponseHttpErrorProcessorNode(
            next: traced(responseBodyChainWithHead()), accepted: settings.accepted)
        return ResponseProcessorNode(next: traced(errorProcessor))
    }

    /// ``responseBodyChain()``, with the rest of the answer put beside its `Json` here where the form asks for that: an
    /// override that doesn't call super needs to know nothing of it.
    private func responseBodyChainWithHead() -> Node<HttpResponse, Json> {
        guard settings.answer == .jsonAndHead else { return responseBodyChain() }
        var settings = settings
        settings.answer = .json
        return ApiResponseCarrierNode(next: traced(building(with: settings) { responseBodyChain() }))
    }

    /// The place for a node behind the status check in every form: return the `Json` of `super` unchanged.
    ///
    /// From an answer that is no failure to its body as `Json`: `ResponseDataPreprocessorNode` and
    /// ``jsonParsingChain()``; in chains that load a file, or that give nothing back, another end takes their place.
    ///
    /// An override of ``urlResponseProcessingLayerChain()`` that doesn't call super ends in this chain, so that the
    /// forms that read no JSON, or give the rest of the answer beside it, keep working.
    open func responseBodyChain() -> Node<HttpResponse, Json> {
        switch settings.answer {
        case .json: jsonReadingChain()
        case .jsonAndHead: ApiResponseCarrierNode(next: traced(jsonReadingChain()))
        case .data: LoadedDataCarrierNode(next: traced(DataLoadingResponseProcessor()))
        case .received: ReceivedBodyCarrierNode()
        case .nothing: ResponseBodyIgnorerNode()
        }
    }

    private func jsonReadingChain() -> Node<HttpResponse, Json> {
        ResponseDataPreprocessorNode(next: traced(jsonParsingChain()))
    }

    /// From a body that isn't empty to `Json`: the parser that ``UrlChainsBuilder/parse(with:)`` was given, or
    /// `ResponseDataParserNode`. Only the forms that read JSON meet it.
    ///
    /// Override it to read bodies of another kind, or JSON that isn't quite, for all chains of a service that read JSON.
    open func jsonParsingChain() -> Node<HttpResponse, Json> {
        settings.parser ?? ResponseDataParserNode()
    }

    private func traced<Input, Output>(_ node: Node<Input, Output>) -> Node<Input, Output> {
        settings.traced(node)
    }

    /// Calls `body` while the parts are built with `settings`. A chain that is built while another one is (a refresh
    /// chain in an override, say) leaves the other one's settings as they were.
    func building<Chain>(with settings: Settings, _ body: () -> Chain) -> Chain {
        let outer = self.settings
        self.settings = settings
        defer { self.settings = outer }
        return body()
    }
}

extension UrlServiceChainBuilder: CustomReflectable {
    /// Shows nothing of what it was given, which may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// The settings of access safety.
struct AccessSafety {
    let refresher: TokenRefresherNode
    let isAccessFailure: (@Sendable (any Error) -> Bool)?

    func node(next: Node<HttpRequest, Json>) -> Node<HttpRequest, Json> {
        if let isAccessFailure {
            AccessSafeNode(next: next, updateTokenChain: refresher, isAccessFailure: isAccessFailure)
        } else {
            AccessSafeNode(next: next, updateTokenChain: refresher)
        }
    }
}
