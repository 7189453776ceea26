/// What a stored response is found by: the URL, and the session that stored it.
///
/// The method isn't a part of it: only responses to `GET` are stored, and they serve `GET` and `HEAD`. Several responses
/// for one key differ in the request headers that their `Vary` nominates (RFC 9111 §4.1).
public struct HttpCacheKey: Hashable, Sendable {
    /// The URL that was sent, without a fragment. Its host is in lower case, the port of its scheme is left out, and an
    /// empty path is `/`. The values of secrets in it, such as a query parameter `api_key`, are replaced by keyed hashes.
    /// After redirects it is the last URL.
    public var url: String
    /// Who may get the response.
    public var session: HttpCacheSession

    /// Creates a key.
    public init(url: String, session: HttpCacheSession = .anonymous) {
        self.url = url
        self.session = session
    }
}

/// Who may get a stored response: everyone, requests without credentials, or those with the credentials of the request
/// of which it is the response.
///
/// The name of a session with credentials is a keyed hash of them, in lower-case hexadecimal digits.
public struct HttpCacheSession: Hashable, Sendable, RawRepresentable {
    /// The name, of ASCII letters and digits, as a store keeps it; empty for ``anonymous``.
    public let rawValue: String

    /// Creates a session from a stored name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Requests without credentials.
    public static let anonymous = HttpCacheSession(rawValue: "")
    /// All requests: the response says `public`.
    public static let everyone = HttpCacheSession(rawValue: "public")

    /// Requests whose credentials are others each time, such as those of Digest. Their responses are stored for everyone or
    /// not at all.
    static let once = HttpCacheSession(rawValue: "once")

    /// Whether the responses belong to the credentials of a user.
    public var hasCredentials: Bool { self != .anonymous && self != .everyone }
}
