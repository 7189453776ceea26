public import HttpArchive
public import HttpCaching
public import Logging
public import Models
public import NodeCore
public import Resilience
public import ResponseProcessing
public import UrlTransport

/// A type with ``RequestSettings``: a client, a request or a builder.
///
/// Each function returns it with one setting changed. A client and a request are values, and the original stays
/// unchanged. A builder changes in place.
public protocol RequestConfigurable {
    /// Returns the same with changed settings.
    func setting(_ change: (inout RequestSettings) -> Void) -> Self
}

extension RequestConfigurable {
    /// Sets a header, in place of one of the same name; nil removes it.
    public func header(_ name: String, _ value: String?) -> Self {
        setting { $0.headers[name] = value }
    }

    /// Sets headers, in place of those of the same names.
    public func headers(_ headers: [String: String]) -> Self {
        setting { for (name, value) in headers.sorted(by: { $0.key < $1.key }) { $0.headers[name] = value } }
    }

    /// Adds query values, in place of those of the same names. Where a value is nil, one of the same name stays.
    public func query(_ query: UrlQuery) -> Self {
        setting { $0.query.merge(query) }
    }

    /// Adds one query value, in place of one of the same name; nil removes that.
    public func query(_ name: String, _ value: (any QueryConvertible)?) -> Self {
        setting { $0.query[name] = value }
    }

    /// Adds one query value, whose arrays are written in another way than those of other values:
    /// `query("scope", ["a", "b"], arrays: .noBrackets)` adds `scope=a&scope=b`. It replaces a value of the same name;
    /// nil removes that.
    public func query(
        _ name: String, _ value: (any QueryConvertible)?, arrays: URLQueryArrayKeyEncodingBracketsStrategy
    ) -> Self {
        setting { $0.query.set(name, value, arrays: arrays) }
    }

    /// Adds the members of a value as query values. The value is encoded at once, by the encoder of
    /// ``RequestSettings/json``, but dates in ISO 8601.
    @_disfavoredOverload
    public func query(_ model: some Encodable) -> Self {
        setting { $0.query.merge(UrlQuery(model, encoder: $0.json.queryEncoder)) }
    }

    /// Sets how long each attempt may take, redirects included.
    public func timeout(_ timeout: Duration?) -> Self {
        setting { $0.timeout = timeout }
    }

    /// Sets how long a request may take with all its attempts, delays and token refreshes.
    public func deadline(_ deadline: Duration?) -> Self {
        setting { $0.deadline = deadline }
    }

    /// Sets how long a transfer may stall: no byte moves in either direction. Zero means no limit.
    /// See `SenderConfiguration.Timeouts.stall`.
    public func stallTimeout(_ timeout: Duration?) -> Self {
        setting { $0.stallTimeout = timeout }
    }

    /// Sets when a failed request is sent again; nil for only after a lost connection: see ``RequestSettings/retry``.
    public func retry(_ policy: RetryPolicy?) -> Self {
        setting { $0.retry = policy }
    }

    /// Sets whether a request may be repeated although its method isn't idempotent, such as a `POST`. It gets an
    /// `Idempotency-Key`: see ``RequestSettings/isRepeatable``.
    ///
    /// ```swift
    /// let order: Order = try await api.post("orders").body(draft).repeatable().send()
    /// ```
    public func repeatable(_ isRepeatable: Bool = true) -> Self {
        setting { $0.isRepeatable = isRepeatable }
    }

    /// Limits how many attempts are sent in a time, from now on: see `RateLimit`. Replaces an earlier limit.
    ///
    /// ```swift
    /// let polite = api.rateLimit(50, per: .seconds(1), burst: 10)
    /// ```
    ///
    /// - Parameters:
    ///   - count: how many attempts; at least 1.
    ///   - time: the time in which they may be sent.
    ///   - burst: how many may be sent at once after a pause; at least 1.
    ///   - waiting: how many may wait; one more fails at once with `LimitError`.
    ///   - rule: which headers of responses pause all that wait; nil for none.
    public func rateLimit(
        _ count: Int, per time: Duration, burst: Int = 1, waiting: Int = .max, following rule: RateLimitRule? = nil
    ) -> Self {
        let limit = RateLimit(count, per: time, burst: burst, waiting: waiting, following: rule)
        return setting { $0.rateLimit = limit }
    }

    /// Sets a limit of attempts in a time, which other clients may share; nil for none.
    ///
    /// ```swift
    /// let github = api.rateLimit(.following(.github))
    /// ```
    public func rateLimit(_ limit: RateLimit?) -> Self {
        setting { $0.rateLimit = limit }
    }

    /// Limits how many attempts are in progress at once, from now on: see `ConcurrencyLimit`. Replaces an earlier
    /// limit.
    ///
    /// - Parameters:
    ///   - count: how many attempts; at least 1.
    ///   - waiting: how many may wait; one more fails at once with `LimitError`.
    public func concurrencyLimit(_ count: Int, waiting: Int = .max) -> Self {
        let limit = ConcurrencyLimit(count, waiting: waiting)
        return setting { $0.concurrencyLimit = limit }
    }

    /// Sets a limit of attempts in progress, which other clients may share; nil for none.
    public func concurrencyLimit(_ limit: ConcurrencyLimit?) -> Self {
        setting { $0.concurrencyLimit = limit }
    }

    /// Sets the credentials of requests; nil for none.
    public func auth(_ auth: ClientAuth?) -> Self {
        setting { $0.auth = auth }
    }

    /// Sets the cache of responses; nil for none.
    public func cache(_ cache: HttpCache?) -> Self {
        setting { $0.cache = cache }
    }

