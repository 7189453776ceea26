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

/// Builds chains for URL requests: say what the request is, then `build()` or `loadData()` by the types you need.
///
/// ```swift
/// let user: User = try await UrlChainsBuilder<UserRoute>()
///     .route(.get, .user(1))
///     .build()
///     .execute()
/// ```
///
/// Building never traps: what is missing or wrong becomes the chain's error. A chain may be kept and used any number of
/// times, also concurrently; a builder is used from one thread at a time. Subclasses put nodes of their own into
/// ``requestBuildingChain(with:)``, or into the parts of a ``UrlServiceChainBuilder``; every form of `build()` and
/// `loadData()` meets them. (As in CoreNetKit.)
open class UrlChainsBuilder<Route: UrlRouteProvider> {
    /// Builds the parts that know the network.
    public let serviceChain: UrlServiceChainBuilder

    var method = HttpMethod.get
    var route: Route?
    var metadata: [String: String] = [:]
    var encoding = ParametersEncoding.json
    var query = URLQueryConfigModel()
    var service = UrlServiceChainBuilder.Settings()
    var logFilter = LogFilter.standard
    var logSink = LogSink.standard
    var redaction = Redaction.standard
    var activity = LoadActivity.shared
    var work = ExecutionPlace.concurrent
    var answer = ExecutionPlace.dispatch(on: .main)

    /// Makes a builder.
    ///
    /// - Parameter serviceChain: builds the parts that know the network.
    public init(serviceChain: UrlServiceChainBuilder = UrlServiceChainBuilder()) {
        self.serviceChain = serviceChain
    }

    /// The part of the chain that builds the request: metadata, route, query, encoding and the HTTP request, followed by
    /// the service chain's part. Override it to put nodes of your own between any two.
    ///
    /// All forms of chains come from it, so nodes of your own should pass on the `Json` that they get: for a multipart
    /// form, or a request without parameters, it's a stand-in that looks like null.
    open func requestBuildingChain(with config: UrlChainConfigModel) -> Node<Json, Json> {
        let transport = service.traced(serviceChain.requestTransportChain())
        let transformer = service.traced(UrlRequestTransformerNode(next: transport, method: config.method))
        var routed = service.traced(RequestEncoderNode(next: transformer, encoding: config.encoding))
        if !config.query.isEmpty { routed = service.traced(URLQueryInjectorNode(next: routed, config: config.query)) }
        let router = service.traced(RequestRouterNode(next: routed, route: config.route))
        return MetadataConnectorNode(next: router, metadata: config.metadata)
    }

    /// The request-building part for the settings of this builder.
    func pipeline(
        answer: UrlServiceChainBuilder.AnswerForm, destination: BodyDestination? = nil,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> Node<Json, Json> {
        let config = UrlChainConfigModel(
            method: method, route: route ?? MissingRoute(builder: "\(type(of: self))"), metadata: metadata,
            encoding: encoding, query: query)
        var settings = service
        settings.answer = answer
        // Any other form needs the body in memory, whatever the options say.
        settings.options.destination = destination ?? .memory
        if let onProgress { settings.options.onProgress = onProgress }
        settings.options.redaction = settings.options.redaction.merging(redaction)
        return serviceChain.building(with: settings) { service.traced(requestBuildingChain(with: config)) }
    }

    /// Puts the nodes that head every chain before `next`.
    func head<Input, Output>(_ next: Node<Input, Output>) -> Node<Input, Output> {
        let indicator = service.traced(LoadIndicatableNode(next: service.traced(next), activity: activity))
        let configurator = ChainConfiguratorNode(next: indicator, work: work, answer: answer)
        return LoggerNode(next: service.traced(configurator), filter: logFilter, redaction: redaction, sink: logSink)
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
