import Synchronization

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store in memory that fails where a test wants it to. Its bodies come in pieces, as those of a disk.
final class FlakyStore: HttpCacheStore {
    enum Point: CaseIterable, Sendable {
        case secret, entries, body, piece, write, append, commit, update, remove
    }

    struct Failure: Error {}

    private let memory = HttpCacheMemoryStore(limit: 1_000_000)
    private let failing = Mutex<Set<Point>>([])
    private let goneBodies = Mutex(false)
    /// The number of writers that were released.
    private let released = Mutex(0)
    private let announced = Mutex<Int64?>(nil)
    private let pieceRead = Mutex<@Sendable () -> Void>({})

    func fail(_ points: Point...) { failing.withLock { $0 = Set(points) } }
    var releasedWriters: Int { released.withLock { $0 } }
    func loseBodies() { goneBodies.withLock { $0 = true } }

    /// Sets what is called before a piece of a body is read.
    func onPiece(_ body: @escaping @Sendable () -> Void) { pieceRead.withLock { $0 = body } }

    /// Sets the length of bodies, whatever it is.
    func announce(_ length: Int64) { announced.withLock { $0 = length } }

    fileprivate func check(_ point: Point) throws {
        if failing.withLock({ $0.contains(point) }) { throw Failure() }
    }

    func secret() async throws -> [UInt8] {
        try check(.secret)
        return memory.secret()
    }

    func entries(for key: HttpCacheKey) async throws -> [HttpCacheEntry] {
        try check(.entries)
        return memory.entries(for: key)
    }

    func body(of entry: HttpCacheEntry) async throws -> HttpCacheBody? {
        try check(.body)
        if goneBodies.withLock({ $0 }) { return nil }
        guard let body = memory.body(of: entry), case .data(let data) = body.source else { return nil }
        let rest = Mutex(data)
        return HttpCacheBody(length: announced.withLock { $0 } ?? body.length) { [self] in
            pieceRead.withLock { $0 }()
            try check(.piece)
            let piece = rest.withLock { rest -> Data in
                defer { rest = Data(rest.dropFirst(3)) }
                return rest.prefix(3)
            }
            return piece.isEmpty ? nil : piece
        }
    }

    func write(_ entry: HttpCacheEntry) async throws -> (any HttpCacheWriter)? {
        try check(.write)
        return memory.write(entry).map { Writer(store: self, writer: $0) }
    }

    func update(_ entry: HttpCacheEntry) async throws {
        try check(.update)
        memory.update(entry)
    }

    func remove(_ entries: [HttpCacheEntry]) async throws {
        try check(.remove)
        memory.remove(entries)
    }

    func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws {
        memory.remove(where: isSelected)
    }

    func removeAll() async throws { memory.removeAll() }
    func usage() async throws -> HttpCacheUsage { memory.usage() }

    private final class Writer: HttpCacheWriter {
        let store: FlakyStore
        let writer: any HttpCacheWriter

        init(store: FlakyStore, writer: any HttpCacheWriter) {
            self.store = store
            self.writer = writer
        }

        deinit {
            store.released.withLock { $0 += 1 }
        }

        func append(_ piece: Data) async throws {
            try store.check(.append)
            try await writer.append(piece)
        }

        func commit(replacing replaced: [HttpCacheEntry]) async throws {
            try store.check(.commit)
            try await writer.commit(replacing: replaced)
        }
    }
}
