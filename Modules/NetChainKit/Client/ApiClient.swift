import Models
public import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A base URL and settings that the requests of an application share. A `Sendable` value, from which others are
/// derived.
///
/// ```swift
/// let api = ApiClient("https://api.example.com") {
///     $0.headers["Accept"] = "application/json"
///     $0.timeout = .seconds(10)
///     $0.auth = .bearer(tokens, refreshedBy: refresher)
/// }
/// let user = try await api.get("users/1").send(as: User.self)
/// ```
///
/// An invalid base URL fails each request with `RequestBuildingError.Code.invalidUrl`.
public struct ApiClient: RequestConfigurable, Sendable {
    /// The initial settings of every request.
    public var settings: RequestSettings {
        get { chains.settings }
        set { chains = ClientChains(newValue) }
    }
    private(set) var chains: ClientChains
    let base: URL?
    /// Creates a custom builder, which builds a chain for each request; nil without one.
    let makeBuilder: (@Sendable () -> UrlChainsBuilder<ApiRoute>)?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseUrl: the URL that the paths of requests are appended to.
    ///   - configure: changes the settings.
    public init(_ baseUrl: String, _ configure: (inout RequestSettings) -> Void = { _ in }) {
        self.init(base: URL(parsing: baseUrl), nil, configure)
    }

    /// Creates a client with a URL.
    public init(_ baseUrl: URL, _ configure: (inout RequestSettings) -> Void = { _ in }) {
        self.init(base: baseUrl.normalized, nil, configure)
    }

    /// Creates a client that builds its chains with a custom builder.
    ///
    /// - Parameters:
    ///   - baseUrl: the URL that the paths of requests are appended to.
    ///   - builder: creates a builder; called once by this initializer, for its settings, and for each chain.
    ///   - configure: changes the settings of a new builder. Later builders get the result.
    public init(
        _ baseUrl: String, builder: @escaping @Sendable () -> UrlChainsBuilder<ApiRoute>,
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) {
        self.init(base: URL(parsing: baseUrl), builder, configure)
    }

    private init(
        base: URL?, _ makeBuilder: (@Sendable () -> UrlChainsBuilder<ApiRoute>)?,
        _ configure: (inout RequestSettings) -> Void
    ) {
        self.base = base
        self.makeBuilder = makeBuilder
        let builder = makeBuilder?()
        var settings = builder?.settings ?? RequestSettings()
        configure(&settings)
        // Each builder may bring another sender, so that isn't kept.
        if settings.sender == nil, let sender = builder?.serviceChain.sender {
            settings.secretHeaders.formUnion(SenderTraits(of: sender).declaredSecrets)
        }
        chains = ClientChains(settings)
    }

    /// The same client with other settings.
    public func setting(_ change: (inout RequestSettings) -> Void) -> ApiClient {
        var copy = self
        change(&copy.settings)
        return copy
    }
}

// MARK: - Verbs

extension ApiClient {
    /// A request to a path below the base URL. The path may contain a query, and may be a whole URL.
    ///
    /// An origin other than the client's receives neither ``RequestSettings/auth``, nor what the metadata providers of a
    /// custom builder return, nor the client's `Host`, nor its headers and query values that are secrets: those that are
    /// masked in the log, and `SenderConfiguration.Redirects.sensitiveHeaders`.
    public func request(_ method: HttpMethod, _ path: String) -> ApiRequest {
        ApiRequest(method, ApiRoute(path, below: base), of: self)
    }

    /// A request to a route, whose URL is evaluated by this call. Credentials are sent to the client's origin only, as
    /// for a path.
    public func request(_ method: HttpMethod, _ route: some UrlRouteProvider) -> ApiRequest {
        // Without a base URL the origin of the credentials is unknown: the request fails.
        ApiRequest(method, base == nil ? ApiRoute("", below: nil) : ApiRoute(route), of: self)
    }

    /// A `GET` of a path below the base URL.
    public func get(_ path: String) -> ApiRequest { request(.get, path) }

    /// A `GET` of a route.
    public func get(_ route: some UrlRouteProvider) -> ApiRequest { request(.get, route) }

    /// A `HEAD` of a path below the base URL.
    public func head(_ path: String) -> ApiRequest { request(.head, path) }

    /// A `HEAD` of a route.
    public func head(_ route: some UrlRouteProvider) -> ApiRequest { request(.head, route) }

    /// A `POST` to a path below the base URL.
    public func post(_ path: String) -> ApiRequest { request(.post, path) }

    /// A `POST` to a route.
    public func post(_ route: some UrlRouteProvider) -> ApiRequest { request(.post, route) }

    /// A `PUT` to a path below the base URL.
    public func put(_ path: String) -> ApiRequest { request(.put, path) }

    /// A `PUT` to a route.
    public func put(_ route: some UrlRouteProvider) -> ApiRequest { request(.put, route) }

    /// A `PATCH` to a path below the base URL.
    public func patch(_ path: String) -> ApiRequest { request(.patch, path) }

    /// A `PATCH` to a route.
    public func patch(_ route: some UrlRouteProvider) -> ApiRequest { request(.patch, route) }

    /// A `DELETE` of a path below the base URL.
    public func delete(_ path: String) -> ApiRequest { request(.delete, path) }

    /// A `DELETE` of a route.
    public func delete(_ route: some UrlRouteProvider) -> ApiRequest { request(.delete, route) }
}

extension ApiClient: MaskedValue {
    /// The base URL, with secrets masked; no settings.
    public var description: String {
        "ApiClient of \(base.map { settings.redaction.url($0.absoluteString) } ?? "an invalid URL")"
    }
}
