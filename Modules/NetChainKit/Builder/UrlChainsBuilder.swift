import AccessSafe
import Dispatch
import Logging
import Models
import NodeCore
import ResponseProcessing
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Builds chains for URL requests: say what the request is, then `build()` by the types you need.
///
/// ```swift
/// let user: User = try await UrlChainsBuilder<UserRoute>()
///     .route(.get, .user(1))
///     .build()
///     .execute()
/// ```
///
/// Building never traps: what is missing or wrong becomes the chain's error. A chain may be kept and used any number of
/// times, also concurrently; a builder is used from one thread at a time. Nodes of your own go into every chain with
/// `insert(at:_:)`, or by subclassing.
open class UrlChainsBuilder<Route: UrlRouteProvider> {
    /// Builds the part that knows the network.
    public let serviceChain: UrlServiceChainBuilder

    var method = HttpMethod.get
    var route: Route?
    var metadata: [String: String] = [:]
    var encoding = ParametersEncoding.json
    var query = URLQueryConfigModel()
    var settings = RequestSettings()

    /// Creates a builder.
    ///
    /// - Parameter serviceChain: builds the part that knows the network.
    public init(serviceChain: UrlServiceChainBuilder = UrlServiceChainBuilder()) {
        self.serviceChain = serviceChain
    }

    /// The part of the chain that builds the request: metadata, route, query, encoding and the HTTP request, followed by
    /// the service chain's part. Override it to put nodes of your own between any two.
    ///
    /// All forms of chains come from it. An override passes on the `Json` that it gets, down and up: where a chain sends
    /// or receives something else, a form or a file for instance, that is a `null` which stands for it.
    open func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
        seedsRequestChain(config)
    }

    /// The request as it is described now. What was said of this request wins over the settings.
    var config: UrlChainConfigModel {
        var headers = settings.headers
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { headers[name] = value }
        var query = URLQueryConfigModel(settings.query, encoder: settings.queryEncoder)
        query.merge(self.query)
        return UrlChainConfigModel(
            method: method, route: route ?? MissingRoute(builder: "\(type(of: self))"), metadata: headers.byName,
            encoding: encoding, query: query)
    }
}

extension UrlChainsBuilder: CustomReflectable {
    /// Shows nothing of what it was given, which may hold secrets.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// Stands in for the route that a builder was not given.
private struct MissingRoute: UrlRouteProvider {
    let builder: String

    func url() throws -> URL {
        throw RequestBuildingError(.missingRoute, "\(builder) was given no route: call route(_:_:) before building.")
    }
}
