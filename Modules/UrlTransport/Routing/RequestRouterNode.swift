import HttpMessages
public import NodeCore

/// Adds the route to the request.
///
/// The route can have any type, so that other requests than URL requests can use the node.
open class RequestRouterNode<Raw: Sendable, Route: Sendable, Output: Sendable>: AsyncNode<RequestModel<Raw>, Output>,
    @unchecked Sendable
{  // immutable state
    package let next: Node<RoutableRequestModel<Route, Raw>, Output>
    package let route: Route

    /// Creates the node.
    public init(next: Node<RoutableRequestModel<Route, Raw>, Output>, route: Route) {
        self.next = next
        self.route = route
    }

    open override func execute(_ data: RequestModel<Raw>) async throws -> Output {
        try await next.execute(RoutableRequestModel(headers: data.headers, raw: data.raw, route: route))
    }
}
