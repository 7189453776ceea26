#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Functions that other libraries have here. The compiler says what to write.

extension HttpCache {
    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "removeAll()")
    public func clear() {}

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "remove(where:)")
    public func removeAll(where isSelected: (HttpCacheEntry) -> Bool) {}

    /// Unavailable: names the function.
    @available(*, unavailable, renamed: "remove(for:)")
    public func remove(_ url: URL) {}

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write remove { $0.key.url.hasPrefix(prefix) }")
    public func remove(prefix: String) {}

    /// Unavailable: names the property.
    @available(*, unavailable, message: "read await cache.statistics")
    public func usage() async throws -> HttpCacheUsage { HttpCacheUsage(entries: 0, bytes: 0) }
}
