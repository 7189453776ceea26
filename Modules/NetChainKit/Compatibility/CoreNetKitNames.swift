// Names from the documentation of the older library. Code that uses them compiles, with a warning that names the new
// spelling.

public import Models
public import NodeCore
public import ResponseProcessing
public import UrlTransport

/// The name in the older documents.
@available(*, deprecated, renamed: "RequestEncoderNode")
public typealias RequstEncoderNode = RequestEncoderNode

/// The name in the older documents.
@available(*, deprecated, renamed: "UrlRequestTransformerNode")
public typealias UrlRequestTrasformatorNode = UrlRequestTransformerNode

/// The name in the older documents.
@available(*, deprecated, renamed: "TechnicalErrorMapperNode")
public typealias TechnicaErrorMapperNode = TechnicalErrorMapperNode

/// The name in the older documents.
@available(*, deprecated, renamed: "URLQueryBoolEncodingStrategy")
public typealias URLQueryBoolEncodingStartegy = URLQueryBoolEncodingStrategy

/// The name in the older documents.
@available(*, deprecated, renamed: "URLQueryBoolEncodingDefaultStrategy")
public typealias URLQueryBoolEncodingDefaultStartegy = URLQueryBoolEncodingDefaultStrategy

/// The name in the older documents.
@available(*, deprecated, renamed: "URLQueryArrayKeyEncodingStrategy")
public typealias URLQueryArrayKeyEncodingStartegy = URLQueryArrayKeyEncodingStrategy

/// The name in the older documents.
@available(*, deprecated, renamed: "URLQueryArrayKeyEncodingBracketsStrategy")
public typealias URLQueryArrayKeyEncodingBracketsStartegy = URLQueryArrayKeyEncodingBracketsStrategy

/// The name in the older documents.
@available(*, deprecated, renamed: "HttpError")
public typealias ResponseHttpErrorProcessorNodeError = HttpError

/// The name in the older documents.
@available(*, deprecated, renamed: "TechnicalError")
public typealias BaseTechnicalError = TechnicalError

/// The name in the older documents.
@available(*, deprecated, renamed: "HttpRequest")
public typealias TransportUrlRequest = HttpRequest

/// The name in the older documents.
@available(*, deprecated, renamed: "DataResponse")
public typealias NodeDataResponse = DataResponse

extension RequestSenderNode {
    /// The initializer in the older documents, where the node has a sender of its own.
    @available(*, deprecated, message: "write RequestSenderNode(next: …, sender: DefaultRequestSender.shared)")
    public convenience init(rawResponseProcessor: Node<DataResponse, Output>) {
        self.init(next: rawResponseProcessor, sender: DefaultRequestSender.shared)
    }
}

extension AborterNode {
    /// The initializer in the older documents, where canceling has to reach the sender through a node.
    @available(*, deprecated, message: "write AborterNode(next:): canceling reaches the sender by itself")
    public convenience init<Response>(next: Node<Input, Output>, aborter: RequestSenderNode<Response>) {
        self.init(next: next)
    }
}

extension UrlServiceChainBuilder {
    /// The name in the older documents.
    @available(*, deprecated, renamed: "requestTransportChain()")
    public func requestTrasportChain() -> Node<HttpRequest, Json> {
        requestTransportChain()
    }
}

extension UrlChainsBuilder {
    /// The name in the older documents.
    @available(*, deprecated, renamed: "set(boolEncodingStrategy:)")
    @discardableResult
    public func set(boolEncodingStartegy: any URLQueryBoolEncodingStrategy) -> Self {
        set(boolEncodingStrategy: boolEncodingStartegy)
    }

    /// The name in the older documents.
    @available(*, deprecated, renamed: "set(boolEncodingStrategy:)")
    @discardableResult
    public func set(boolEncodingStartegy: URLQueryBoolEncodingDefaultStrategy) -> Self {
        set(boolEncodingStrategy: boolEncodingStartegy)
    }

    /// The name in the older documents.
    @available(*, deprecated, renamed: "set(dictEncodingStrategy:)")
    @discardableResult
    public func set(dictEncodindStrategy: any URLQueryDictionaryKeyEncodingStrategy) -> Self {
        set(dictEncodingStrategy: dictEncodindStrategy)
    }
}
