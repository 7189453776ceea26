import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps responses in memory, up to a number of bytes. Each operation for one response takes constant time.
///
/// A response with more than an eighth of the limit isn't stored, so that one download doesn't evict everything else.
/// The bodies that are being written take at most half of the limit beside it.
public final class HttpCacheMemoryStore: HttpCacheStore {
    private struct Item: Sendable {
        var entry: HttpCacheEntry
        let body: Data
        var cost: Int
    }

    private struct State {
        var items = LruList<UUID, Item>()
        /// The entries of each URL, by session.
        var ids: [String: [HttpCacheSession: [UUID]]] = [:]
        var bytes = 0
        var pending = 0
        var evictions = 0
        /// Advances when everything is removed, so that writers in progress commit nothing.
        var epoch = 0

        /// Returns the ids of the key's entries, the oldest first.
        @discardableResult
        mutating func insert(_ item: Item) -> [UUID] {
            items.insert(item, for: item.entry.id)
            bytes += item.cost
            let key = item.entry.key
            return Self.add(item.entry.id, to: &ids[key.url, default: [:]][key.session, default: []])
        }

        private static func add(_ id: UUID, to ids: inout [UUID]) -> [UUID] {
            ids.append(id)
            return ids
        }

        mutating func remove(_ id: UUID) -> Item? {
            guard let item = items.remove(id) else { return nil }
            bytes -= item.cost
            let key = item.entry.key
            ids[key.url]?[key.session]?.removeAll { $0 == id }
            if self[key].isEmpty { ids[key.url]?[key.session] = nil }
            if ids[key.url]?.isEmpty == true { ids[key.url] = nil }
            return item
        }

        /// The ids of a key's entries, the oldest first.
        subscript(key: HttpCacheKey) -> [UUID] { ids[key.url]?[key.session] ?? [] }

        /// Removes the least recently used items until the limit holds.
        mutating func evict(_ limit: Int) -> [Item] {
            var evicted: [Item] = []
            while bytes > limit, let id = items.oldest, let item = remove(id) { evicted.append(item) }
            evictions += evicted.count
            return evicted
        }
    }

    /// The most variants of one key. The oldest one is removed for one more.
    private static let mostVariants = 32

    private let state = Mutex(State())
    private let limit: Int
    private let key: [UInt8]

    /// Creates a store.
    ///
    /// - Parameter limit: how many bytes the bodies and headers may take.
    public init(limit: Int) {
        self.limit = max(0, limit)
        var generator = SystemRandomNumberGenerator()
        key = (0..<32).map { _ in UInt8.random(in: 0 ... .max, using: &generator) }
    }

    private var greatestCost: Int { limit / 8 }

    private func takes(_ entry: HttpCacheEntry, body: Int64) -> Bool {
        body <= Int64(greatestCost) && Self.cost(of: entry, body: Int(body)) <= greatestCost
    }

    /// A random secret of this store.
    public func secret() -> [UInt8] { key }

    /// The stored responses for a key.
    public func entries(for key: HttpCacheKey) -> [HttpCacheEntry] {
        state.withLock { state in
            state[key].compactMap { state.items.value($0)?.entry }
        }
    }

    /// The stored responses for several keys.
    public func entries(for keys: [HttpCacheKey]) -> [HttpCacheEntry] {
        state.withLock { state in
            keys.flatMap { key in state[key].compactMap { state.items.value($0)?.entry } }
        }
    }

    /// The stored responses for two keys of one URL: an array of keys would cost an allocation a request.
    func entries(for key: HttpCacheKey, or other: HttpCacheKey) -> [HttpCacheEntry] {
        state.withLock { state in
            guard let sessions = state.ids[key.url] else { return [] }
            let ids = (sessions[key.session] ?? []) + (sessions[other.session] ?? [])
            return ids.compactMap { state.items.value($0)?.entry }
        }
    }

    /// The body of a stored response, without a copy.
    public func body(of entry: HttpCacheEntry) -> HttpCacheBody? {
        state.withLock { $0.items.use(entry.id)?.body }.map { HttpCacheBody($0) }
    }

    /// Begins to store a response.
    public func write(_ entry: HttpCacheEntry) -> (any HttpCacheWriter)? {
        guard takes(entry, body: entry.bodyLength ?? 0) else { return nil }
        return Writer(self, entry, epoch: state.withLock { $0.epoch })
    }

