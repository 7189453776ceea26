/// An HTTP method (RFC 9110 §9, RFC 5789): a standard or a custom one.
public struct HttpMethod: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it is sent. Methods are case-sensitive.
    public let rawValue: String

    /// Creates a method with any name, such as `PURGE`.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method with any name.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// `GET`
    public static let get = HttpMethod(rawValue: "GET")
    /// `HEAD`
    public static let head = HttpMethod(rawValue: "HEAD")
    /// `POST`
    public static let post = HttpMethod(rawValue: "POST")
    /// `PUT`
    public static let put = HttpMethod(rawValue: "PUT")
    /// `PATCH`
    public static let patch = HttpMethod(rawValue: "PATCH")
    /// `DELETE`
    public static let delete = HttpMethod(rawValue: "DELETE")
    /// `OPTIONS`
    public static let options = HttpMethod(rawValue: "OPTIONS")
    /// `TRACE`
    public static let trace = HttpMethod(rawValue: "TRACE")
    /// `CONNECT`, which libcurl reserves for proxies. A request with it fails.
    package static let connect = HttpMethod(rawValue: "CONNECT")

    /// The name as it is sent.
    public var description: String { rawValue }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete: true
        default: false
        }
    }

    /// Whether the sender may send a request with these headers twice. The method is idempotent, or the server detects
    /// the repetition by its `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header).
    package func mayRepeat(with headers: HttpHeaders) -> Bool {
        isIdempotent || headers["Idempotency-Key"] != nil
    }

    /// Whether the parameters belong in the query: `GET`, `HEAD`. ``ParametersEncoding/jsonBody`` is the exception.
    package var carriesParametersInQuery: Bool {
        self == .get || self == .head
    }
}
