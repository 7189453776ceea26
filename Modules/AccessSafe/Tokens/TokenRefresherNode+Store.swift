public import NodeCore

extension TokenRefresherNode {
    /// Creates a refresher that gets new tokens with `refresh` and stores them in `store`.
    ///
    /// A token that expires within the store's margin is refreshed before the next request. A pair without a refresh
    /// token keeps the old one. With no tokens in the store `refresh` isn't called, and the request fails with
    /// ``AccessSafeError/Code/signedOut``.
    ///
    /// - Parameters:
    ///   - store: where the requests take their token from.
    ///   - limits: how often a refresh may run, and for how long.
    ///   - refresh: gets a new pair for the old one. Its requests must not go through an ``AccessSafeNode`` of this
    ///     refresher.
    public convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), refresh: Node<TokenPair, TokenPair>
    ) {
        self.init(store: store, limits: limits, clock: .system, refresh: refresh)
    }

    /// Creates a refresher that gets new tokens with a closure and stores them in `store`. Each call runs in a separate
    /// task, which is canceled by a logout, and by the next refresh if it has exceeded its time limit. A test passes its own
    /// clock for the limits.
    public convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock = .system,
        refresh: @escaping @Sendable (TokenPair) async throws -> TokenPair
    ) {
        self.init(
            store: store, limits: limits, clock: clock, refresh: ClosureNode(name: "TokenRefresh", async: refresh))
    }

    /// Creates a refresher that needs no old token, such as that of a service without a user (client credentials, RFC
    /// 6749 §4.4), of a registry or of a device flow.
    ///
    /// ```swift
    /// let refresher = TokenRefresherNode(fetchingFor: store) { _ in try await service.logIn() }
    /// ```
    ///
    /// The first request of a store without tokens calls it, once for all requests that start meanwhile; they are sent
    /// with the new token. After ``TokenStore/clear(cause:)`` it isn't called until ``TokenStore/set(_:)`` stores new
    /// tokens.
    ///
    /// - Parameters:
    ///   - store: where the requests take their token from.
    ///   - limits: how often a refresh may run, and for how long.
    ///   - clock: the source of time for the limits. A test passes its own.
    ///   - fetch: gets a new pair; its parameter is the old one, nil if there is none. Each call runs in a separate task,
    ///     which is canceled by a logout, and by the next refresh if it has exceeded its time limit.
    public convenience init(
        fetchingFor store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock = .system,
        fetch: @escaping @Sendable (TokenPair?) async throws -> TokenPair
    ) {
        let chain = ClosureNode(name: "TokenRefresh", async: fetch)
        self.init(
            tokenRefreshChain: TokenStoreNode(next: chain, store: store) { .some($0) }, limits: limits,
            freshness: { store.isNew ? .expired : store.freshness },
            storeSession: { store.session }, clock: clock)
        store.attach(self)
    }

    /// Creates the same refresher with a test's clock and on the test's executor.
    package convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock,
        executor: (any TaskExecutor)? = nil, refresh: Node<TokenPair, TokenPair>
    ) {
        self.init(
            tokenRefreshChain: TokenStoreNode(next: refresh, store: store) { $0 }, limits: limits,
            freshness: { store.freshness }, storeSession: { store.session }, clock: clock, executor: executor)
        store.attach(self)
    }
}

/// Passes the old pair from a store to the next node, and stores the new one.
final class TokenStoreNode<Old: Sendable>: AsyncNode<Void, Void>, @unchecked Sendable {  // immutable state
    let next: Node<Old, TokenPair>
    let store: TokenStore
    /// The input of the next node; nil if that needs an old pair and there is none.
    let old: @Sendable (TokenPair?) -> Old?

    init(next: Node<Old, TokenPair>, store: TokenStore, old: @escaping @Sendable (TokenPair?) -> Old?) {
        self.next = next
        self.store = store
        self.old = old
    }

    override func execute(_ data: Void) async throws {
        let (pair, version) = try store.toRefresh()
        guard let old = old(pair) else { throw AccessSafeError(.signedOut) }
        let refreshed = await Outcome.of { try await next.execute(old) }
        try store.end(refreshed, of: version).get()
    }
}
