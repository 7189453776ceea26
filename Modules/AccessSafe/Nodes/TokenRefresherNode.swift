public import NodeCore
import Synchronization

/// Freezes requests while the token is refreshed, and sees to it that one refresh runs at a time. (As in CoreNetKit.)
///
/// One instance is shared by all ``AccessSafeNode``s that use the same token; it may be used from any thread.
///
/// ```swift
/// let refresher = TokenRefresherNode(tokenRefreshChain: wrapperNode)
/// let refresher = TokenRefresherNode { try await service.updateToken() }
/// ```
///
/// - A refresh that succeeds sends every frozen request, in the order of arrival. The refresh chain must have stored the
///   new token before it completes.
/// - A refresh that fails fails every frozen request with its error; the next access failure may try again.
/// - A request that was sent before the last successful refresh and is refused after it is sent again at once, without
///   another refresh.
/// - Cancelling a frozen request takes out that one only; the refresh goes on even when nobody is left.
/// - The refresh chain runs where the request that asked for it failed, without going through queues that it names for
///   its callbacks. What it starts counts as a part of it and must not wait for it.
///
/// The node itself, as a `Node<Void, Void>`, asks for a new token: it joins the refresh under way or starts one.
public final class TokenRefresherNode: Node<Void, Void>, @unchecked Sendable {  // `state` is protected by its mutex
    /// The chain that refreshes the token.
    public let tokenRefreshChain: Node<Void, Void>
    /// How often and how long a refresh may run.
    public let limits: RefreshLimits
    private let freshness: (@Sendable () -> TokenFreshness)?
    /// How often the session of the store has ended that the tokens are in.
    private let storeSession: (@Sendable () -> Int)?
    private let timer: RefreshTimer
    private let state: Mutex<State>
    /// Tells this refresher's marks and passes from others'.
    let owner = TokenRefresherNode.owners.add(1, ordering: .relaxed).newValue

    private static let owners = Atomic(0)

    private struct State: Sendable {
        var gate: Gate<Context<RefreshReport>>
        /// The refresh under way, to cancel it.
        var run: Context<Void>?
        /// Why the last session ended.
        var endCause: (any Error)?
    }

    /// Makes a refresher.
    ///
    /// - Parameters:
    ///   - tokenRefreshChain: gets a new token and stores it where the requests take it from.
    ///   - limits: how often and how long a refresh may run.
    ///   - freshness: what is known of the token before a request is sent; a token that ends soon is refreshed before.
    ///     Called for every request, on its thread, so it should be quick. Without it only refusals cause refreshes.
    public convenience init(
        tokenRefreshChain: Node<Void, Void>,
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil
    ) {
        self.init(tokenRefreshChain: tokenRefreshChain, limits: limits, freshness: freshness, timer: .dispatch)
    }

    /// Makes a refresher of a closure that gets a new token and stores it. Each call runs in a task of its own, which
    /// is cancelled when the refresh takes too long.
    public convenience init(
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil,
        refresh: @escaping @Sendable () async throws -> Void
    ) {
        let chain = ClosureNode<Void, Void>(name: "TokenRefresh", async: refresh)
        self.init(tokenRefreshChain: chain, limits: limits, freshness: freshness, timer: .dispatch)
    }

    /// Makes a refresher whose time a test turns.
    package init(
        tokenRefreshChain: Node<Void, Void>,
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil,
        storeSession: (@Sendable () -> Int)? = nil,
        timer: RefreshTimer
    ) {
        self.tokenRefreshChain = tokenRefreshChain
        self.limits = limits
        self.freshness = freshness
        self.storeSession = storeSession
        self.timer = timer
        state = Mutex(State(gate: Gate(limits: limits)))
    }

    /// Asks for a new token: joins the refresh under way, or starts one. Cancelling doesn't stop the refresh.
    public override func process(_ data: Void) -> Observer<Void> {
        switch recover(from: nil, nil, whenFrozen: {}) {
        case .open: .emit()
        case .closed(let error): .emit(error: error)
        case .frozen(let refreshed): refreshed.map { _ in }
        }
    }

    /// Ends the session, as after a logout: every frozen request fails with ``AccessSafeError/Code/signedOut``, the
    /// refresh under way is cancelled and its result counts no more. A request that was sent before and is refused
    /// after it fails with its own error. One that would be sent after it, again or for the first time, fails with
    /// ``AccessSafeError/Code/signedOut``: it is never sent with another session's token.
    ///
    /// ``TokenStore/clear(cause:)`` calls it; an application with a store of its own does after emptying that, and
    /// before it puts the next session's tokens in.
    ///
    /// - Parameter cause: why, as the cause of the error.
    public func endSession(cause: (any Error)? = nil) {
        // The earlier cause is let go of outside the lock.
        let (waiters, run, _) = state.withLock { state in
            defer { (state.run, state.endCause) = (nil, cause) }
            return (state.gate.endSession(), state.run, state.endCause)
        }
        run?.observer.cancel()
        release(failed: waiters, AccessSafeError(.signedOut, cause: cause))
    }

    /// How many requests are frozen at the moment.
    package var frozenCount: Int {
        state.withLock { $0.gate.waiting }
    }
}

/// What a frozen request learns from the refresh for which it waited.
struct RefreshReport: Sendable {
    let duration: Duration
    /// The error of an early refresh, which doesn't keep the request from going out with the old token.
    let error: (any Error)?
}

/// What the gate says to a request.
enum Passage: Sendable {
    case open(Ticket)
    case frozen(Observer<RefreshReport>)
    case closed(any Error)
}

