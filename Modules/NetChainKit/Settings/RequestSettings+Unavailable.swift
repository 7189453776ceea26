public import HttpArchive
public import Logging
public import Models
public import NodeCore
public import UrlTransport

// Functions of a client that the closure of `ApiClient(url) { … }` doesn't have. Without these declarations the
// compiler takes a closure with nothing but such a call for the `builder` of the other initializer, and says that it
// expects no arguments.

extension RequestSettings {
    /// Unavailable: names the property.
    @available(*, unavailable, message: "settings are properties here: $0.headers[name] = value")
    public func header(_ name: String, _ value: String?) {}

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
