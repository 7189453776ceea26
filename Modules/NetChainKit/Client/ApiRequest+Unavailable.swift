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

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write body(.file(url)).send()")
    public func upload(_ file: URL) -> ApiRequest { self }

    /// Unavailable: names the functions.
    @available(*, unavailable, message: "write body(.file(url)).send()")
    public func upload(from file: URL) -> ApiRequest { self }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "stream()")
    public func bytes() async throws -> ApiResponse<ByteStream> { try await stream() }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "download(to:resuming:)")
    public func download(to file: URL, resume: Bool) async throws {}
}

extension RequestConfigurable {
    /// Unavailable: names the values.
    @available(*, unavailable, message: "write .successful(and: 404), .range(200...399) or AcceptedStatuses { … }")
    @_disfavoredOverload
    public func acceptedStatuses(_ statuses: some Sequence<Int>) -> Self { setting { _ in } }
}

extension ApiClient {
    /// Unavailable: names the function.
    @available(*, unavailable, message: "write get(path).query([name: value])")
    public func get(_ path: String, query: UrlQuery) -> ApiRequest { get(path) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write post(path).body(value)")
    public func post<Body>(_ path: String, body: Body) -> ApiRequest { post(path) }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write put(path).body(value)")
    public func put<Body>(_ path: String, body: Body) -> ApiRequest { put(path) }
}

extension LogSettings {
    /// Unavailable: names the property.
    @available(*, unavailable, message: "write $0.log.sink = .silent")
    public static var silent: LogSettings { LogSettings() }
}
