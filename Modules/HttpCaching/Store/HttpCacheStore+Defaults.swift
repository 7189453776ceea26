#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// What a store may do at once, and need not.
extension HttpCacheStore {
    /// Stores a response by a writer.
    public func store(
        _ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]
    ) async throws {
        try await storeByWriter(entry, body, replacing: replaced)
    }

    func storeByWriter(_ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]) async throws {
        guard let writer = try await write(entry) else { return try await remove(replaced) }
        if !body.isEmpty { try await writer.append(body) }
        try await writer.commit(replacing: replaced)
    }

    /// The stored responses for several keys, by a call for each.
    public func entries(for keys: [HttpCacheKey]) async throws -> [HttpCacheEntry] {
        var entries: [HttpCacheEntry] = []
        for key in keys { entries += try await self.entries(for: key) }
        return entries
    }

    /// Removes the entries of the sessions that the closure selects, by ``remove(where:)``.
    public func removeSessions(where isSelected: @escaping @Sendable (HttpCacheSession) -> Bool) async throws {
        try await remove { isSelected($0.key.session) }
    }

    /// Removes the entries of these URLs, by ``remove(where:)``.
    public func remove(urls: Set<String>) async throws {
        try await remove { urls.contains($0.key.url) }
    }
}
