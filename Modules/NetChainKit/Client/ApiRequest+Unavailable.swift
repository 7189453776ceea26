public import EventStreams
public import Logging
public import Models
import NodeCore
public import UrlTransport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Calls that a new user tries first. The compiler says in a sentence what to write.

extension ApiRequest {
    /// Unavailable: names the label.
    @available(*, unavailable, message: "write cacheThenNetwork(as: User.self)")
    public func cacheThenNetwork<Value>(_ type: Value.Type) -> CacheThenNetwork<Value> { unavailable }

    /// Unavailable: states how a response without a value is received.
    @available(*, unavailable, message: "write try await request.send(): its response may be ignored")
    @_disfavoredOverload
    public func send(as type: Void.Type = Void.self) async throws {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "a body is sent as JSON by body(…); json(_:) sets coders")
    @_disfavoredOverload
    public func json<Body>(_ body: Body) -> ApiRequest { self }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write body(.file(url))")
    public func body(file: URL) -> ApiRequest { self }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write body(MultipartModel(fields: [name: value]))")
    public func multipart(_ fields: KeyValuePairs<String, any MultipartFieldValue>) -> ApiRequest { self }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "append to a MultipartModel and write body(form)")
    public func multipart(_ make: (inout MultipartModel<[String: Data]>) -> Void) -> ApiRequest { self }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write body(.file(url)).send()")
    public func upload(_ file: URL) -> ApiRequest { self }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write body(.file(url)).send()")
    public func upload(from file: URL) -> ApiRequest { self }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "stream()")
    public func bytes() async throws -> ApiResponse<ByteStream> { try await stream() }

    /// Unavailable: says that the file is a URL.
    @available(*, unavailable, message: "write download(to: URL(filePath: path))")
    public func download(to path: String) async throws {}

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "download(to:resuming:)")
    public func download(to file: URL, resume: Bool) async throws {}
}

// MARK: - Streams

extension ApiRequest {
    private var unavailable: Never { preconditionFailure("an unavailable member was called") }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "events(until:reconnecting:silenceLimit:)")
    public func sse() -> ValueStream<ServerSentEvent> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "events(until:reconnecting:silenceLimit:)")
    public func serverSentEvents() -> ValueStream<ServerSentEvent> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "events(until:reconnecting:silenceLimit:)")
    public func eventStream() -> ValueStream<ServerSentEvent> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write events(as: Model.self)")
    public func events<Value: Sendable>(of type: Value.Type) -> ValueStream<Value> { unavailable }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write lines(of: Row.self) for JSON, or try await stream().lines for text")
    public func lines() -> ValueStream<String> { unavailable }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write lines(of: Row.self, limit: bytes), or try await stream().lines for text")
    public func lines(maxLength: Int) -> ValueStream<String> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write lines(of: Row.self)")
    public func lines<Row: Sendable>(as type: Row.Type) -> ValueStream<Row> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write lines(of: Row.self)")
    public func jsonLines<Row: Sendable>(as type: Row.Type) -> ValueStream<Row> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write lines(of: Row.self)")
    public func jsonLines<Row: Sendable>(of type: Row.Type) -> ValueStream<Row> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write elements(of: Row.self)")
    public func elements<Row: Sendable>(as type: Row.Type) -> ValueStream<Row> { unavailable }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write elements(of: Row.self, at: \"data\", \"rows\")")
    public func elements<Row: Sendable>(as type: Row.Type, at path: String...) -> ValueStream<Row> { unavailable }

    /// Unavailable: names the rule.
    @available(*, unavailable, message: "write pages(as: [Item].self, by: .link), or by another rule of Paging")
    public func pages<Value: Sendable>(as type: Value.Type) -> ValueStream<ApiResponse<Value>> { unavailable }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write items(of: Item.self, by: .link) or pages(as: [Item].self, by: .link)")
    public func paginate<Value: Sendable>(as type: Value.Type) -> ValueStream<Value> { unavailable }

    /// Unavailable: names the place.
    @available(*, unavailable, message: "an HttpRequest has it: in a middleware write request.curlCommand()")
    public func curlCommand() -> String { unavailable }
}

extension RequestConfigurable {
    /// Unavailable: names the function.
    @available(*, unavailable, message: "write poll(every: time, until: { … }) in place of send()")
    public func retry<Value>(every time: Duration = .zero, until isDone: (Value) -> Bool) -> Self { setting { _ in } }

    /// Unavailable: names the header.
    @available(*, unavailable, message: "write header(\"Idempotency-Key\", key).repeatable()")
    public func idempotencyKey(_ key: String) -> Self { setting { _ in } }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write log(redaction: .standard.adding(headers: names))")
    public func log(masking names: [String]) -> Self { setting { _ in } }

    /// Unavailable: names the header.
    @available(*, unavailable, message: "write header(\"Idempotency-Key\", key).repeatable()")
    public func repeatable(_ key: String) -> Self { setting { _ in } }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write json(JsonCoders(decoder: …, encoder: …))")
    public func json(_ change: (inout JsonCoders) -> Void) -> Self { setting { _ in } }

    /// Unavailable: names the values.
    @available(*, unavailable, message: "write .successful(and: 404), .range(200...399) or AcceptedStatuses { … }")
    @_disfavoredOverload
    public func acceptedStatuses(_ statuses: some Sequence<Int>) -> Self { setting { _ in } }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write auth(.bearer(token))")
    public func bearer(_ token: String) -> Self { setting { _ in } }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write query([name: value]), or query(name, value) for each")
    public func query(_ items: [URLQueryItem]) -> Self { setting { _ in } }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write header(\"Accept\", type)")
    public func accept(_ type: String) -> Self { setting { _ in } }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write body(bytes, contentType: type), or header(\"Content-Type\", type)")
    public func contentType(_ type: String) -> Self { setting { _ in } }
}

extension ApiClient {
    /// Unavailable: names the function.
    @available(*, unavailable, message: "write get(path).query([name: value])")
    public func get(_ path: String, query: UrlQuery) -> ApiRequest { get(path) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write try await get(path).send(as: User.self)")
    public func get<Value>(_ path: String, as type: Value.Type) async throws -> Value { throw CancellationError() }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write post(path).body(value)")
    public func post<Body>(_ path: String, body: Body) -> ApiRequest { post(path) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write put(path).body(value)")
    public func put<Body>(_ path: String, body: Body) -> ApiRequest { put(path) }
}

extension LogSettings {
    /// Unavailable: names the property.
    @available(*, unavailable, message: "write $0.log.filter.level = …")
    public var level: LogLevel {
        get { filter.level }
        set {}
    }

    /// Unavailable: names the property.
    @available(*, unavailable, message: "write $0.log.sink = .silent")
    public static var silent: LogSettings { LogSettings() }
}
