import HttpMessages
public import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Adds a query to the route's URL. An existing query stays and precedes the added one.
open class URLQueryInjectorNode<Raw: Sendable, Output: Sendable>:
    AsyncNode<RoutableRequestModel<any UrlRouteProvider, Raw>, Output>, @unchecked Sendable
{  // immutable state
    package let next: Node<RoutableRequestModel<any UrlRouteProvider, Raw>, Output>
    private let config: URLQueryConfigModel

    /// Creates the node.
    public init(next: Node<RoutableRequestModel<any UrlRouteProvider, Raw>, Output>, config: URLQueryConfigModel) {
        self.next = next
        self.config = config
    }

    open override func execute(_ data: RoutableRequestModel<any UrlRouteProvider, Raw>) async throws -> Output {
        let query = try config.encoded()
        guard !query.isEmpty else { return try await next.execute(data) }
        var data = data
        data.route = try RequestBuildingError.wrappingRouteFailure { try data.route.url() }
            .appending(encodedQuery: query)
        return try await next.execute(data)
    }
}