    /// Sets how requests use the cache of the client. Without a cache it has no effect.
    ///
    /// ```swift
    /// let fresh: Article = try await api.get("articles/1").caching(.reload).send()
    /// ```
    public func caching(_ mode: CacheMode) -> Self {
        setting { $0.caching = mode }
    }

    /// Sets the coders of `Codable` values.
    public func json(_ coders: JsonCoders) -> Self {
        setting { $0.json = coders }
    }

    /// Sets the coders of bodies that are not JSON: see ``RequestSettings/coders``.
    ///
    /// ```swift
    /// let feeds = api.coder(XmlCoder())
    /// ```
    public func coder(_ coder: any BodyCoder, _ others: any BodyCoder...) -> Self {
        setting { $0.coders = [coder] + others }
    }

    /// Sets the accepted statuses. A response with any other status is an error.
    public func acceptedStatuses(_ statuses: AcceptedStatuses) -> Self {
        setting { $0.acceptedStatuses = statuses }
    }

    /// Sets the sender.
    public func sender(_ sender: any RequestSender) -> Self {
        setting { $0.sender = sender }
    }

    #if os(Linux)
    /// Sets the Unix domain socket that requests are sent to, by its path; nil for TCP. The URL's host then only names
    /// the `Host` header.
    ///
    /// ```swift
    /// let docker = ApiClient("http://localhost/v1.43").unixSocket("/var/run/docker.sock")
    /// let containers: Json = try await docker.get("containers/json").send()
    /// ```
    public func unixSocket(_ path: String?) -> Self {
        setting { $0.unixSocket = path }
    }
    #endif

    /// Adds a middleware inside of those already added.
    public func middleware(_ middleware: any ClientMiddleware, at place: MiddlewarePlace = .aroundAttempt) -> Self {
        setting { $0.add(middleware, at: place) }
    }

    /// Adds a closure as a middleware: see ``ClientMiddleware/intercept(_:next:)``.
    ///
    /// ```swift
    /// let signed = api.middleware { request, next in
    ///     var request = request
    ///     request.headers["X-Signature"] = sign(request)
    ///     return try await next(request)
    /// }
    /// ```
    public func middleware(
        at place: MiddlewarePlace = .aroundAttempt,
        _ intercept: @escaping @Sendable (HttpRequest, MiddlewareNext) async throws -> HttpResponse
    ) -> Self {
        setting { $0.add(at: place, intercept) }
    }

    /// Inserts a custom node into every chain.
    ///
    /// ```swift
    /// let signed = api.insert(at: .attempt) { next in SigningNode(next: next) }
    /// ```
    ///
    /// - Parameters:
    ///   - place: its position. Of several nodes at one place, the first inserted is the outermost.
    ///   - node: creates the node: once for each kind of response of a client, whose requests share it, and for each request
    ///     with settings of its own.
    public func insert<Input>(
        at place: ChainPlace<Input>,
        _ node: @escaping @Sendable (_ next: Node<Input, HttpResponse>) -> Node<Input, HttpResponse>
    ) -> Self {
        setting { $0.inserted[keyPath: place.nodes].append(node) }
    }

    /// Sets the node that parses a nonempty body; `ResponseDataParserNode` by default.
    public func parse(with parser: Node<HttpResponse, Json>) -> Self {
        setting { $0.parser = parser }
    }

    /// Maps the error of a status that isn't accepted to an ``ApiError``, if the body decodes as the server's error
    /// model. Of several models, the first that decodes counts.
    ///
    /// ```swift
    /// do { … } catch let error as ApiError<Problem> { show(error.problem.message) }
    /// ```
    public func mapErrors<Problem: Decodable & Sendable>(as type: Problem.Type) -> Self {
        setting { $0.mapErrors(as: type) }
    }

    /// Sets the progress handler of transfers, which is called on the sender's thread: see `RequestOptions.onProgress`.
    public func onProgress(_ handler: (@Sendable (TransferProgress) -> Void)?) -> Self {
        setting { $0.onProgress = handler }
    }

    /// Sets where a chain with callbacks runs, and where callbacks are called. By default these are a task and the main
    /// queue. `await` uses neither.
    public func run(on work: ExecutionPlace, callbacks: ExecutionPlace) -> Self {
        setting {
            $0.work = work
            $0.callbacks = callbacks
        }
    }

    /// Sets the activity that shows requests in progress. The default shows nothing.
    public func indicate(with activity: LoadActivity) -> Self {
        setting { $0.activity = activity }
    }
}

// MARK: - Log

extension RequestConfigurable {
    /// Sets where the log goes. Without it a debug build logs to standard error, and a release build is silent.
    /// `.silent` turns it off in both.
    public func log(to sink: LogSink) -> Self {
        setting { $0.log.sink = sink }
    }

    /// Sets the lowest level of lines that are logged; `.info` by default. Headers and bodies are logged at `.debug`.
    public func log(level: LogLevel) -> Self {
        setting { $0.log.filter.level = level }
    }

    /// Excludes the log lines of these writers; a writer's id is its node's name. Adds to writers excluded by earlier
    /// calls.
    public func log(exclude: [String]) -> Self {
        setting { $0.log.filter.exclude.formUnion(exclude) }
    }

    /// Keeps only the log lines of these writers.
    public func log(only: [String]) -> Self {
        setting { $0.log.filter.only = Set(only) }
    }

    /// Sets what is masked in the log, and wherever a request is described: in errors, HAR files and curl commands too.
    public func log(redaction: Redaction) -> Self {
        setting { $0.log.redaction = redaction }
    }

    /// Records each exchange with the server, retries and replays included. Bodies are recorded only if the recorder is
    /// configured to.
    public func record(to recorder: HarRecorder) -> Self {
        setting { $0.recorder = recorder }
    }
}
