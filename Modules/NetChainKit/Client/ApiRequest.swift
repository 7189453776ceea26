import Logging
public import Models
public import NodeCore
import ResponseProcessing
public import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request that has not been sent: a method, a route, a body, and a copy of the client's settings. A value; each
/// function returns a changed copy.
///
/// Send it with `send(as:)`, `process(as:)` for callbacks, `chain(as:)` for the `Node`, `download(to:)` or `stream()`.
public struct ApiRequest: RequestConfigurable, Sendable {
    let method: HttpMethod
    private var route: ApiRoute
    private let makeBuilder: (@Sendable () -> UrlChainsBuilder<ApiRoute>)?
    private var chains: ClientChains
    /// The settings of this request; nil for those of the client.
    private var ownSettings: OwnSettings?
    private var body = Body.none
    /// What is left out of a custom builder's headers and query; nil for a request to the client's origin.
    private var secrets: OriginSecrets?
    /// The secrets of the query, where the URL is a link of a response; nil for the client's own URL.
    private var linkSecrets: LinkSecrets?

    /// A class, because a struct would add a kilobyte to each request that is sent.
    private final class OwnSettings: Sendable {
        let settings: RequestSettings

        init(_ settings: RequestSettings) {
            self.settings = settings
        }
    }

    enum Body: Sendable {
        case none
        case model(@Sendable (BodyEncoding) throws -> RequestPayload)
        case form(UrlQuery)
    }

    init(_ method: HttpMethod, _ route: ApiRoute, of client: ApiClient) {
        self.method = method
        self.route = route
        makeBuilder = client.makeBuilder
        chains = client.chains
        guard !route.isAtOrigin(of: client.base) else { return }
        secrets = client.settings.secrets
        var settings = client.settings
        settings.removeCredentials()
        self.settings = settings
    }

    var settings: RequestSettings {
        get { ownSettings?.settings ?? chains.settings }
        set { (chains, ownSettings) = (chains.with(newValue), OwnSettings(newValue)) }
    }

    /// The coders of ``settings``, without a copy of the others.
    var responseCoders: ResponseCoders { ownSettings?.settings.responseCoders ?? chains.order.options.coders }

    /// The same request with other settings.
    public func setting(_ change: (inout RequestSettings) -> Void) -> ApiRequest {
        var copy = self
        change(&copy.settings)
        return copy
    }

    /// The settings of the nodes: those of the client where the request has none of its own.
    private func order(_ format: BodyFormat, _ destination: BodyDestination) -> ChainOrder {
        if ownSettings == nil, case .memory = destination { return chains.order }
        return ChainOrder(settings, format, destination)
    }

    /// Builds the chain of the request: its own first nodes, before those of the client.
    ///
    /// - Parameter entry: the first entry of the run's journal; nil for none.
    func chain<Value>(
        _ format: BodyFormat, destination: BodyDestination = .memory, acceptsNotModified: Bool = false,
        entry: Log? = nil, _ output: @escaping @Sendable (HttpResponse) throws -> Value
    ) -> Node<Void, Value> {
        if let makeBuilder {
            let builder = makeBuilder()
            builder.route(method, route).encode(as: .jsonBody)
            builder.settings = settings
            if let secrets {
                builder.metadata = builder.metadata.filter { !secrets.isBoundToOrigin(header: $0.key) }
                builder.query.remove(secrets)
            }
            if let linkSecrets { builder.query.query = builder.query.query.filter(linkSecrets.adds) }
            return builder.chain(
                format, destination: destination, acceptsNotModified: acceptsNotModified,
                makePayload(settings, entry), output)
        }
        let order = order(format, destination)
        let config = UrlChainConfigModel(
            method: method, route: route, headers: order.settings.sentHeaders, encoding: .jsonBody,
            query: URLQueryConfigModel(order.settings.query, encoder: order.settings.queryEncoder))
        let transport = chains.transport(
            format, tellsNotModified: acceptsNotModified || tellsNotModified(Value.self))
        let request = order.requestChain(config, next: transport)
        return order.chain(
            models: PayloadNode(next: request, payload: makePayload(order.settings, entry), output: output))
    }

    private func makePayload(_ settings: RequestSettings, _ entry: Log?) -> @Sendable (()) throws -> RequestPayload {
        let payload = makePayload(settings)
        guard let entry else { return payload }
        return { _ in
            Journal.current?.append(entry)
            return try payload(())
        }
    }

    private func makePayload(_ settings: RequestSettings) -> @Sendable (()) throws -> RequestPayload {
        switch body {
        case .none: { _ in .none }
        case .model(let make): { [encoding = settings.bodyEncoding] _ in try make(encoding) }
        case .form(let values):
            { [encoder = settings.queryEncoder] _ in .form(URLQueryConfigModel(values, encoder: encoder)) }
        }
    }
}

// MARK: - Links

extension ApiRequest {
    /// The same request without a query value that is a part of the path's text.
    func removingFromRoute(_ name: String) -> ApiRequest {
        var request = self
        request.route = route.removing(name)
        return request
    }

