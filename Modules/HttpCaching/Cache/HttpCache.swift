import Logging
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A private cache of responses (RFC 9111), which the clients of an application share.
///
/// ```swift
/// let api = ApiClient("https://api.example.com") {
///     $0.cache = HttpCache(memory: 20_000_000)
/// }
/// ```
///
/// - Responses to requests with credentials are stored for these credentials alone, unless the response is `public`.
/// - Concurrent requests for one URL that find nothing are sent once.
/// - `stale-while-revalidate`, `stale-if-error` (RFC 5861) and `immutable` (RFC 8246) are heeded. If no server can be
///   reached, a stale response is served, unless it says `no-cache` or `must-revalidate`.
/// - An error of the store is a miss and an event in the log.
///
/// May be used from any thread.
public final class HttpCache: Sendable {
    private struct State {
        /// Without what the store keeps.
        var statistics = HttpCacheStatistics()
        var names: CacheNames?
        var sessions = KnownSessions()
        /// The last failure of the store that no journal has got.
        var unreported: CacheEvent?
    }

    package let store: any HttpCacheStore
    let clock: CacheClock
    /// The most time that a response may be stale for when no server can be reached, in seconds.
    let offlineStaleness: Double
    package let number = WeakSessionEndListener.newNumber()
    let flights = Flights()
    let writes = ActiveWrites()
    /// The store if it is in memory. It is called directly, because the calls of a store that may wait take longer than
    /// its work: 20,000 of 110,000 instructions of a miss.
    let memory: HttpCacheMemoryStore?
    /// nil for a store in memory, which is written before the response is returned.
    private let background: BackgroundWrites?
    private let state = Mutex(State())

    /// Creates a cache in memory.
    ///
    /// - Parameters:
    ///   - bytes: how many bytes the stored responses may take.
    ///   - offlineStaleness: the most time that a response may be stale for when it is served because no server can be
    ///     reached; zero to fail then.
    public convenience init(memory bytes: Int, offlineStaleness: Duration = .seconds(7 * 86_400)) {
        self.init(store: HttpCacheMemoryStore(limit: bytes), offlineStaleness: offlineStaleness)
    }

    /// Creates a cache with a store of your own.
    ///
    /// - Parameters:
    ///   - store: keeps the responses.
    ///   - offlineStaleness: the most time that a response may be stale for when it is served because no server can be
    ///     reached; zero to fail then.
    public convenience init(store: any HttpCacheStore, offlineStaleness: Duration = .seconds(7 * 86_400)) {
        self.init(store: store, offlineStaleness: offlineStaleness, clock: .system)
    }

    /// Creates a cache with a test's clock.
    package init(
        store: any HttpCacheStore, offlineStaleness: Duration = .seconds(7 * 86_400), clock: any ChainClock,
        startTime: Date = Date()
    ) {
        self.store = store
        memory = store as? HttpCacheMemoryStore
        background = memory == nil ? BackgroundWrites(clock) : nil
        self.offlineStaleness = offlineStaleness / .seconds(1)
        self.clock = CacheClock(clock, startTime: startTime)
    }

    // MARK: - Removing

    /// Removes all responses, also those that are being stored.
    ///
    /// - Throws: the error of the store.
    public func removeAll() async throws {
        writes.invalidate { _, _ in true }
        await waitForWrites()
        try await store.removeAll()
    }

    /// Removes the responses of a URL, of all sessions.
    ///
    /// - Throws: the error of the store.
    public func remove(for url: URL) async throws {
        let names = try await names()
        writes.invalidate { key, _ in names.isName(key.url, of: url) }
        await waitForWrites()
        try await store.remove { names.isName($0.key.url, of: url) }
    }

    /// Removes the responses that the closure selects. It may be called on several threads at once, and must not use the
    /// cache.
    ///
    /// - Throws: the error of the store.
    public func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws {
        // What hasn't arrived yet might be selected.
        writes.invalidate { _, entry in entry.map(isSelected) ?? true }
        await waitForWrites()
        try await store.remove(where: isSelected)
    }

