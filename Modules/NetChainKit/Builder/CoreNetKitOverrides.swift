// Support for the override points `requestBuildingChain(with:)` and `requestTransportChain()`.
//
// They have no parameter for settings, so a task-local value holds the settings while they are called. Their input and
// output is `Json`, whatever a chain sends and receives. Anything else passes through them as a `null` whose provenance
// holds it.

import Models
import NodeCore
import ResponseProcessing
import Synchronization
import UrlTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The settings and state with which an override point builds.
struct BuildingContext: Sendable {
    @TaskLocal private static var shared: BuildingContext?

    let order: ChainOrder
    var query: URLQueryConfigModel?
    var builder = ""
    /// Which base implementations were called.
    let built = Built()

    final class Built: Sendable {
        let request = Atomic(false)
        let transport = Atomic(false)
    }

    /// The context of the chain that is being built; outside of a build, one with default settings.
    static var current: BuildingContext {
        shared ?? BuildingContext(order: ChainOrder(RequestSettings(), .json, .memory))
    }

    func whileCurrent<Result>(_ body: () -> Result) -> Result {
        Self.$shared.withValue(self, operation: body)
    }
}

extension UrlChainsBuilder {
    /// The base implementation of `requestBuildingChain(with:)`.
    func coreNetKitRequestChain(_ config: UrlChainConfigModel) -> Node<Json, Json> {
        let context = BuildingContext.current
        context.built.request.store(true, ordering: .relaxed)
        return context.order
            .requestChain(config, next: serviceChain.requestTransportChain().givingResponses)
            .typedAsJson
    }
}

extension UrlServiceChainBuilder {
    /// The base implementation of `requestTransportChain()`.
    func coreNetKitTransportChain() -> Node<HttpRequest, Json> {
        let context = BuildingContext.current
        context.built.transport.store(true, ordering: .relaxed)
        return context.order.sending(with: sender).transportChain().typedAsJson(in: context)
    }
}

extension MetadataConnectorNode where Raw == Json {
    /// Creates the node in an override of `requestBuildingChain(with:)`, whose input and output is `Json`. Outside of a
    /// `return`, name its type: `Node<Json, Json>`.
    @_disfavoredOverload
    public convenience init(next: Node<RequestModel<RequestPayload>, Output>, metadata: [String: String]) {
        let adapter = AdapterNode<RequestModel<Json>, Output, RequestModel<RequestPayload>, Output>(next) { model in
            RequestModel(headers: model.headers, raw: model.raw.payloadBehind)
        } up: { _, output in
            output
        }
        self.init(next: adapter, metadata: metadata)
    }
}

// MARK: - Parts that an override leaves out

extension UrlChainsBuilder {
    /// Builds the request part of a chain. If an override leaves out a part that the settings require, each request
    /// fails with an error that names both.
    func requestPart(_ order: ChainOrder) -> Node<RequestPayload, HttpResponse> {
        let config = config
        // Without a subclass there is nothing to override.
        if type(of: self) == UrlChainsBuilder.self, type(of: serviceChain) == UrlServiceChainBuilder.self {
            return order.requestChain(config, next: order.sending(with: serviceChain.sender).transportChain())
        }
        let context = BuildingContext(order: order, query: config.query, builder: "\(type(of: self))")
        let chain = context.whileCurrent { requestBuildingChain(with: config).takingPayloads(of: config) }
        guard let part = order.askedPart, !context.built.transport.load(ordering: .relaxed) else {
            return chain
        }
        let error = RequestBuildingError(
            .partLeftOut,
            """
            \(type(of: self)) was asked for \(part), which an override leaves out: requestTransportChain() of \
            \(type(of: serviceChain)) must be called, and call super.
            """)
        return ClosureNode(name: "PartLeftOut") { _ in .emit(error: error) }
    }
}

extension ChainOrder {
    /// This order, with `sender` if the settings name none.
    fileprivate func sending(with sender: (any RequestSender)?) -> ChainOrder {
        guard settings.sender == nil, let sender else { return self }
        var settings = settings
        settings.sender = sender
        return ChainOrder(settings, format, destination)
    }
}

extension ChainOrder {
    /// The first part of the transport chain that the settings require, by name; nil if they require none.
    fileprivate var askedPart: String? {
        let parts: [(name: String, isAsked: Bool)] = [
            ("retry(_:)", settings.retry != nil), ("accessSafe(_:)", settings.accessSafety != nil),
            ("auth(_:)", settings.auth != nil), ("deadline(_:)", settings.deadline != nil),
            ("rateLimit(_:)", settings.rateLimit != nil),
            ("concurrencyLimit(_:)", settings.concurrencyLimit != nil), ("cache(_:)", settings.cache != nil),
            ("record(to:)", settings.recorder != nil), ("mapErrors(as:)", !settings.errorModels.isEmpty),
            ("acceptedStatuses(_:)", !settings.acceptedStatuses.isDefault),
            ("parse(with:)", settings.parser != nil && format == .json),
            ("middleware(_:at:)", !settings.attemptMiddleware.isEmpty),
            ("add(provider:)", !settings.providers.isEmpty),
            ("inject(headers:)", !settings.injectedHeaders.isEmpty), ("insert(at:_:)", !settings.inserted.isEmpty),
        ]
        return parts.first { $0.isAsked }?.name
    }
}

