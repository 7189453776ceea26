// Names from the documentation of the older library. Code that uses them compiles, with a warning that names the new
// spelling.

import Models
import NodeCore
import ResponseProcessing
import UrlTransport

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
