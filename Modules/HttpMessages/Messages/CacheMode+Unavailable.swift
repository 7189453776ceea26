// Modes that other libraries have. The compiler says what to write.

extension CacheMode {
    /// Unavailable: states when stale responses are served.
    @available(*, unavailable, message: "it is so by itself where the response allows it; write .staleAtMost(time)")
    public static var staleIfError: CacheMode { .standard }

    /// Unavailable: states when stale responses are served.
    @available(*, unavailable, message: "without a network .standard serves stale responses for up to seven days")
    public static var staleIfOffline: CacheMode { .standard }

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write cacheThenNetwork(as: User.self) in place of send()")
    public static var cacheThenNetwork: CacheMode { .standard }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "standard")
    public static var `default`: CacheMode { .standard }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "standard")
    public static var useProtocolCachePolicy: CacheMode { .standard }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "none")
    public static var noStore: CacheMode { .none }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "none")
    public static var off: CacheMode { .none }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "none")
    public static var never: CacheMode { .none }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "revalidate")
    public static var noCache: CacheMode { .revalidate }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "revalidate")
    public static var reloadRevalidatingCacheData: CacheMode { .revalidate }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "reload")
    public static var networkOnly: CacheMode { .reload }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "reload")
    public static var reloadIgnoringLocalCacheData: CacheMode { .reload }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "onlyIfCached")
    public static var cacheOnly: CacheMode { .onlyIfCached }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "onlyIfCached")
    public static var offline: CacheMode { .onlyIfCached }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "onlyIfCached")
    public static var returnCacheDataDontLoad: CacheMode { .onlyIfCached }

    /// Unavailable: names the mode.
    @available(*, unavailable, renamed: "staleAtMost")
    public static func maxStale(_ time: Duration) -> CacheMode { .staleAtMost(time) }

    /// Unavailable: names the mode that comes closest.
    @available(*, unavailable, message: "write .staleAtMost(time), with the age that you accept")
    public static var returnCacheDataElseLoad: CacheMode { .standard }
}
