import Foundation
import NetChainKit

/// Gathers a body, and inserts the whole response.
actor SqliteWriter: HttpCacheWriter {
    private struct TooLarge: Error {}

    private let store: SqliteStore
    private let entry: HttpCacheEntry
    private let removals: Int
    private var body = Data()

    init(_ store: SqliteStore, _ entry: HttpCacheEntry, after removals: Int) {
        self.store = store
        self.entry = entry
        self.removals = removals
    }

    func append(_ piece: Data) throws {
        guard body.count + piece.count <= store.largestBody else { throw TooLarge() }
        body += piece
    }

    func commit(replacing replaced: [HttpCacheEntry]) async throws {
        try await store.insert(entry, body, replacing: replaced, after: removals)
    }
}
