import Dispatch
import HttpArchive
import Logging
import Models
public import NodeCore
public import ResponseProcessing
public import UrlTransport

/// How requests are sent and their responses treated: the one value behind ``ApiClient``, ``ApiRequest`` and
/// ``UrlChainsBuilder``.
///
/// A request begins with its client's settings. What it says itself adds to ``headers``, ``query`` and the middleware,
/// and replaces all else.
public struct RequestSettings: Sendable {
    /// Headers of every request, by name.
    public var headers = HttpHeaders()
    /// Query values of every request, by name.
    public var query = UrlQuery()
    /// How Booleans, arrays and dictionaries are written in the query and in forms.
    public var queryEncoder = QueryEncoder()
    /// How long each attempt may take, redirects included; nil leaves it to the sender.
    public var timeout: Duration?
    /// How long a request may take with all its attempts, delays and token refreshes; nil for no such limit.
    public var deadline: Duration?
    /// How long no byte may move in either direction; nil leaves it to the sender.
    public var stallTimeout: Duration?
    /// When a request that failed is sent again; nil for never.
    public var retry: RetryPolicy?
    /// What requests show to be let in; nil for nothing.
    public var auth: ClientAuth?
    /// How `Codable` values become JSON and come from it.
    public var json = JsonCoders()
    /// Which statuses are no failure: 200 to 299 by default.
    public var acceptedStatuses = AcceptedStatuses.successful
    /// What sends; nil for ``DefaultRequestSender``.
    public var sender: (any RequestSender)?
    /// Where the log goes, and what of it.
    public var log = LogSettings()
    /// Where delays and deadlines have their time from; a test gives its own.
    public var clock: any ChainClock = .system
    /// Called with how far a transfer is, on the sender's thread: see `RequestOptions.onProgress`.
    public var onProgress: (@Sendable (TransferProgress) -> Void)?
    /// What shows that requests are in progress.
    public var activity = LoadActivity.shared
    /// Where the chain runs when it is called with callbacks.
    public var work = ExecutionPlace.concurrent
    /// Where callbacks are called.
    public var callbacks = ExecutionPlace.dispatch(on: .main)

    var providers: [any MetadataProvider] = []
    var injectedHeaders: [String: String] = [:]
    var accessSafety: AccessSafety?
    var parser: Node<HttpResponse, Json>?
    var recorder: HarRecorder?
    var inserted = InsertedNodes()
    var attemptMiddleware: [any ClientMiddleware] = []
    var isTraced = false
    var errorModels: [@Sendable (HttpError, JsonDecoder) -> (any Error)?] = []

    /// Settings that ask for nothing.
    public init() {}

    /// Adds a middleware inside of those that are there.
    public mutating func add(_ middleware: some ClientMiddleware, at place: MiddlewarePlace = .aroundAttempt) {
        switch place {
        case .aroundAttempt: attemptMiddleware.append(middleware)
        case .aroundRequest: inserted.request.append { MiddlewareNode(middleware, next: $0) }
        }
    }

    /// Turns the error of a status that isn't accepted into an ``ApiError``, where the body is the server's error model.
    public mutating func mapErrors<Problem: Decodable & Sendable>(as type: Problem.Type) {
        errorModels.append { error, decoder in ApiError<Problem>(error, decoder) }
    }

    /// What the sender is asked for.
    func options(destination: BodyDestination) -> RequestOptions {
        var options = RequestOptions(timeout: timeout, destination: destination, onProgress: onProgress)
        options.stallTimeout = stallTimeout
        options.redaction = redaction
        if let header = auth?.header { options.secretHeaders = [header] }
        return options
    }

    /// What is masked, the header of ``auth`` included.
    var redaction: Redaction {
        auth?.header.map { log.redaction.adding(headers: [$0]) } ?? log.redaction
    }
}
