extension HttpCacheStore {
    /// Removes the entries of the sessions that the closure selects, by ``remove(where:)``.
    public func removeSessions(where isSelected: @escaping @Sendable (HttpCacheSession) -> Bool) async throws {
        try await remove { isSelected($0.key.session) }
    }
}
