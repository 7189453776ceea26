import Dispatch
import HttpArchive
public import HttpCaching
import Logging
import Models
public import NodeCore
public import Resilience
public import ResponseProcessing
public import UrlTransport

/// How requests are sent and their responses processed: the settings of ``ApiClient``, ``ApiRequest`` and
/// ``UrlChainsBuilder``.
///
/// A request starts with its client's settings. Its own ``headers``, ``query``, middleware, inserted nodes, error models
/// and excluded log writers are added to them, and its other settings replace them.
public struct RequestSettings: Sendable {
    /// Headers of every request, by name.
    public var headers = HttpHeaders()
    /// Query values of every request, by name.
    public var query = UrlQuery()
    /// How Booleans, arrays and dictionaries are written in the query and in forms.
    public var queryEncoder = QueryEncoder()
    /// How long each attempt may take, redirects included; nil leaves it to the sender.
    public var timeout: Duration?
    /// How long a request may take with all its attempts, delays, token refreshes and the stream of its body; nil for no
    /// such limit.
    public var deadline: Duration? { didSet { shape = ChainShape() } }
    /// How long a transfer may stall (no byte moves in either direction); see
    /// `SenderConfiguration.Timeouts.stall`. Zero means no limit, nil leaves it to the sender.
    public var stallTimeout: Duration?
    /// When a failed request is sent again; nil for only after a lost connection, where that is safe: see `RetryNode`.
    /// `RetryPolicy.never` turns most of that off, too.
    public var retry: RetryPolicy? { didSet { shape = ChainShape() } }
    /// Whether requests whose method isn't idempotent may be repeated, because the server recognizes a repetition by an
    /// `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    ///
    /// Such a request without the header gets a random one each time it is sent. All attempts, replays after a token
    /// refresh and resends of the sender have the same, and so the ``retry`` policy treats it like a `GET`. An
    /// idempotent method needs no key and gets none.
    public var isRepeatable = false
    /// The limit of attempts in a time; nil for none. Requests to another origin than the client's don't count.
    public var rateLimit: RateLimit? { didSet { shape = ChainShape() } }
    /// The limit of attempts in progress; nil for none.
    public var concurrencyLimit: ConcurrencyLimit? { didSet { shape = ChainShape() } }
    /// The credentials of requests; nil for none.
    public var auth: ClientAuth? { didSet { shape = ChainShape() } }
    /// The coders of `Codable` values.
    public var json = JsonCoders()
    /// The coders of bodies that are not JSON; empty, the default, for JSON alone.
    ///
    /// The first one encodes the `Encodable` bodies of requests. A response, also that of an error, is decoded by the
    /// coder for its media type, by ``json`` if it is JSON, and otherwise by the first coder. Requests without an
    /// `Accept` name the coders' media types in it. Models with two layers, `Json`, `Data` and `String` have forms of
    /// their own. With a coder, a parser of ``RequestConfigurable/parse(with:)`` reads `Json` and two-layer models only.
    public var coders: [any BodyCoder] = []
    /// The accepted statuses; 200 to 299 by default. A response with any other status is an error.
    public var acceptedStatuses = AcceptedStatuses.successful { didSet { shape = ChainShape() } }
    /// The sender; nil for ``DefaultRequestSender``.
    public var sender: (any RequestSender)? { didSet { shape = ChainShape() } }
    #if os(Linux)
    /// The path of a Unix domain socket that requests are sent to; nil for TCP. A client's is for requests to its own
    /// origin: see `RequestOptions.unixSocket`.
    public var unixSocket: String?
    #endif
    /// The cache of responses, which clients may share; nil for none.
    public var cache: HttpCache? { didSet { shape = ChainShape() } }
    /// How requests use the ``cache``. Streams of events and lines don't use it.
    public var caching = CacheMode.standard
    /// The log's sink, filter and redaction.
    public var log = LogSettings()
    /// The clock of delays and deadlines. A test sets its own.
    public var clock: any ChainClock = .system { didSet { shape = ChainShape() } }
    /// The progress handler of transfers, which is called on the sender's thread: see `RequestOptions.onProgress`.
    public var onProgress: (@Sendable (TransferProgress) -> Void)?
    /// The activity that shows requests in progress.
    public var activity = LoadActivity.shared
    /// Where a chain with callbacks runs.
    public var work = ExecutionPlace.concurrent
    /// Where callbacks are called.
    public var callbacks = ExecutionPlace.dispatch(on: .main)

    var providers: [any MetadataProvider] = [] { didSet { shape = ChainShape() } }
    var injectedHeaders: [String: String] = [:] { didSet { shape = ChainShape() } }
    var accessSafety: AccessSafety? { didSet { shape = ChainShape() } }
    var parser: Node<HttpResponse, Json>? { didSet { shape = ChainShape() } }
    var recorder: HarRecorder? { didSet { shape = ChainShape() } }
    var inserted = InsertedNodes() { didSet { shape = ChainShape() } }
    var attemptMiddleware: [any ClientMiddleware] = [] { didSet { shape = ChainShape() } }
    /// Further secret headers. A request to another origin keeps the name of the client's ``auth`` header here, because it
    /// has no ``auth``.
    var secretHeaders: Set<String> = []
    var errorModels: [@Sendable (HttpError) -> (any Error)?] = [] { didSet { shape = ChainShape() } }
    /// When the time of the ``deadline`` began, for a series of requests; nil for the time at which each is sent.
    var deadlineStart: ContinuousClock.Instant? { didSet { shape = ChainShape() } }

