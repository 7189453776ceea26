import HttpMessages
public import NodeCore

/// Adds to the request how its parameters are encoded. ``UrlRequestTransformerNode`` encodes them.
open class RequestEncoderNode<Raw: Sendable, Route: Sendable, Encoding: Sendable, Output: Sendable>:
    AsyncNode<RoutableRequestModel<Route, Raw>, Output>, @unchecked Sendable
{  // immutable state
    package let next: Node<EncodableRequestModel<Route, Raw, Encoding>, Output>
    package let encoding: Encoding

    /// Creates the node.
    public init(next: Node<EncodableRequestModel<Route, Raw, Encoding>, Output>, encoding: Encoding) {
        self.next = next
        self.encoding = encoding
    }

    open override func execute(_ data: RoutableRequestModel<Route, Raw>) async throws -> Output {
        try await next.execute(
            EncodableRequestModel(headers: data.headers, raw: data.raw, route: data.route, encoding: encoding))
    }
}
