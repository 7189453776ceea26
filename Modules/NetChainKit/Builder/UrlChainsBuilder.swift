import Dispatch
import Models
import NodeCore
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Builds chains for URL requests: describe the request, then call `build()` for the types you need.
///
/// ```swift
/// let user: User = try await UrlChainsBuilder<UserRoute>()
///     .route(.get, .user(1))
///     .build()
///     .execute()
/// ```
///
/// Building never traps: a missing or invalid part of the description becomes the chain's error. A chain can be kept
/// and used any number of times, also concurrently. A builder is used from one thread at a time. To add custom nodes to
/// every chain, call `insert(at:_:)` or subclass.
open class UrlChainsBuilder<Route: UrlRouteProvider> {
    /// Builds the transport part of the chain.
    public let serviceChain: UrlServiceChainBuilder

    var method = HttpMethod.get
    var route: Route?
    var metadata: [String: String] = [:]
    var encoding = ParametersEncoding.json
    var query = URLQueryConfigModel()
    var settings = RequestSettings()

    /// Creates a builder.
    ///
    /// - Parameter serviceChain: builds the transport part of the chain.
    public init(serviceChain: UrlServiceChainBuilder = UrlServiceChainBuilder()) {
        self.serviceChain = serviceChain
    }

    /// Builds the request part of the chain: metadata, route, query, encoding and the HTTP request. The service chain's
    /// part follows. Override it to put custom nodes between any two.
    ///
    /// Every chain uses this part. An override must pass the `Json` on in both directions. If a chain sends or receives
    /// something else, such as a form or a file, the `Json` is a `null` that stands for it.
    open func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
        coreNetKitRequestChain(config)
    }

    /// The current description of the request. The headers and query of the builder override those of the settings, whose
    /// query encoder writes parameters, too.
    var config: UrlChainConfigModel {
        var headers = settings.sentHeaders
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { headers[name] = value }
        var query = URLQueryConfigModel(settings.query, encoder: settings.queryEncoder)
        query.merge(self.query)
        return UrlChainConfigModel(
            method: method, route: route ?? MissingRoute(builder: "\(type(of: self))"), headers: headers,
            encoding: encoding.writing(by: settings.queryEncoder), query: query)
    }
}

extension UrlChainsBuilder: CustomReflectable {
    /// Shows no children, because they may contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// The placeholder for a missing route. It fails each request.
private struct MissingRoute: UrlRouteProvider {
    let builder: String

    func url() throws -> URL {
        throw RequestBuildingError(.missingRoute, "\(builder) was given no route: call route(_:_:) before building.")
    }
}
