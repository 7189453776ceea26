import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
/// Holds the tokens of a session: requests take the access token from it, a ``TokenRefresherNode`` stores new pairs.
///
/// ```swift
/// let store = TokenStore(savedPair) { pair in save(pair) }
/// let refresher = TokenRefresherNode(store: store) { old in
///     try await api.refresh(old.refreshToken)
/// }
/// store.set(pair)   // signed in
/// store.clear()     // signed out
/// ```
///
/// A logout or newer tokens that arrive during a refresh win over its result. May be used from any thread.
public final class TokenStore: Sendable {
    /// How long before its expiry a token is refreshed.
    package let margin: Duration
    private let now: @Sendable () -> Date
    private let onChange: (@Sendable (TokenPair?) -> Void)?
    private let state: Mutex<State>

    struct State: Sendable {
        var pair: TokenPair?
        /// Counts the changes, so that a refresh can decide whether its result is still wanted.
        var version = 0
        /// When the tokens were last removed: the start of the session.
        var session = LogicalTime.zero
        /// When the access token is to be refreshed; nil when that is unknown.
        var refreshAt: Date?
        /// Why there are no tokens.
        var cause: (any Error)?
        var refreshers: [WeakRefresher] = []
        var sessionGate: TokenRefresherNode?
        /// Changes that have not been reported to `onChange`, oldest first. One thread at a time reports them.
        var changes: [Change] = []
        var isReporting = false

        struct Change: Sendable {
            let version: Int
            let pair: TokenPair?
            /// Whether the refreshers know of it.
            var isComplete = false
        }

        /// Removes the changes that can be reported: those before the first one that isn't complete.
        mutating func takeCompleteChanges() -> [Change] {
            let complete = changes.prefix { $0.isComplete }
            changes.removeFirst(complete.count)
            isReporting = !complete.isEmpty
            return Array(complete)
        }

        /// Whether no tokens were stored and none removed.
        var isNew: Bool { pair == nil && session == .zero }
    }

    struct WeakRefresher: Sendable {
        let gate: Int
        weak var node: TokenRefresherNode?
    }

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - pair: the tokens of a session that was saved, or nil before the user signs in.
    ///   - margin: how long before its expiry a token is refreshed; for one that arrives later with a lifetime of less
    ///     than twice as long, half its lifetime. Has no effect where ``TokenPair/expiresAt`` is nil.
    ///   - onChange: called after each change with the new tokens, to save them; nil after a logout, but not after another one.
    ///     One call comes after another, in the order of the changes, on the thread of a change, never under a lock.
    public convenience init(
        _ pair: TokenPair? = nil,
        margin: Duration = .seconds(30),
        onChange: (@Sendable (TokenPair?) -> Void)? = nil
    ) {
        self.init(pair, margin: margin, now: { Date() }, onChange: onChange)
    }

    /// Creates a store with a test's clock.
    package init(
        _ pair: TokenPair?, margin: Duration, now: @escaping @Sendable () -> Date,
        onChange: (@Sendable (TokenPair?) -> Void)? = nil
    ) {
        self.margin = margin
        self.now = now
        self.onChange = onChange
        state = Mutex(State(pair: pair, refreshAt: pair?.expiresAt.map { $0 - margin / .seconds(1) }))
    }

    /// The tokens, nil when signed out.
    public var pair: TokenPair? {
        state.withLock { $0.pair }
    }

    /// Unavailable: names the property.
    @available(*, unavailable, renamed: "pair")
    public var current: TokenPair? { pair }

    /// The access token that a request is to be sent with, nil when signed out. Downstream of an ``AccessSafeNode`` it also
    /// records with which token the request is sent, so that a rejection is compared with the right one.
    public var accessToken: String? {
        let admissions = (Run.current?.admissions ?? []).compactMap { $0 as? AccessAdmission }
        if !admissions.isEmpty {
            let gates = refreshers.map(\.gate)
            // Before the token is read: it may be newer than the ticket says, and never older.
            for admission in admissions where gates.contains(admission.gate) { admission.willTakeToken() }
        }
        return pair?.accessToken
    }

    /// What is known of the access token at this moment.
    package var freshness: TokenFreshness {
        let (pair, refreshAt) = state.withLock { ($0.pair, $0.refreshAt) }
        guard let refreshAt, let end = pair?.expiresAt else { return .fresh }
        let now = now()
        return now < refreshAt ? .fresh : now < end ? .expiring : .expired
    }

    /// Stores tokens: after a login, or newer ones of the same session that were received elsewhere.
    ///
    /// They are treated as tokens from a refresh: they are used for at least half their lifetime, and a request that is
    /// rejected with older ones is sent again without a refresh.
    ///
    /// Where the user changes, call ``clear(cause:)`` first, so that no request of one user is sent as the other.
    public func set(_ pair: TokenPair) {
        let now = now()
        change { state in
            state.pair = pair
            state.refreshAt = refreshTime(of: pair, receivedAt: now)
            state.cause = nil
            return true
        } then: {
            for refresher in refreshers { refresher.node?.renew() }
        }
    }

