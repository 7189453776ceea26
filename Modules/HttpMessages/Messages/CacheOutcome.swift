/// What a cache did for a response.
public enum CacheOutcome: Hashable, Sendable {
    /// A stored, fresh response was served. Nothing was sent.
    case hit(age: Duration)
    /// The server confirmed a stored response (304), which was served with the updated headers.
    case revalidated
    /// The server sent the response.
    case miss
    /// A stored, stale response was served.
    case stale(age: Duration, StaleReason)

    /// Why a stale response was served. Later versions may add reasons.
    public struct StaleReason: Hashable, Sendable, CustomStringConvertible {
        /// The name of the reason.
        public let description: String

        init(_ name: String) {
            description = name
        }

        /// The response allows it for some time, while a request in the background validates it
        /// (`stale-while-revalidate`, RFC 5861 §3).
        public static let whileRevalidating = StaleReason("stale while revalidating")
        /// The request failed, or its response was a 500, 502, 503 or 504, and `stale-if-error` allows it (RFC 5861 §4).
        public static let error = StaleReason("the request failed")
        /// No server could be reached (RFC 9111 §4.2.4).
        public static let offline = StaleReason("offline")
        /// The request accepts it: ``CacheMode/staleAtMost(_:)``, ``CacheMode/onlyIfCached`` or `max-stale`.
        public static let accepted = StaleReason("the request accepts it")
    }

    /// Whether the body is one that was stored.
    public var isStored: Bool { self != .miss }

    /// Whether a stale response was served.
    public var isStale: Bool { if case .stale = self { true } else { false } }

    /// Unavailable: a hit, a stale response and a revalidated one are three cases.
    @available(*, unavailable, message: "write isStored, or age != nil where the server was not asked")
    public var isHit: Bool { isStored }

    /// The age of the stored response that was served without asking the server; nil where the server was asked.
    public var age: Duration? {
        switch self {
        case .hit(let age), .stale(let age, _): age
        case .revalidated, .miss: nil
        }
    }
}

extension CacheOutcome: CustomStringConvertible {
    /// The outcome in words, with the age in seconds.
    public var description: String {
        switch self {
        case .hit(let age): "hit, \(age.components.seconds) s old"
        case .revalidated: "revalidated"
        case .miss: "miss"
        case .stale(let age, let reason): "stale, \(age.components.seconds) s old: \(reason)"
        }
    }
}
