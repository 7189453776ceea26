/// An HTTP method (RFC 9110 §9, RFC 5789): one of the standard ones or your own.
public struct HttpMethod: Hashable, Sendable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it's sent; methods are case-sensitive.
    public let rawValue: String

    /// Creates a method of any name, `PURGE` for instance.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a method of any name.
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
    /// `CONNECT`, which libcurl keeps for proxies: a request with it fails.
    public static let connect = HttpMethod(rawValue: "CONNECT")

    /// The name as it's sent.
    public var description: String { rawValue }

    /// Whether sending it twice does the same as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .get, .head, .options, .trace, .put, .delete: true
        default: false
        }
    }

    /// Whether a server may get a request with these headers twice without harm, or can tell that it's the same again
    /// (draft-ietf-httpapi-idempotency-key-header).
    package func mayRepeat(with headers: HttpHeaders) -> Bool {
        isIdempotent || headers["Idempotency-Key"] != nil
    }

    /// Whether its parameters belong in the query whatever the encoding: `GET`, `HEAD`.
    var carriesParametersInQuery: Bool {
        self == .get || self == .head
    }
}
