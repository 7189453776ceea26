#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Functions that other libraries have here. The compiler says what to write.

extension HttpCache {
    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try HttpCache(folder: url, limit: bytes)")
    public convenience init(directory: URL) { self.init(memory: 0) }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try HttpCache(folder: url, limit: bytes)")
    public convenience init(directory: URL, limit: Int) { self.init(memory: 0) }

    /// Unavailable: names the limit.
    @available(*, unavailable, message: "write try HttpCache(folder: url, limit: bytes)")
    public convenience init(folder: URL) { self.init(memory: 0) }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write HttpCache(memory: bytes)")
    public convenience init() { self.init(memory: 0) }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write HttpCache(memory: bytes)")
    public static func memory(_ bytes: Int) -> HttpCache { HttpCache(memory: bytes) }

    /// Unavailable: names the initializer.
    @available(*, unavailable, message: "write try HttpCache(folder: url, limit: bytes)")
    public static func folder(_ url: URL, limit: Int) -> HttpCache { HttpCache(memory: 0) }

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "removeAll()")
    public func clear() {}

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "remove(where:)")
    public func removeAll(where isSelected: (HttpCacheEntry) -> Bool) {}

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "remove(for:)")
    public func remove(_ url: URL) {}

    /// Unavailable: states that the URL is one.
    @available(*, unavailable, message: "write remove(for: url), with a URL")
    public func remove(_ url: String) {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write remove { $0.key.url.hasPrefix(prefix) }")
    public func remove(prefix: String) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "read await cache.statistics")
    public func usage() async throws -> HttpCacheUsage { HttpCacheUsage(entries: 0, bytes: 0) }
}
