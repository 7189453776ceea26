/// What a cache has done since it was created, and what it keeps.
public struct HttpCacheStatistics: Equatable, Sendable {
    /// How many responses were served without asking the server, stale ones included.
    public var hits = 0
    /// How many responses the server sent.
    public var misses = 0
    /// How many stored responses the server confirmed (304).
    public var revalidations = 0
    /// How many of the ``hits`` were stale.
    public var stale = 0
    /// How many requests shared the response to another one in progress, which is one of the ``hits``.
    public var collapsed = 0
    /// How often the store failed. Each was a miss, or something that wasn't stored, updated or removed.
    public var storeFailures = 0
    /// The number of stored responses.
    public var entries = 0
    /// The size of the stored responses in bytes.
    public var bytes: Int64 = 0
    /// How many responses were removed because of a limit.
    public var evictions = 0

    /// Creates statistics of nothing.
    public init() {}
}