    /// The same request to a URL that the response to this one names, such as that of the next page.
    ///
    /// The URL replaces the query. Secrets of the query that it lacks are added to it at the same origin. Another origin
    /// than that of this request gets no credentials, and a response of another origin, after a redirect, can't name a
    /// URL that gets them.
    ///
    /// - Parameter page: the URL of the response.
    /// - Throws: `RequestBuildingError` for a link from https to http.
    func following(_ link: URL, from page: URL) throws -> ApiRequest {
        let (url, current) = (link.normalized, try route.url())
        if Origin(page).isHttps, !Origin(url).isHttps {
            throw RequestBuildingError(
                .invalidUrl, "The link to the next page leads from https to http, which isn't followed.")
        }
        var next = self
        if Origin(url) == Origin(current), Origin(page) == Origin(current) {
            let secrets = (linkSecrets ?? LinkSecrets(settings, current)).lacked(by: url)
            next.linkSecrets = secrets
            next.route = ApiRoute(try secrets.completing(url).withUserInfo(of: current))
            next.settings.query = secrets.query
        } else {
            next.secrets = settings.secrets
            next.linkSecrets = .atAnotherOrigin
            next.route = ApiRoute(url)
            next.settings.removeCredentials()
            next.settings.isLinkToOtherOrigin = true
            next.settings.query = UrlQuery()
        }
        return next
    }
}

// MARK: - Body

extension ApiRequest {
    /// Sends a model with two layers, a `Json`, a `MultipartModel`, or bytes, a file or a stream (`RequestBody`).
    public func body<Body: DTOEncodable>(_ body: Body) -> ApiRequest where Body.DTO.Raw: RequestConvertible {
        with(.model { _ in try payload(of: body) })
    }

    /// Sends any `Encodable` value as JSON, or in the format of ``RequestSettings/coders``.
    @_disfavoredOverload
    public func body(_ body: some Encodable & Sendable) -> ApiRequest {
        with(.model { try $0.payload(of: body) })
    }

    /// Sends a literal of mixed values, as any `Encodable` value: `body(["name": name, "age": 36])`. A nil value is
    /// `null`.
    @_disfavoredOverload
    public func body(_ members: BodyMembers) -> ApiRequest {
        with(.model { try $0.payload(of: members.values) })
    }

    /// Sends a literal of literals as JSON: `body(["user": ["name": "Ada", "age": 36]])`.
    @_disfavoredOverload
    public func body(_ json: Json) -> ApiRequest {
        with(.model { _ in json.payload })
    }

    /// Fails each request: a URL may mean the file or the text. The compiler warns, too.
    @available(*, deprecated, message: "write body(.file(url)) to send a file, or body(url.absoluteString)")
    public func body(_ url: URL) -> ApiRequest {
        with(
            .model { _ in
                throw RequestBuildingError(
                    .unencodableParameters,
                    "A URL as a body may mean a file or its text: write body(.file(url)) or body(url.absoluteString).")
            })
    }

    /// Sends bytes, a file or a stream unchanged.
    ///
    /// - Parameters:
    ///   - body: the bytes. A stream can be sent once, all others any number of times.
    ///   - contentType: their media type.
    public func body(_ body: RequestBody, contentType: String = "application/octet-stream") -> ApiRequest {
        with(.model { _ in .body(body, contentType: contentType) })
    }

    /// Sends values as a form, `application/x-www-form-urlencoded`.
    public func form(_ values: UrlQuery) -> ApiRequest {
        with(.form(values))
    }

    /// Sends the members of a value as a form. The value is encoded at once, by the encoder of
    /// ``RequestSettings/json``, but dates in ISO 8601.
    @_disfavoredOverload
    public func form(_ model: some Encodable) -> ApiRequest {
        with(.form(UrlQuery(model, encoder: settings.json.queryEncoder)))
    }

    func with(_ body: Body) -> ApiRequest {
        var copy = self
        copy.body = body
        return copy
    }
}

// MARK: - What the compiler says about a wrong body

extension ApiRequest {
    /// Unavailable: states what a body can be.
    @available(
        *, unavailable,
        message: """
            the body of a request must be Encodable and Sendable (struct User: Codable), a model with two layers, a Json, a \
            MultipartModel or a RequestBody
            """
    )
    @_disfavoredOverload
    public func body<Value>(_ body: Value) -> ApiRequest { self }

    /// Unavailable: states how members of several types are sent.
    @available(
        *, unavailable,
        message: """
            values of type Any have no form in JSON: write the literal in the call, body(["name": name, "age": 36]), with \
            a nested one as a Json, or declare a Codable type
            """
    )
    @_disfavoredOverload
    public func body(_ body: [String: Any]) -> ApiRequest { self }
}

extension ApiRequest: MaskedValue {
    /// The method and the URL, with secrets masked, without the query values of the settings.
    public var description: String { "\(method) \(route.masked(by: settings.redaction))" }
}