    /// Removes the tokens, as a logout does. A refresh in progress is canceled and its result is ignored. These
    /// requests fail with ``AccessSafeError/Code/signedOut``: frozen ones, those that need a refresh from now on, and
    /// those that have passed an ``AccessSafeNode`` and were not sent yet.
    ///
    /// - Parameter cause: why, as the cause of that error.
    public func clear(cause: (any Error)? = nil) {
        change { state in
            state.pair = nil
            state.refreshAt = nil
            state.cause = cause
            state.session = .advance()
            return true
        } then: {
            for refresher in refreshers { refresher.node?.endSession(cause: cause) }
        }
    }

    private var refreshers: [WeakRefresher] {
        state.withLock { $0.refreshers }
    }

    /// When the session began: it changes in one step with the removal of the tokens.
    var session: LogicalTime {
        state.withLock { $0.session }
    }

    /// A gate without a refresh, for requests with a token of this store that nothing refreshes: it fails those whose
    /// session has ended.
    package var sessionGate: TokenRefresherNode {
        if let gate = state.withLock({ $0.sessionGate }) { return gate }
        let new = TokenRefresherNode(
            tokenRefreshChain: ClosureNode { .emit(error: AccessSafeError(.signedOut)) },
            storeSession: { [weak self] in self?.session ?? .zero }, clock: .system)
        return state.withLock { state in
            if let gate = state.sessionGate { return gate }
            state.sessionGate = new
            state.refreshers.append(WeakRefresher(gate: new.gateNumber, node: new))
            return new
        }
    }

    /// Makes logouts end the session of `refresher`.
    func attach(_ refresher: TokenRefresherNode) {
        // A check whether a refresher is alive may release it, so that is not done under the lock.
        let gone = refreshers.filter { $0.node == nil }.map(\.gate)
        state.withLock { state in
            state.refreshers.removeAll { gone.contains($0.gate) }
            state.refreshers.append(WeakRefresher(gate: refresher.gateNumber, node: refresher))
        }
    }

    /// Whether no tokens were stored and none removed: the first request may get them.
    var isNew: Bool {
        state.withLock { $0.isNew }
    }

    /// The tokens to refresh, nil if the store is new, and their version.
    func toRefresh() throws(AccessSafeError) -> (pair: TokenPair?, version: Int) {
        let (pair, version, cause, isNew) = state.withLock { ($0.pair, $0.version, $0.cause, $0.isNew) }
        if pair == nil, !isNew { throw AccessSafeError(.signedOut, cause: cause) }
        return (pair, version)
    }

    /// Stores the result of a refresh of `version`, unless the tokens are newer.
    func end(_ refreshed: Outcome<TokenPair>, of version: Int) -> Outcome<Void> {
        let now = now()
        var result = Outcome<Void>.canceled
        change { state in
            guard state.version == version else {
                result = state.pair == nil ? .failed(AccessSafeError(.signedOut, cause: state.cause)) : .completed(())
                return false
            }
            guard var pair = refreshed.value else {
                if let error = refreshed.error { result = .failed(error) }
                return false
            }
            // A server that issues no new refresh token keeps the old one valid (RFC 6749, section 6).
            pair.refreshToken = pair.refreshToken ?? state.pair?.refreshToken
            state.pair = pair
            state.refreshAt = refreshTime(of: pair, receivedAt: now)
            result = .completed(())
            return true
        }
        return result
    }

    /// When a token that has just arrived is to be refreshed. It is valid whatever the clocks say: one that seems to
    /// have expired has no known expiry, and one with a short lifetime is used for at least half of it. So a wrong
    /// clock can't cause a refresh for each request.
    private func refreshTime(of pair: TokenPair, receivedAt now: Date) -> Date? {
        guard let end = pair.expiresAt, end > now else { return nil }
        return end - min(margin / .seconds(1), end.timeIntervalSince(now) / 2)
    }

    /// Changes the state if `body` says that it did, and calls `onChange` after `then`: what `onChange` starts sees the
    /// new state everywhere, on whatever thread it is called.
    private func change(_ body: (inout State) -> Bool, then: () -> Void = {}) {
        let (version, _) = state.taking { state -> (Int?, State) in
            let earlier = state
            guard body(&state) else { return (nil, earlier) }
            state.version += 1
            let isRepeated = state.pair == nil && earlier.pair == nil && !earlier.isNew
            if onChange != nil, !isRepeated {
                state.changes.append(State.Change(version: state.version, pair: state.pair))
            }
            return (state.version, earlier)
        }
        then()
        if onChange != nil, let version { report(version) }
    }

    /// Reports the change, and those that are complete after it, unless another thread does or an earlier change has still
    /// to complete.
    private func report(_ version: Int) {
        var changes = state.taking { state -> [State.Change] in
            if let index = state.changes.firstIndex(where: { $0.version == version }) {
                state.changes[index].isComplete = true
            }
            return state.isReporting ? [] : state.takeCompleteChanges()
        }
        while !changes.isEmpty {
            // The application's reaction is no part of the request that happens to cause it.
            Run.within(nil) {
                for change in changes { onChange?(change.pair) }
            }
            changes = state.taking { $0.takeCompleteChanges() }
        }
    }
}
