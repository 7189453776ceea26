// Names of NodeKit 5. Code that uses them compiles, with a warning that names the new spelling.

public import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The name in NodeKit.
@available(*, deprecated, renamed: "UrlRouteProvider")
public typealias URLRouteProvider = UrlRouteProvider

/// The name in NodeKit.
@available(*, deprecated, renamed: "UrlChainsBuilder")
public typealias URLChainBuilder<Route: UrlRouteProvider> = UrlChainsBuilder<Route>

/// The name in NodeKit.
@available(*, deprecated, renamed: "UrlChainConfigModel")
public typealias URLChainConfigModel = UrlChainConfigModel

/// The name in NodeKit.
@available(*, deprecated, renamed: "UrlRequestTransformerNode")
public typealias URLRequestTrasformatorNode = UrlRequestTransformerNode

/// The name in NodeKit.
@available(*, deprecated, renamed: "HttpRequest")
public typealias TransportURLRequest = HttpRequest

/// The name in NodeKit, where a chain is a protocol.
@available(*, deprecated, renamed: "Node")
public typealias AnyAsyncNode<Input: Sendable, Output: Sendable> = Node<Input, Output>

/// The name in NodeKit, where a chain returns its error.
@available(*, deprecated, message: "execute() throws the error; Result<Output, any Error> is the same type")
public typealias NodeResult<Output> = Result<Output, any Error>

extension UrlChainsBuilder {
    /// The name in NodeKit.
    @available(*, deprecated, renamed: "loadData()")
    public func buildDataLoading() -> Node<Void, Data> { loadData() }

    /// The name in NodeKit.
    @available(*, deprecated, renamed: "loadData()")
    public func buildDataLoading<Input: DTOEncodable>() -> Node<Input, Data>
    where Input.DTO.Raw: RequestConvertible { loadData() }
}

extension MultipartFileProvider {
    /// The case in NodeKit.
    @available(*, deprecated, renamed: "url(url:filename:mimetype:)")
    public static func customWithURL(url: URL, filename: String, mimetype: String) -> MultipartFileProvider {
        .url(url: url, filename: filename, mimetype: mimetype)
    }
}

extension MultipartModel {
    /// The label in NodeKit.
    @available(*, deprecated, renamed: "init(payloadModel:filesByName:)")
    @_disfavoredOverload
    public init(payloadModel: Payload, files: [String: MultipartFileProvider]) {
        self.init(payloadModel: payloadModel, filesByName: files)
    }
}