extension BuildingContext {
    /// The request with the options of the chain, which a transformer of an override doesn't know.
    fileprivate func completed(_ request: HttpRequest) -> HttpRequest {
        guard !built.request.load(ordering: .relaxed) else { return request }
        var request = request
        request.options.add(order.options)
        if order.options.isRepeatable { request.addIdempotencyKey() }
        return request
    }

    /// Fails a request whose override of `requestBuildingChain(with:)` left out the builder's query.
    fileprivate func checkQuery(of request: HttpRequest) throws {
        guard let query, !query.isEmpty, !built.request.load(ordering: .relaxed) else { return }
        let sent = request.url.absoluteString.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        let fields = Set(sent.split(separator: "&"))
        guard !fields.isSuperset(of: try query.encoded().split(separator: "&")) else { return }
        throw RequestBuildingError(
            .partLeftOut,
            """
            \(builder) was asked for a query, which its override of requestBuildingChain(with:) leaves out: put \
            URLQueryInjectorNode(next:config:) in front of the encoder.
            """)
    }
}

// MARK: - Between the types

/// Adapts a node to other types. Descriptions of a chain don't show it.
private final class AdapterNode<Input: Sendable, Output: Sendable, NextInput: Sendable, NextOutput: Sendable>:
    AsyncNode<Input, Output>, @unchecked Sendable
{  // immutable state
    let next: Node<NextInput, NextOutput>
    private let down: @Sendable (Input) throws -> NextInput
    private let up: @Sendable (Input, NextOutput) throws -> Output

    init(
        _ next: Node<NextInput, NextOutput>, down: @escaping @Sendable (Input) throws -> NextInput,
        up: @escaping @Sendable (Input, NextOutput) throws -> Output
    ) {
        self.next = next
        self.down = down
        self.up = up
    }

    override func execute(_ data: Input) async throws -> Output {
        try up(data, try await next.execute(try down(data)))
    }

    override var name: String { next.name }
    override var nextNodes: [AnyNode] { next.nextNodes }
}

extension Node where Input == RequestPayload, Output == HttpResponse {
    fileprivate var typedAsJson: Node<Json, Json> {
        AdapterNode(self) {
            $0.payloadBehind
        } up: { _, response in
            try response.standIn
        }
    }
}

extension Node where Input == HttpRequest, Output == HttpResponse {
    fileprivate func typedAsJson(in context: BuildingContext) -> Node<HttpRequest, Json> {
        AdapterNode(self) { request in
            try context.checkQuery(of: request)
            return context.completed(request)
        } up: { _, response in
            try response.standIn
        }
    }
}

extension Node where Input == HttpRequest, Output == Json {
    /// Converts the result of `requestTransportChain()` to the types of a chain.
    fileprivate var givingResponses: Node<HttpRequest, HttpResponse> {
        if let base = self as? AdapterNode<HttpRequest, Json, HttpRequest, HttpResponse> { return base.next }
        return AdapterNode(self) {
            $0
        } up: { request, json in
            try json.response(to: request)
        }
    }
}

extension Node where Input == Json, Output == Json {
    /// Converts the result of `requestBuildingChain(with:)` to the types of a chain.
    func takingPayloads(of config: UrlChainConfigModel) -> Node<RequestPayload, HttpResponse> {
        if let base = self as? AdapterNode<Json, Json, RequestPayload, HttpResponse> { return base.next }
        return AdapterNode(self) {
            try $0.standIn
        } up: { _, json in
            try json.response(to: HttpRequest(method: config.method, url: config.route.url()))
        }
    }
}

// MARK: - Stand-ins

private struct PayloadProvenance: JsonProvenance {
    let payload: RequestPayload
    var description: String { "the input of the chain" }
}

private struct ReceivedProvenance: JsonProvenance {
    let response: HttpResponse
    var description: String { response.provenance.description }
}

extension RequestPayload {
    fileprivate var standIn: Json {
        get throws {
            if case .json(let json) = self { return json }
            return try Json.null.with(provenance: PayloadProvenance(payload: self))
        }
    }
}

extension HttpResponse {
    fileprivate var standIn: Json {
        get throws { try (readJson ?? .null).with(provenance: ReceivedProvenance(response: self)) }
    }
}

extension Json {
    /// An empty object that stands for no body.
    static var noBody: Json {
        get throws { try Json([:]).with(provenance: PayloadProvenance(payload: .none)) }
    }

    fileprivate var payloadBehind: RequestPayload {
        (provenance as? PayloadProvenance)?.payload ?? .json(self)
    }

    /// The response that this value stands for or is a part of. For a value that an application's node created, a
    /// response with status 200 and no headers.
    fileprivate func response(to request: @autoclosure () throws -> HttpRequest) throws -> HttpResponse {
        guard var response = (provenance as? ReceivedProvenance)?.response else {
            var response = HttpResponse(request: try request(), status: 200, data: data)
            response.readJson = self
            return response
        }
        if response.readJson != nil { response.readJson = try with(provenance: response.provenance) }
        return response
    }
}
