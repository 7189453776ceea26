import Dispatch
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HttpCacheFolderStore {
    /// Begins to store a response; nil for one that is too large, and while evictions lag behind.
    public func write(_ entry: HttpCacheEntry) async throws -> (any HttpCacheWriter)? {
        guard let file = file(for: entry, bodyLength: entry.bodyLength ?? 0) else { return nil }
        return FolderStoreWriter(file, entry, in: self, removals: removals.withLock { $0 })
    }

    /// Stores a response whose body is in memory. A small one is one operation of the key's queue.
    public func store(
        _ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]
    ) async throws {
        // A larger body, and fsync(2), would delay the other keys of the queue.
        guard options.fsync == .never, body.count < FolderStoreWriter.batch else {
            return try await storeByWriter(entry, body, replacing: replaced)
        }
        let removals = removals.withLock { $0 }
        let (ids, others) = Self.split(replaced, by: entry.key)
        let isTaken = try await queue(of: entry.key).result { [self] in
            guard let file = file(for: entry, bodyLength: Int64(body.count)) else { return false }
            let size = try file.finish(Array(body), fsync: .never)
            try place(file, entry, size: size, replacing: ids, removals: removals)
            return true
        }
        let superseded = isTaken ? others : replaced
        if !superseded.isEmpty { try await remove(superseded) }
    }

    /// The ids of the replaced entries of the same key, and the other entries.
    static func split(
        _ replaced: [HttpCacheEntry], by key: HttpCacheKey
    ) -> (ids: Set<UUID>, others: [HttpCacheEntry]) {
        (Set(replaced.filter { $0.key == key }.map(\.id)), replaced.filter { $0.key != key })
    }

    /// A file for a new entry; nil for one that isn't stored.
    private func file(for entry: HttpCacheEntry, bodyLength: Int64) -> EntryFileWriter? {
        let (isFull, mustScan) = usageState.withLock { ($0.isFull, $0.isFull && $0.requestScan()) }
        // Otherwise sums that are too high would stay, because nothing is stored.
        if mustScan { requestScan() }
        guard !isFull, EntryName.isStorable(entry.key.session),
            let file = EntryFileWriter(entry, in: folder), file.fileSize(withBody: bodyLength) <= options.largestEntry
        else { return nil }
        return file
    }
}
