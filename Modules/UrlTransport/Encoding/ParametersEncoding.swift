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
    private let body: @Sendable (Json, inout HttpRequest) throws -> Void

    /// Creates an encoding.
    ///
    /// - Parameters:
    ///   - name: its name, for logs.
    ///   - encode: puts the parameters into the request. Called on any thread, several times at once. Not called for a
    ///     request without parameters. An error that it throws fails the request.
    public init(_ name: String, encode: @escaping @Sendable (Json, inout HttpRequest) throws -> Void) {
        description = name
        body = encode
    }

    /// Puts the parameters into the request.
    public func encode(_ parameters: Json, into request: inout HttpRequest) throws {
        try body(parameters, &request)
    }

    /// The parameters as JSON in the body, with the content type `application/json` unless the request has one. The
    /// default.
    public static let json = ParametersEncoding("json") { parameters, request in
        if request.method.carriesParametersInQuery {
            try addToQuery(parameters, of: &request, with: QueryEncoder())
        } else {
            try setJsonBody(parameters, of: &request)
        }
    }

    /// The parameters as JSON in the body, also of a `GET`, for servers that require it. For other methods it equals
    /// ``json``, which is preferred.
    public static let jsonBody = ParametersEncoding("jsonBody") { try setJsonBody($0, of: &$1) }

    /// The parameters as a form in the body, with the content type `application/x-www-form-urlencoded` unless the
    /// request has one.
    public static let formUrl = formUrl(QueryEncoder())

    /// The parameters as a form, written by `encoder`.
    public static func formUrl(_ encoder: QueryEncoder) -> ParametersEncoding {
        ParametersEncoding("formUrl") { parameters, request in
            if request.method.carriesParametersInQuery {
                try addToQuery(parameters, of: &request, with: encoder)
            } else {
                let form = encoder.encode(try QueryValue.members(of: parameters, encoding: "form"))
                request.body = .data(Data(form.utf8))
                request.setContentType("application/x-www-form-urlencoded")
            }
        }
    }

    /// The parameters in the URL's query, whatever the method.
    public static let urlQuery = urlQuery(QueryEncoder())

    /// The parameters in the URL's query, written by `encoder`.
    public static func urlQuery(_ encoder: QueryEncoder) -> ParametersEncoding {
        ParametersEncoding("urlQuery") { try addToQuery($0, of: &$1, with: encoder) }
    }

    private static func setJsonBody(_ parameters: Json, of request: inout HttpRequest) throws {
        request.body = .data(parameters.data)
        request.setContentType("application/json")
    }

    private static func addToQuery(
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
