public import HttpMessages
public import Models

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Members that other libraries have here. The compiler says in a sentence what to write.

extension HttpError {
    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "response.data")
    public var body: Data { response.data }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "response.data")
    public var data: Data { response.data }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write try error.decodeBody(as: Problem.self)")
    public func decode<Value>(_ type: Value.Type) throws -> Value { throw self }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "response.headers")
    public var headers: HttpHeaders { response.headers }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write try error.decodeBody(as: Json.self)")
    public var json: Json { Json() }

    /// Unavailable: states how text is read.
    @available(*, unavailable, message: "write String(decoding: error.response.data, as: UTF8.self)")
    public var text: String { String(decoding: response.data, as: UTF8.self) }
}

// MARK: - Statuses without a case

extension HttpError {
    private static var withoutCase: HttpError { preconditionFailure("an unavailable member was called") }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 409, _)")
    public static var conflict: HttpError { withoutCase }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 422, _)")
    public static var unprocessableContent: HttpError { withoutCase }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 422, _)")
    public static var unprocessableEntity: HttpError { withoutCase }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 429, _)")
    public static var tooManyRequests: HttpError { withoutCase }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 502, _)")
    public static var badGateway: HttpError { withoutCase }

    /// Unavailable: names the pattern.
    @available(*, unavailable, message: "write HttpError.other(status: 503, _)")
    public static var serviceUnavailable: HttpError { withoutCase }

    /// Unavailable: lets the compiler report a status without a case as that, and not as a pattern of a wrong type.
    @available(*, unavailable, message: "HttpError has a case for five statuses: write HttpError.other(status: 429, _)")
    public static func ~= (pattern: HttpError, error: any Error) -> Bool { false }
}
