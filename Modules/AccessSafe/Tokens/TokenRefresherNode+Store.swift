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
    /// task, which is canceled by a logout and when it takes too long. A test passes its own clock for the limits.
    public convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock = .system,
        refresh: @escaping @Sendable (TokenPair) async throws -> TokenPair
    ) {
        self.init(
            store: store, limits: limits, clock: clock, refresh: ClosureNode(name: "TokenRefresh", async: refresh))
    }

    /// Creates the same refresher with a test's clock and on the test's executor.
    package convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock,
        executor: (any TaskExecutor)? = nil, refresh: Node<TokenPair, TokenPair>
    ) {
        self.init(
            tokenRefreshChain: TokenStoreNode(next: refresh, store: store), limits: limits,
            freshness: { store.freshness }, storeSession: { store.session }, clock: clock, executor: executor)
        store.attach(self)
    }
}

/// Passes the old pair from a store to the next node, and stores the new one.
final class TokenStoreNode: Node<Void, Void>, @unchecked Sendable {  // immutable state
    let next: Node<TokenPair, TokenPair>
    let store: TokenStore

    init(next: Node<TokenPair, TokenPair>, store: TokenStore) {
        self.next = next
        self.store = store
    }

    override func process(_ data: Void) -> Observer<Void> {
        do {
            let (pair, version) = try store.toRefresh()
            return next.process(pair).source.then { [store] in Observer(store.end($0, of: version)) }
        } catch {
            return .emit(error: error)
        }
    }
}
