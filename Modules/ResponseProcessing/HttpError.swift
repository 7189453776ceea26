public import HttpMessages
internal import Models
public import NodeCore

/// The server responded with a status that means failure. (RFC 9110 §15.)
///
/// Each case contains the response, so that an application can read the server's own error model from it:
///
/// ```swift
/// catch let error as HttpError {
///     show(try error.decodeBody(as: ApiProblem.self).message)
/// }
/// ```
public enum HttpError: Error, BodyRetaining {
    /// Status 400.
    case badRequest(HttpResponse)
    /// Status 401.
    case unauthorized(HttpResponse)
    /// Status 403.
    case forbidden(HttpResponse)
    /// Status 404.
    case notFound(HttpResponse)
    /// Status 500.
    case internalServerError(HttpResponse)
    /// Any other status that isn't accepted.
    case other(status: Int, HttpResponse)

    /// Creates the error for a response, by its status.
    public init(_ response: HttpResponse) {
        switch response.status {
        case 400: self = .badRequest(response)
        case 401: self = .unauthorized(response)
        case 403: self = .forbidden(response)
        case 404: self = .notFound(response)
        case 500: self = .internalServerError(response)
        case let status: self = .other(status: status, response)
        }
    }

    /// The response: status, headers and body.
    public var response: HttpResponse {
        switch self {
        case .badRequest(let response), .unauthorized(let response), .forbidden(let response),
            .notFound(let response), .internalServerError(let response), .other(_, let response):
            response
        }
    }

    package var retainedBodyBytes: Int {
        response.retainedBytes
    }

    /// The status of the response; ``status`` is the same for any failure, where it may be nil.
    public var statusCode: Int { response.status }

    /// The decoded body: the server's own error model. Uses the decoder of the client that sent the request: that of
    /// JSON, or the `BodyCoder` for the body's media type.
    ///
    /// - Throws: `JsonError` when the body is no JSON, `DecodingError`, which names the request, when it's another
    ///   model.
    public func decodeBody<Model: Decodable>(as type: Model.Type = Model.self) throws -> Model {
        let coders = response.request.options.coders
        if let coder = coders.coder(for: response.headers["Content-Type"]) {
            return try response.decoded(as: type, by: coder)
        }
        return try mapNamingProvenance(try Json(parsing: response.data, provenance: response.provenance)) {
            try $0.decode(type, using: coders.json)
        }
    }
}

extension HttpError: AccessFailure {
    /// True for 401 and 403.
    public var isAccessFailure: Bool {
        switch self {
        case .unauthorized, .forbidden: true
        default: false
        }
    }

    /// True for 403: the token doesn't suffice.
    public var isForbidden: Bool {
        if case .forbidden = self { true } else { false }
    }
}

extension HttpError: MaskedValue {
    /// The request and the status of its response, and how long a 429 or 503 asks to wait. Contains no other header and
    /// no body.
    public var description: String {
        "\(response.requestLine) failed with status \(response.status)\(name.map { " (\($0))" } ?? "")\(wait)"
    }

    private var wait: String {
        guard [429, 503].contains(response.status), let retryAfter else { return "" }
        let (seconds, rest) = retryAfter.components
        return ", Retry-After: \(rest > 0 ? seconds + 1 : seconds) s"
    }

    /// The reason phrases of frequent statuses (RFC 9110 §15, RFC 6585), in lowercase.
    private static let phrases = [
        405: "method not allowed", 406: "not acceptable", 408: "request timeout", 409: "conflict", 410: "gone",
        412: "precondition failed", 413: "content too large", 415: "unsupported media type",
        422: "unprocessable content", 429: "too many requests", 501: "not implemented", 502: "bad gateway",
        503: "service unavailable", 504: "gateway timeout",
    ]

    private var name: String? {
        if response.isUnsatisfied { return "the cache has no response, and no server may be asked" }
        return switch self {
        case .badRequest: "bad request"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .notFound: "not found"
        case .internalServerError: "internal server error"
        case .other(let status, _): Self.phrases[status]
        }
    }
}

extension HttpError: NetChainFailure {
    /// The status of the response.
    public var status: Int? { response.status }
    /// The delay that the response's `Retry-After` asks for; nil for a header that is neither a number nor a date. A
    /// date is compared with the response's `Date`, or with the clock.
    public var retryAfter: Duration? { RetryAfter(response.headers)?.delay }
    /// The status, such as `404`.
    public var errorType: String { "\(response.status)" }

    /// Whether the status says that the server may accept the request later: 408, 429, 502, 503, 504. Not if the cache has
    /// made the response, because no server may be asked.
    public var isRetryable: Bool { !response.isUnsatisfied && [408, 429, 502, 503, 504].contains(response.status) }
}