/// The session to which a request belongs: what had been counted when the request came to the gate.
struct Session: Hashable, Sendable {
    /// How often the refresher's session had ended.
    let gate: Int
    /// How often its store's had; 0 where there is no store.
    let store: Int
}

extension TokenRefresherNode {
    /// The session of a request that comes now.
    ///
    /// A store counts on its own, because its tokens change in one step with its count: whoever was given the next
    /// session's token sees that its own session is over.
    var session: Session {
        let store = storeSession?() ?? 0
        return Session(gate: state.withLock { $0.gate.session }, store: store)
    }

    /// What a request fails with whose session has ended.
    var sessionEnded: AccessSafeError {
        AccessSafeError(.signedOut, cause: state.withLock { $0.endCause })
    }

    /// A request wants to go out.
    ///
    /// - Parameters:
    ///   - session: the one to which it belongs.
    ///   - whenFrozen: called before anything else happens when the request freezes.
    func admit(in session: Session, whenFrozen: () -> Void) -> Passage {
        var seenAt = 0
        var freshness = TokenFreshness.fresh
        if let known = self.freshness {
            seenAt = state.withLock { $0.gate.generation }
            freshness = known()
        }
        if freshness == .fresh, let ticket = state.withLock({ $0.gate.pass(in: session.gate) }) { return .open(ticket) }
        let waiter = Context<RefreshReport>()
        let (now, number) = (timer.now(), refreshUnderWayHere)
        let verdict = state.withLock { [freshness, seenAt] in
            $0.gate.admit(
                waiter, in: session.gate, freshness: freshness, seenAt: seenAt, insideOf: number, at: now)
        }
        return passage(verdict, waiter, refusal: nil, whenFrozen)
    }

    /// A request that went out with `ticket` was refused.
    func recover(from ticket: Ticket?, _ refusal: (any Error)?, whenFrozen: () -> Void) -> Passage {
        let waiter = Context<RefreshReport>()
        let (now, number) = (timer.now(), refreshUnderWayHere)
        let verdict = state.withLock { $0.gate.recover(waiter, from: ticket, insideOf: number, at: now) }
        return passage(verdict, waiter, refusal: refusal, whenFrozen)
    }

    /// The refresh that the chain run on this thread or in this task is a part of.
    private var refreshUnderWayHere: Int? {
        Journal.underWay?.marks.first { $0.owner == owner }?.number
    }

    private func passage(
        _ verdict: Gate<Context<RefreshReport>>.Verdict, _ waiter: Context<RefreshReport>, refusal: (any Error)?,
        _ whenFrozen: () -> Void
    ) -> Passage {
        switch verdict {
        case .send(let ticket): return .open(ticket)
        case .sessionEnded: return .closed(refusal ?? sessionEnded)
        case .limitReached(let last): return .closed(AccessSafeError(.refreshLimitReached, cause: last ?? refusal))
        case .insideRefresh: return .closed(AccessSafeError(.refreshInsideRefresh, cause: refusal))
        case .wait(let id, let number):
            // The gate keeps the waiter and lets go of it in time, so the handler may hold the gate.
            waiter.onCancel { _ = self.state.withLock { $0.gate.leave(id) } }
            whenFrozen()
            if let number { start(number) }
            return .frozen(waiter.observer)
        }
    }

    private func start(_ number: Int) {
        let run = Context<Void>()
        let isWanted = state.withLock { state in
            guard state.gate.isRefreshing(number) else { return false }  // the session has ended meanwhile
            state.run = run
            return true
        }
        guard isWanted else { return }
        let journal = Journal.underWay
        AccessSafeEvent.note(name, .refreshStarted, in: journal)
        let stopTimer = timer.schedule(limits.timeout) {
            self.finish(number, .failed(AccessSafeError(.refreshTimedOut)), journal)
            run.observer.cancel()
        }
        run.observer.onSettled { outcome in
            stopTimer()
            self.finish(number, outcome, journal)
        }
        guard !run.isSettled else { return }
        let mark = JournalMark(owner: owner, number: number)
        let work = Journal.$current.withValue(Journal(passingTo: journal, mark: mark)) {
            tokenRefreshChain.processInPlace(())
        }
        run.onCancel { work.cancel() }
        // Before any queue that is for the callbacks of a service: who awaits must not wait for that.
        work.source.onSettled { run.settle($0) }
    }

    private func finish(_ number: Int, _ outcome: Outcome<Void>, _ journal: Journal?) {
        let error: (any Error)? = outcome.isCanceled ? AccessSafeError(.refreshCanceled) : outcome.error
        let now = timer.now()
        let ended = state.withLock { state in
            let ended = state.gate.end(number, error: error, at: now)
            if ended != nil { state.run = nil }
            return ended
        }
        guard let ended else { return }
        let kind = error == nil ? AccessSafeEvent.Kind.refreshSucceeded : .refreshFailed
        AccessSafeEvent.note(name, kind, duration: ended.duration, error: error, in: journal)
        release(ended.released, RefreshReport(duration: ended.duration, error: error), failed: ended.failed, error)
    }

    /// Tells the waiters, under no journal: each has its own, or none.
    private func release(
        _ released: [Context<RefreshReport>] = [], _ report: RefreshReport? = nil,
        failed: [Context<RefreshReport>], _ error: (any Error)?
    ) {
        Journal.$current.withValue(nil) {
            if let report { for waiter in released { waiter.emit(data: report) } }
            if let error { for waiter in failed { waiter.emit(error: error) } }
        }
    }
}
