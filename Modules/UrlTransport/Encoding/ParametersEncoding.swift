import HttpMessages
public import Models

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the parameters of a request become a part of it.
///
/// With ``json``, ``formUrl`` and ``urlQuery``, `GET` and `HEAD` carry their parameters in the query. Content in these
/// requests has no defined semantics (RFC 9110 §9.3). The other methods, `DELETE` included, follow the encoding.
///
/// A custom encoding:
///
/// ```swift
/// let csv = ParametersEncoding("csv") { parameters, request in
///     request.body = .data(Data(makeCsv(parameters).utf8))
///     request.headers["Content-Type"] = "text/csv"
/// }
/// ```
public struct ParametersEncoding: Sendable, CustomStringConvertible {
    /// The encoding's name, for logs.
    public let description: String
    private let body: @Sendable (Json, inout HttpRequest, QueryEncoder) throws -> Void
    /// Writes queries and forms, unless the encoding names an encoder of its own.
    private var queryEncoder = QueryEncoder()

    /// Creates an encoding.
    ///
    /// - Parameters:
    ///   - name: its name, for logs.
    ///   - encode: puts the parameters into the request. Called on any thread, several times at once. Not called for a
    ///     request without parameters. An error that it throws fails the request.
    public init(_ name: String, encode: @escaping @Sendable (Json, inout HttpRequest) throws -> Void) {
        self.init(name) { parameters, request, _ in try encode(parameters, &request) }
    }

    private init(_ name: String, body: @escaping @Sendable (Json, inout HttpRequest, QueryEncoder) throws -> Void) {
        description = name
        self.body = body
    }

    /// Puts the parameters into the request.
    public func encode(_ parameters: Json, into request: inout HttpRequest) throws {
        try body(parameters, &request, queryEncoder)
    }

    /// The same encoding with this encoder of queries and forms, unless it names one of its own.
    package func writing(by encoder: QueryEncoder) -> ParametersEncoding {
        var copy = self
        copy.queryEncoder = encoder
        return copy
    }

    /// The parameters as JSON in the body, with the content type `application/json` unless the request has one. The
    /// default.
    public static let json = ParametersEncoding("json") { parameters, request, encoder in
        if request.method.carriesParametersInQuery {
            try addToQuery(parameters, of: &request, with: encoder)
        } else {
            try setJsonBody(parameters, of: &request)
        }
    }

    /// The parameters as JSON in the body, also of a `GET`, for servers that require it. For other methods it equals
    /// ``json``, which is preferred.
    public static let jsonBody = ParametersEncoding("jsonBody") { parameters, request, _ in
        try setJsonBody(parameters, of: &request)
    }

    /// The parameters as a form in the body, with the content type `application/x-www-form-urlencoded` unless the
    /// request has one.
    public static let formUrl = ParametersEncoding("formUrl", body: setForm)

    /// The parameters as a form, written by `encoder`.
    public static func formUrl(_ encoder: QueryEncoder) -> ParametersEncoding {
        ParametersEncoding("formUrl") { try setForm($0, of: &$1, with: encoder) }
    }

    /// The parameters in the URL's query, whatever the method.
    public static let urlQuery = ParametersEncoding("urlQuery", body: addToQuery)

    /// The parameters in the URL's query, written by `encoder`.
    public static func urlQuery(_ encoder: QueryEncoder) -> ParametersEncoding {
        ParametersEncoding("urlQuery") { try addToQuery($0, of: &$1, with: encoder) }
    }

    private static func setJsonBody(_ parameters: Json, of request: inout HttpRequest) throws {
        request.body = .data(parameters.data)
        request.setContentType("application/json")
    }

    @Sendable private static func setForm(
        _ parameters: Json, of request: inout HttpRequest, with encoder: QueryEncoder
    ) throws {
        if request.method.carriesParametersInQuery {
            return try addToQuery(parameters, of: &request, with: encoder)
        }
        let form = encoder.encode(try QueryValue.members(of: parameters, encoding: "form"))
        request.body = .data(Data(form.utf8))
        request.setContentType("application/x-www-form-urlencoded")
    }

    @Sendable private static func addToQuery(
        _ parameters: Json, of request: inout HttpRequest, with encoder: QueryEncoder
    ) throws {
        let query = encoder.encode(try QueryValue.members(of: parameters, encoding: "query"))
        request.url = try request.url.appending(encodedQuery: query)
    }
}

extension HttpRequest {
    /// Sets the content type, unless the request has one.
    mutating func setContentType(_ contentType: String) {
        if headers["Content-Type"] == nil { headers["Content-Type"] = contentType }
    }
}