    /// Stores a response whose body is in memory. One that is too large only removes what it replaces.
    public func store(
        _ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]
    ) async throws {
        insert(entry, body, replacing: replaced)
    }

    func insert(_ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]) {
        guard takes(entry, body: Int64(body.count)) else { return remove(replaced) }
        // A slice would keep the buffer that it was cut from.
        let body = body.startIndex == 0 ? body : Data(Array(body))
        insert(Item(entry: entry, body: body, cost: Self.cost(of: entry, body: body.count)), replacing: replaced)
    }

    /// Replaces the headers and the times of an entry. One that is too large then is removed.
    public func update(_ entry: HttpCacheEntry) {
        state.taking { [limit, greatestCost] state -> [Item] in
            guard var item = state.remove(entry.id) else { return [] }
            let old = item
            item.entry = entry
            item.entry.bodyLength = Int64(item.body.count)
            item.cost = Self.cost(of: entry, body: item.body.count)
            guard item.cost <= greatestCost else { return [old] }
            state.insert(item)
            return [old] + state.evict(limit)
        }
    }

    /// Removes entries.
    public func remove(_ entries: [HttpCacheEntry]) {
        state.taking { state in entries.compactMap { state.remove($0.id) } }
    }

    /// Removes the entries that the closure selects.
    public func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) {
        // The closure is called without the lock.
        remove(state.withLock { $0.items.values.map(\.entry) }.filter(isSelected))
    }

    /// Removes the entries of these URLs.
    public func remove(urls: Set<String>) {
        state.taking { state in
            urls.flatMap { state.ids[$0]?.values.flatMap { $0 } ?? [] }.compactMap { state.remove($0) }
        }
    }

    /// Removes all entries.
    public func removeAll() {
        state.taking { state in
            let old = (state.items, state.ids)
            (state.items, state.ids, state.bytes) = (LruList(), [:], 0)
            state.epoch += 1
            return old
        }
    }

    /// What is stored.
    public func usage() -> HttpCacheUsage {
        state.withLock { HttpCacheUsage(entries: $0.items.count, bytes: Int64($0.bytes), evictions: $0.evictions) }
    }

    /// About the memory of an entry in bytes: its texts and its body, 40 or 64 for each header, and 500 for the rest.
    private static func cost(of entry: HttpCacheEntry, body: Int) -> Int {
        var headers = 0
        entry.headers.forEachField { headers += $0.count + $1.count + 40 }
        for header in entry.nominated { headers += header.name.utf8.count + (header.value?.utf8.count ?? 0) + 64 }
        return 500 + entry.key.url.utf8.count + headers + body
    }

    // MARK: - Writing

    enum WritingError: Error {
        case tooLarge
    }

    private final class Writer: HttpCacheWriter {
        private let store: HttpCacheMemoryStore
        private let entry: HttpCacheEntry
        private let epoch: Int
        /// The cost of the entry without a body.
        private let headCost: Int
        private let body = Mutex(Data())

        init(_ store: HttpCacheMemoryStore, _ entry: HttpCacheEntry, epoch: Int) {
            self.store = store
            self.entry = entry
            self.epoch = epoch
            headCost = HttpCacheMemoryStore.cost(of: entry, body: 0)
        }

        deinit {
            release()
        }

        func append(_ piece: Data) throws {
            let cost = headCost + body.withLock { $0.count } + piece.count
            guard cost <= store.greatestCost, store.reserve(piece.count) else {
                release()
                throw WritingError.tooLarge
            }
            // Only one task uses the writer. A second reference to the body would copy all of it for each piece.
            var whole = take()
            // A slice would keep the buffer that it was cut from.
            if whole.isEmpty, piece.startIndex == 0 { whole = piece } else { whole.append(piece) }
            body.withLock { $0 = whole }
        }

        func commit(replacing replaced: [HttpCacheEntry]) {
            let body = release()
            var entry = entry
            entry.bodyLength = Int64(body.count)
            store.insert(
                Item(entry: entry, body: body, cost: HttpCacheMemoryStore.cost(of: entry, body: body.count)),
                replacing: replaced, epoch: epoch)
        }

        @discardableResult
        private func release() -> Data {
            let body = take()
            if !body.isEmpty { store.free(body.count) }
            return body
        }

        private func take() -> Data {
            body.taking { body -> Data in
                defer { body = Data() }
                return body
            }
        }
    }

    private func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            guard state.pending + count <= limit / 2 else { return false }
            state.pending += count
            return true
        }
    }

    private func free(_ count: Int) {
        state.withLock { $0.pending -= count }
    }

    /// - Parameter epoch: what is stored only if nothing advanced it; nil for the current one.
    private func insert(_ item: Item, replacing replaced: [HttpCacheEntry], epoch: Int? = nil) {
        state.taking { [limit] state -> [Item] in
            guard epoch == nil || state.epoch == epoch else { return [item] }
            var removed = replaced.compactMap { state.remove($0.id) }
            let ids = state.insert(item)
            if ids.count > Self.mostVariants, let old = state.remove(ids[0]) {
                removed.append(old)
            }
            return removed + state.evict(limit)
        }
    }
}