    /// Removes the responses that belong to credentials, of all users. Those for everyone, and for requests without
    /// credentials, stay.
    ///
    /// Signing out removes what its session has stored without this function, in the background; an error is an event in
    /// the log of the next request. An application that waits for the removal, or handles its error, calls it after
    /// `TokenStore.clear()`.
    ///
    /// - Throws: the error of the store.
    public func removeSessions() async throws {
        writes.invalidate { key, _ in key.session.hasCredentials }
        await waitForWrites()
        try await store.removeSessions { $0.hasCredentials }
    }

    // MARK: - Writing

    /// Waits until the responses that were returned are stored. A program that ends calls it, because a store that isn't
    /// in memory is written in the background, up to 50 milliseconds later. What wasn't written when the process ends isn't
    /// stored.
    public func waitForWrites() async {
        await background?.wait()
    }

    /// Waits until what was stored for a URL can be found.
    func waitForWrites(of url: String) async {
        await background?.wait(for: url)
    }

    /// Writes to the store: in the background, if it isn't in memory.
    ///
    /// - Parameters:
    ///   - url: of the key.
    ///   - bytes: the size of the body in memory.
    func writing(_ url: String, bytes: Int = 0, _ write: @escaping @Sendable () async -> Void) async {
        if let background { await background.run(for: url, bytes: bytes, write) } else { await write() }
    }

    /// Calls the store. Its errors are events in the log: of this request, or of the next one where it has ended.
    @discardableResult
    func storing<Value: Sendable>(
        _ operation: StoreOperation = .use, _ body: () async throws -> Value
    ) async -> Value? {
        do {
            return try await body()
        } catch {
            failed(to: operation, error)
            return nil
        }
    }

    private func failed(to operation: StoreOperation, _ error: any Error) {
        // The task was canceled, and not the store's operation at fault.
        if error is CancellationError || Task.isCancelled { return }
        if error.isForSize { return CacheEvent.notStored(error).write() }
        let (journal, event) = (Journal.current, CacheEvent.storeFailed(operation, error))
        state.taking { state -> CacheEvent? in
            state.statistics.storeFailures += 1
            guard journal == nil else { return nil }
            defer { state.unreported = event }
            return state.unreported
        }
        if let journal { event.write(in: journal) }
    }

    // MARK: - Statistics

    /// What the cache has done and keeps, after the writes in progress. What an unreadable store keeps is 0.
    public var statistics: HttpCacheStatistics {
        get async {
            await waitForWrites()
            var statistics = state.withLock { $0.statistics }
            guard let usage = try? await store.usage() else { return statistics }
            statistics.entries = usage.entries
            statistics.bytes = usage.bytes
            statistics.evictions = usage.evictions
            return statistics
        }
    }

    func count(_ change: (inout HttpCacheStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }

    // MARK: - Sessions

    /// The names of what is stored, if the store was asked for its secret. Reports an error that no journal has got.
    var knownNames: CacheNames? {
        let (names, unreported) = state.taking { ($0.names, $0.unreported.take()) }
        unreported?.write()
        return names
    }

    /// The names of what is stored, by the secret of the store.
    func names() async throws -> CacheNames {
        if let names = state.withLock({ $0.names }) { return names }
        let new = CacheNames(key: try await store.secret())
        return state.withLock { state in
            if let names = state.names { return names }
            state.names = new
            return new
        }
    }

    /// Records whose session it is, so that its responses are removed when the session ends.
    func record(_ session: HttpCacheSession, of admissions: [any Admission]) {
        let gates = state.withLock { $0.sessions.add(session, of: admissions.map(\.gate)) }
        for admission in admissions where gates.contains(admission.gate) { admission.notifyAtSessionEnd(self) }
    }
}

extension HttpCache: SessionEndListener {
    /// Removes what the session has stored, and what sessions of earlier processes have, because nothing says whose they
    /// are.
    package func sessionEnded(gate: Int) {
        let isSelected = state.withLock { $0.sessions.end(gate) }
        writes.invalidate { key, _ in isSelected(key.session) }
        Task {
            await waitForWrites()
            await storing(.remove) { try await store.removeSessions(where: isSelected) }
        }
    }
}
