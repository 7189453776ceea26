public import NodeCore

extension TokenRefresherNode {
    /// Creates a refresher that gets new tokens with `refresh` and puts them into `store`.
    ///
    /// A token that ends within the store's margin is refreshed before the next request. A pair without a refresh token
    /// keeps the old one. With no tokens in the store nothing is called, and who asks fails with
    /// ``AccessSafeError/Code/signedOut``.
    ///
    /// - Parameters:
    ///   - store: where the requests take their token from.
    ///   - limits: how often and how long a refresh may run.
    ///   - refresh: gets a new pair for the old one. Its requests must not go through an ``AccessSafeNode`` of this
    ///     refresher.
    public convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), refresh: Node<TokenPair, TokenPair>
    ) {
        self.init(store: store, limits: limits, clock: .system, refresh: refresh)
    }

    /// Creates a refresher that gets new tokens with a closure and puts them into `store`. Each call runs in a task of
    /// its own, which is canceled by a logout and when it takes too long. A test gives its own clock for the limits.
    public convenience init(
        store: TokenStore, limits: RefreshLimits = RefreshLimits(), clock: any ChainClock = .system,
        refresh: @escaping @Sendable (TokenPair) async throws -> TokenPair
    ) {
        self.init(
            store: store, limits: limits, clock: clock, refresh: ClosureNode(name: "TokenRefresh", async: refresh))
    }

    /// The same with a time that a test turns, and on the test's executor.
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

/// Takes the old pair from a store to the next node, and the new one back.
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
