#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where an ``HttpCache`` keeps responses: memory, a folder, or a database of your own.
///
/// A store decides nothing about HTTP. It keeps entries with their bodies, finds them by their key, and evicts the least
/// recently used ones at its limit. What a store of your own guarantees:
///
/// - **Concurrency**: all functions may be called from any task, several at once, also for one key. A function that
///   waits, such as for a disk, suspends its task and blocks no thread of Swift's pool. An actor is enough.
/// - **Atomicity**: a response becomes visible as a whole when its writer commits. A lookup finds it with its whole body,
///   or not at all; so does the next process after a crash. A lookup may find a response beside the one that replaces it:
///   the cache uses the later one.
/// - **Order**: what a function has stored, updated or removed when it returns is so for all later calls.
/// - **Identity**: a key finds the entries whose ``HttpCacheEntry/key`` is equal. There may be several, with different
///   ``HttpCacheEntry/nominated``. Each has its own ``HttpCacheEntry/id``.
/// - **Loss**: a store may forget an entry at any time. It returns neither the body of another entry nor a part as the
///   whole.
/// - **Errors**: a function that can't do its work throws. What it was to change stays as it was, or is removed.
///
/// An error is an event in the log and counts in ``HttpCacheStatistics/storeFailures``; it never fails a request. A failed
/// lookup or body is a miss, and what can't be written isn't stored. A response that can't be removed may still be served,
/// so `HttpCache.remove(for:)` and its like throw the error.
///
/// What is written is written after the response was returned; a lookup waits for what is being written for its URL.
public protocol HttpCacheStore: Sendable {
    /// A secret of this store, at least 16 random bytes: the key of the hashes in its entries. It is the same one as long
    /// as the entries are kept.
    func secret() async throws -> [UInt8]

    /// The stored responses for a key, in any order. Entries that are being written aren't among them. Isn't a use of them.
    func entries(for key: HttpCacheKey) async throws -> [HttpCacheEntry]

    /// The stored responses for several keys of one URL. A store that finds them at once implements it; the others need
    /// not.
    func entries(for keys: [HttpCacheKey]) async throws -> [HttpCacheEntry]

    /// The body of a stored response, which counts as a use of it; nil where the entry has been removed.
    ///
    /// A body that was opened can be read completely, even if the entry is removed or replaced meanwhile; or its reading
    /// throws. It never ends early without an error.
    func body(of entry: HttpCacheEntry) async throws -> HttpCacheBody?

    /// Begins to store a response, which becomes visible when the writer commits it; nil where the store doesn't take it,
    /// for example because its `bodyLength` exceeds a limit.
    func write(_ entry: HttpCacheEntry) async throws -> (any HttpCacheWriter)?

    /// Stores a response whose whole body is in memory, and makes it visible, as a writer would. Where the store doesn't
    /// take it, it removes what it replaces. A store that does that at once implements it; the others need not.
    ///
    /// - Parameters:
    ///   - entry: the response without its body.
    ///   - body: the whole body.
    ///   - replaced: earlier responses to the same request. Some may be gone.
    func store(_ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry]) async throws

    /// Replaces the headers and the times of the entry with this id, and counts as a use of it. Does nothing where it has
    /// been removed.
    func update(_ entry: HttpCacheEntry) async throws

    /// Removes these entries, as far as they are still there.
    func remove(_ entries: [HttpCacheEntry]) async throws

    /// Removes the entries that the closure selects. It must not use the store, and may be called on several threads at
    /// once.
    func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws

    /// Removes the entries of the sessions that the closure selects. A store that finds them without reading all entries
    /// implements it; the others need not.
    func removeSessions(where isSelected: @escaping @Sendable (HttpCacheSession) -> Bool) async throws

    /// Removes the entries of these URLs, of all sessions, because an unsafe request has changed what they represent
    /// (RFC 9111 §4.4). A store that finds them without reading all entries implements it; the others need not.
    func remove(urls: Set<String>) async throws

    /// Removes all entries. The writers in progress commit nothing.
    func removeAll() async throws

    /// What the store keeps.
    func usage() async throws -> HttpCacheUsage
}

/// Takes the body of one response. One task at a time uses it.
///
/// A writer that is released without ``commit(replacing:)`` is discarded.
public protocol HttpCacheWriter: Sendable {
    /// Appends a piece of the body.
    ///
    /// - Throws: any error, for example when the body exceeds a limit. The writer is then released. It counts as a failure
    ///   of the store, so `write(_:)` returns nil for a body whose announced length is too large.
    func append(_ piece: Data) async throws

    /// Makes the response visible with the body so far, and removes those that it replaces. Called at most once.
    ///
    /// The store sets the ``HttpCacheEntry/bodyLength`` of the entry to the number of appended bytes: the one that the
    /// writer began with is what the server announced. After `removeAll()` of the store, a commit does nothing.
    ///
    /// - Parameter replaced: earlier responses to the same request. Some may be gone.
    func commit(replacing replaced: [HttpCacheEntry]) async throws
}

/// What a store keeps.
public struct HttpCacheUsage: Equatable, Sendable {
    /// The number of entries.
    public var entries: Int
    /// The size of the entries in bytes, as the limit of the store counts it.
    public var bytes: Int64
    /// How many entries were removed because of a limit since the store was opened.
    public var evictions: Int

    /// Creates a usage.
    public init(entries: Int, bytes: Int64, evictions: Int = 0) {
        self.entries = entries
        self.bytes = bytes
        self.evictions = evictions
    }
}