    /// Whether the URL is a link of a page at another origin.
    var isLinkToOtherOrigin = false
    /// Whether the body of the response is read as a stream of values.
    var isForValues = false
    /// The pages of the list that the request is one of; nil for a single request.
    var visitedPages: VisitedPages? { didSet { shape = ChainShape() } }

    /// Identifies the nodes from the HTTP request to the response. Settings that differ only in headers, query, timeouts
    /// and the like have the same shape.
    private(set) var shape = ChainShape.initial

    /// Adds a middleware inside of those already added.
    public mutating func add(_ middleware: any ClientMiddleware, at place: MiddlewarePlace = .aroundAttempt) {
        switch place {
        case .aroundAttempt: attemptMiddleware.append(middleware)
        case .aroundRequest: inserted.request.append { MiddlewareNode(middleware, next: $0) }
        }
    }

    /// Adds a closure as a middleware: see ``ClientMiddleware/intercept(_:next:)``.
    public mutating func add(
        at place: MiddlewarePlace = .aroundAttempt,
        _ intercept: @escaping @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse
    ) {
        add(ClosureMiddleware(body: intercept), at: place)
    }

    /// Maps the error of a status that isn't accepted to an ``ApiError``, if the body decodes as the server's error
    /// model.
    public mutating func mapErrors<Problem: Decodable & Sendable>(as type: Problem.Type) {
        errorModels.append { ApiError<Problem>($0) }
    }

    /// The options that the sender receives.
    func options(destination: BodyDestination) -> RequestOptions {
        var options = RequestOptions(timeout: timeout, destination: destination, onProgress: onProgress)
        options.stallTimeout = stallTimeout
        options.redaction = redaction
        options.coders = responseCoders
        if !acceptedStatuses.isDefault { options.acceptsSuccess = acceptedStatuses.accepts }
        options.isRepeatable = isRepeatable
        options.isLinkToOtherOrigin = isLinkToOtherOrigin
        options.limitsHeadOnly = isForValues
        options.lacksCache = cache == nil && !(sender is CachingSender)
        options.cacheMode = isForValues && caching == .standard ? .none : caching
        #if os(Linux)
        options.unixSocket = unixSocket
        #endif
        options.secretHeaders = declaredSecrets
        return options
    }

    /// Removes 304 from the accepted statuses if the body is read as JSON and the output can't represent a response
    /// without one.
    mutating func limitStatuses(to format: BodyFormat, tellsNotModified: Bool) {
        if format == .json, !tellsNotModified { acceptedStatuses = acceptedStatuses.withoutNotModified }
    }

    /// The redaction of the log, extended by all headers that were declared to be secrets.
    var redaction: Redaction {
        let declared = declaredSecrets
        return declared.isEmpty ? log.redaction : log.redaction.adding(headers: declared.sorted())
    }

    var responseCoders: ResponseCoders { ResponseCoders(json: json.decoder, others: coders) }

    var bodyEncoding: BodyEncoding { BodyEncoding(json: json.encoder, other: coders.first) }

    /// ``headers``, with the media types of the coders where they don't name others.
    var sentHeaders: HttpHeaders {
        guard !coders.isEmpty, headers["Accept"] == nil else { return headers }
        var headers = headers
        headers["Accept"] = coders.map(\.mediaType).joined(separator: ", ")
        return headers
    }

    /// What only the origin of the client receives.
    var secrets: OriginSecrets { OriginSecrets(headers: declaredSecrets, redaction: log.redaction) }

    /// The headers that are secrets because of these settings: that of ``auth``, and those of the sender's configuration.
    private var declaredSecrets: Set<String> {
        var names = secretHeaders
        if let header = auth?.header { names.insert(header) }
        if let sender { names.formUnion(SenderTraits(of: sender).declaredSecrets) }
        return names
    }

    /// Removes all that is for the client's origin only.
    mutating func removeCredentials() {
        let secrets = secrets
        secretHeaders = declaredSecrets
        auth = nil
        providers = []
        accessSafety = nil
        rateLimit = nil
        #if os(Linux)
        unixSocket = nil
        #endif
        headers.removeAll { secrets.isBoundToOrigin(header: $0.name) }
        injectedHeaders = injectedHeaders.filter { !secrets.isBoundToOrigin(header: $0.key) }
        query.remove(secrets)
    }
}

/// An identity for ``RequestSettings/shape``.
final class ChainShape: Sendable {
    static let initial = ChainShape()
}

extension RequestSettings: MaskedValue {
    /// The name of the type; no values.
    public var description: String { "RequestSettings" }
}
