public import HttpArchive
public import HttpCaching
public import Logging
public import Models
public import NodeCore
public import Resilience
public import ResponseProcessing
public import UrlTransport

// Functions of a client that the closure of `ApiClient(url) { … }` doesn't have. Without these declarations the
// compiler takes a closure with nothing but such a call for the `builder` of the other initializer, and says that it
// expects no arguments.

extension RequestSettings {
    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.headers[name] = value")
    public func header(_ name: String, _ value: String?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.headers[name] = value")
    public func headers(_ headers: [String: String]) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.query[name] = value")
    public func query(_ query: UrlQuery) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.query[name] = value")
    public func query(_ name: String, _ value: (any QueryConvertible)?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.timeout = …")
    public func timeout(_ timeout: Duration?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.deadline = …")
    public func deadline(_ deadline: Duration?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.stallTimeout = …")
    public func stallTimeout(_ timeout: Duration?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.retry = …")
    public func retry(_ policy: RetryPolicy?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.isRepeatable = true")
    public func repeatable(_ isRepeatable: Bool = true) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.rateLimit = RateLimit(…)")
    public func rateLimit(
        _ count: Int, per time: Duration, burst: Int = 1, waiting: Int = .max, following rule: RateLimitRule? = nil
    ) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.rateLimit = …")
    public func rateLimit(_ limit: RateLimit?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.concurrencyLimit = ConcurrencyLimit(…)")
    public func concurrencyLimit(_ count: Int, waiting: Int = .max) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.concurrencyLimit = …")
    public func concurrencyLimit(_ limit: ConcurrencyLimit?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.auth = …")
    public func auth(_ auth: ClientAuth?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.cache = …")
    public func cache(_ cache: HttpCache?) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.caching = …")
    public func caching(_ mode: CacheMode) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.json = …")
    public func json(_ coders: JsonCoders) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.json.decoder = …, $0.json.encoder = …")
    public func json(_ change: (inout JsonCoders) -> Void) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.coders = [coder]")
    public func coder(_ coder: any BodyCoder, _ others: any BodyCoder...) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.acceptedStatuses = …")
    public func acceptedStatuses(_ statuses: AcceptedStatuses) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.sender = …")
    public func sender(_ sender: any RequestSender) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.onProgress = …")
    public func onProgress(_ handler: (@Sendable (TransferProgress) -> Void)?) {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "here it is $0.add(middleware, at: …)")
    public func middleware(_ middleware: any ClientMiddleware, at place: MiddlewarePlace = .aroundAttempt) {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "here it is $0.add(at: …) { request, next in … }")
    public func middleware(
        at place: MiddlewarePlace = .aroundAttempt,
        _ intercept: @escaping @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse
    ) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.log.sink = …")
    public func log(to sink: LogSink) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.log.filter.level = …")
    public func log(level: LogLevel) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.coders = [coder]")
    public var coder: any BodyCoder {
        get { preconditionFailure("an unavailable member was called") }
        set {}
    }

    /// Unavailable: a client has the function.
    @available(*, unavailable, message: "call it on the client: ApiClient(url) { … }.insert(at: …) { next in … }")
    public func insert<Input>(
        at place: ChainPlace<Input>,
        _ node: @escaping @Sendable (_ next: Node<Input, HttpResponse>) -> Node<Input, HttpResponse>
    ) {}

    /// Unavailable: a client has the function.
    @available(*, unavailable, message: "call it on the client: ApiClient(url) { … }.parse(with: …)")
    public func parse(with parser: Node<HttpResponse, Json>) {}

    /// Unavailable: a client has the function.
    @available(*, unavailable, message: "call it on the client: ApiClient(url) { … }.record(to: …)")
    public func record(to recorder: HarRecorder) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.activity = …")
    public func indicate(with activity: LoadActivity) {}

    /// Unavailable: names the properties.
    @available(*, unavailable, message: "settings are properties here: $0.work = …, $0.callbacks = …")
    public func run(on work: ExecutionPlace, callbacks: ExecutionPlace) {}
}
