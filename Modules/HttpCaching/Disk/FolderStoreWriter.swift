import Dispatch
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Writes one entry of a ``HttpCacheFolderStore``. At most 256 KiB of the body, and one piece, wait in memory.
final class FolderStoreWriter: HttpCacheWriter {
    static let batch = 4 * EntryLayout.blockSize

    private struct State {
        /// Nil after the commit or a failure.
        var file: EntryFileWriter?
        /// The bytes that were not written.
        var rest: [UInt8] = []
        /// The size of the body so far in bytes.
        var size: Int64 = 0

        /// Removes whole batches from the rest.
        mutating func takeBatches() -> [UInt8] {
            let count = rest.count / batch * batch
            guard count > 0 else { return [] }
            defer { rest.removeFirst(count) }
            return Array(rest[..<count])
        }
    }

    private let state: Mutex<State>
    private let store: HttpCacheFolderStore
    private let entry: HttpCacheEntry
    private let removals: Int
    private let queue = DispatchQueue(label: "netchain.cache-file")

    init(_ file: EntryFileWriter, _ entry: HttpCacheEntry, in store: HttpCacheFolderStore, removals: Int) {
        state = Mutex(State(file: file))
        self.store = store
        self.entry = entry
        self.removals = removals
    }

    deinit {
        discard()
    }

    func append(_ piece: Data) async throws {
        let (file, batches) = state.taking { state in
            state.size += Int64(piece.count)
            state.rest += piece
            return (state.file, state.takeBatches())
        }
        guard let file else { return }
        guard file.fileSize(withBody: state.withLock { $0.size }) <= store.options.largestEntry else {
            discard()
            throw HttpCacheFolderError(.tooLarge, store.folder.path, "stores no response of this size.")
        }
        if !batches.isEmpty { try await run(on: queue) { try file.append(batches) } }
    }

    func commit(replacing replaced: [HttpCacheEntry]) async throws {
        let (file, rest) = state.taking { state in (state.file, state.rest) }
        guard let file else { return }
        let fsync = store.options.fsync
        let (ids, others) = HttpCacheFolderStore.split(replaced, by: entry.key)
        let place: @Sendable (Int64) throws -> Void = { [store, entry, removals] size in
            try store.place(file, entry, size: size, replacing: ids, removals: removals)
        }
        let size = try await run(on: queue) { try file.finish(rest, fsync: fsync) }
        try await run(on: store.queue(of: entry.key)) { try place(size) }
        discard()
        if !others.isEmpty { try await store.remove(others) }
    }

    /// Runs `work` on a queue. Discards the file after a failure, such as a full disk.
    private func run<Value: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await queue.result(of: work)
        } catch {
            discard()
            throw error
        }
    }

    /// Releases the file. The queue removes one that is not in its place.
    private func discard() {
        let file = state.taking { state in
            state.rest = []
            return state.file.take()
        }
        if let file { queue.async { withExtendedLifetime(file) {} } }
    }
}
