/// How a request uses the cache of its client.
///
/// ```swift
/// let fresh: Article = try await api.get("articles/1").caching(.reload).send()
/// ```
public struct CacheMode: Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        case standard, reload, revalidate, onlyIfCached, none
        case staleAtMost(Duration)
    }

    package let kind: Kind

    /// As RFC 9111 says: a fresh stored response is served, a stale one is validated. If no server can be reached, a stale
    /// one may be served.
    public static let standard = CacheMode(kind: .standard)
    /// The request is sent, with `Cache-Control: no-cache`, and its response is stored.
    public static let reload = CacheMode(kind: .reload)
    /// A stored response is validated even if it is fresh, unless it is `immutable` (RFC 8246): less traffic than
    /// ``reload`` where nothing has changed.
    public static let revalidate = CacheMode(kind: .revalidate)
    /// Nothing is sent. A stored response is served even if it is stale, unless it says `no-cache` or `must-revalidate`.
    /// Without one the request fails with the status 504.
    public static let onlyIfCached = CacheMode(kind: .onlyIfCached)
    /// The cache isn't used, and the response isn't stored.
    public static let none = CacheMode(kind: .none)

    /// A stored response that has been stale for at most this time is served, unless it says `no-cache` or
    /// `must-revalidate`.
    public static func staleAtMost(_ time: Duration) -> CacheMode {
        CacheMode(kind: .staleAtMost(time))
    }

    /// The name of the mode.
    public var description: String {
        switch kind {
        case .staleAtMost(let time): "staleAtMost(\(time))"
        default: "\(kind)"
        }
    }
}
