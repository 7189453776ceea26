public import NodeCore
import Synchronization

/// Freezes requests while the token is refreshed, and runs one refresh at a time.
///
/// One instance is shared by all ``AccessSafeNode``s that use the same token; it may be used from any thread.
///
/// ```swift
/// let refresher = TokenRefresherNode(tokenRefreshChain: wrapperNode)
/// let refresher = TokenRefresherNode { try await service.updateToken() }
/// ```
///
/// - A refresh that succeeds sends every frozen request, in the order of arrival. The refresh chain must have stored
///   the new token before it completes.
/// - A refresh that fails fails every frozen request with its error; the next access failure may try again.
/// - A request that is rejected with an older token than the current one is sent again at once, without a refresh.
/// - A refresh that succeeds after its time limit still counts: the tokens that it has stored are used.
/// - Canceling a frozen request removes only that one; the refresh continues even when no request waits any more.
/// - The refresh chain runs in a separate task of high priority, which outlives the request that started it. The chain's
///   requests belong to the refresh and must not wait for it.
///
/// `execute(_:)` of the node itself, a `Node<Void, Void>`, requests a new token: it joins the refresh in progress or
/// starts one.
public final class TokenRefresherNode: AsyncNode<Void, Void>,
    @unchecked Sendable
{  // `state` is protected by its mutex
    /// The chain that refreshes the token.
    package let tokenRefreshChain: Node<Void, Void>
    /// How often a refresh may run, and for how long.
    package let limits: RefreshLimits
    private let freshness: (@Sendable () -> TokenFreshness)?
    /// When the session of the token store began; nil without a store.
    private let storeSession: (@Sendable () -> LogicalTime)?
    private let clock: any ChainClock
    private let executor: (any TaskExecutor)?
    private let state: Mutex<State>
    /// Distinguishes this refresher's marks and passes from others'.
    let owner = TokenRefresherNode.owners.add(1, ordering: .relaxed).newValue

    private static let owners = Atomic(0)

    private struct State: Sendable {
        var gate: Gate<Context<RefreshReport>>
        /// When the gate's session began.
        var sessionStart = LogicalTime.zero
        /// The refresh in flight, or the one that has exceeded its time limit, to cancel it.
        var run: Context<Void>?
        /// Why the last session ended.
        var endCause: (any Error)?
    }

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - tokenRefreshChain: gets a new token and stores it where the requests take it from.
    ///   - limits: how often a refresh may run, and for how long.
    ///   - freshness: what is known of the token before a request is sent; a token that expires soon is refreshed
    ///     before. Called for every request, on its thread, so it should be quick. Without it only rejections cause
    ///     refreshes.
    public convenience init(
        tokenRefreshChain: Node<Void, Void>,
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil
    ) {
        self.init(tokenRefreshChain: tokenRefreshChain, limits: limits, freshness: freshness, clock: .system)
    }

    /// Creates a refresher with a closure that gets a new token and stores it. Each call runs in a separate task, which
    /// is canceled when the refresh takes too long.
    public convenience init(
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil,
        refresh: @escaping @Sendable () async throws -> Void
    ) {
        let chain = ClosureNode<Void, Void>(name: "TokenRefresh", async: refresh)
        self.init(tokenRefreshChain: chain, limits: limits, freshness: freshness, clock: .system)
    }

    /// Creates a refresher with a test's clock, whose refreshes run on the test's executor.
    package init(
        tokenRefreshChain: Node<Void, Void>,
        limits: RefreshLimits = RefreshLimits(),
        freshness: (@Sendable () -> TokenFreshness)? = nil,
        storeSession: (@Sendable () -> LogicalTime)? = nil,
        clock: any ChainClock,
        executor: (any TaskExecutor)? = nil
    ) {
        self.tokenRefreshChain = tokenRefreshChain
        self.limits = limits
        self.freshness = freshness
        self.storeSession = storeSession
        self.clock = clock
        self.executor = executor
        state = Mutex(State(gate: Gate(limits: limits)))
    }

    /// Requests a new token: joins the refresh in progress, or starts one. Canceling doesn't stop the refresh.
    public override func execute(_ data: Void) async throws {
        switch recover(from: nil, nil, whenFrozen: {}) {
        case .open: break
        case .closed(let error): throw error
        case .frozen(let refreshed): _ = try await refreshed.value
        }
    }

    /// Ends the session, as after a logout: every frozen request fails with ``AccessSafeError/Code/signedOut``, the
    /// refresh in progress is canceled and its result is ignored. A request that was sent before and is rejected
    /// afterwards fails with its own error. One that would be sent afterwards, again or for the first time, fails with
    /// ``AccessSafeError/Code/signedOut``: it is never sent with another session's token.
    ///
    /// ``TokenStore/clear(cause:)`` calls it. An application with another kind of store calls it after emptying the
    /// store, and before storing the next session's tokens.
    ///
    /// - Parameter cause: why, as the cause of the error.
    public func endSession(cause: (any Error)? = nil) {
        let (waiters, run, _) = state.taking { state in
            defer { (state.run, state.endCause) = (nil, cause) }
            state.sessionStart = .advance()
            return (state.gate.endSession(), state.run, state.endCause)
        }
        run?.observer.cancel()
        release(failed: waiters, AccessSafeError(.signedOut, cause: cause))
    }

    /// Records that newer tokens of the same session have been stored.
    func renew() {
        let now = clock.now
        state.withLock { $0.gate.renew(at: now) }
    }

    /// How many requests are frozen at the moment.
    package var frozenCount: Int {
        state.withLock { $0.gate.waiting }
    }
}

extension TokenRefresherNode {
    /// The session in progress.
    ///
    /// A store has a session of its own, because its tokens change in one step with it: a request that was given the
    /// next session's token detects that its own session is over.
    var session: Session {
        Session(gate: state.withLock { $0.gate.session }, store: storeSession?() ?? .zero)
    }

    /// The session of a request that was made at `time`; nil if that session has ended.
    func session(at time: LogicalTime) -> Session? {
        let store = storeSession?() ?? .zero
        let (gate, start) = state.withLock { ($0.gate.session, $0.sessionStart) }
        return time < max(start, store) ? nil : Session(gate: gate, store: store)
    }

    /// The error of a request whose session has ended.
    var sessionEnded: AccessSafeError {
        AccessSafeError(.signedOut, cause: state.withLock { $0.endCause })
    }

    /// The ticket of a request that takes its token now.
    var ticket: Ticket {
        state.withLock { $0.gate.ticket }
    }

    /// Admits a request, freezes it or fails it.
    ///
    /// - Parameters:
    ///   - session: the session to which it belongs.
    ///   - isDue: false for a request that has just waited for a refresh: it doesn't ask for another one.
    ///   - rejection: the error with which it was rejected, where it was sent before.
    ///   - whenFrozen: called before anything else happens when the request freezes.
    func admit(
        in session: Session, isDue: Bool = true, after rejection: (any Error)? = nil, whenFrozen: () -> Void
    ) -> Passage {
        var seenAt = 0
        var freshness = TokenFreshness.fresh
        if isDue, let known = self.freshness {
            seenAt = state.withLock { $0.gate.generation }
            freshness = known()
        }
        if freshness == .fresh, let ticket = state.withLock({ $0.gate.pass(in: session.gate) }) { return .open(ticket) }
        let waiter = Context<RefreshReport>()
        let (now, number) = (clock.now, currentRefresh)
        let verdict = state.withLock { [freshness, seenAt] in
            $0.gate.admit(
                waiter, in: session.gate, freshness: freshness, seenAt: seenAt, insideOf: number, at: now)
        }
        return passage(verdict, waiter, rejection, whenFrozen)
    }

    /// Decides about a request that was sent with `ticket` and rejected.
    func recover(from ticket: Ticket?, _ rejection: (any Error)?, whenFrozen: () -> Void) -> Passage {
        let waiter = Context<RefreshReport>()
        let (now, number) = (clock.now, currentRefresh)
        let isForbidden = (rejection as? any AccessFailure)?.isForbidden ?? false
        let verdict = state.withLock {
            $0.gate.recover(waiter, from: ticket, isForbidden: isForbidden, insideOf: number, at: now)
        }
        if let rejection, case .sessionEnded = verdict { return .closed(rejection) }
        return passage(verdict, waiter, rejection, whenFrozen)
    }

    /// The refresh that the current run is a part of.
    var currentRefresh: Int? {
        for case let admission as any GateAdmission in Run.current?.admissions ?? [] where admission.gate == owner {
            return admission.refresh
        }
        return nil
    }

    private func passage(
        _ verdict: Gate<Context<RefreshReport>>.Verdict, _ waiter: Context<RefreshReport>,
        _ rejection: (any Error)?, _ whenFrozen: () -> Void
    ) -> Passage {
        switch verdict {
        case .send(let ticket): return .open(ticket)
        case .sessionEnded: return .closed(sessionEnded)
        case .forbidden: return .closed(rejection ?? AccessSafeError(.refreshLimitReached))
        case .limitReached:
            AccessEvent.refreshLimitReached(rejection).write(by: name)
            return .closed(rejection ?? AccessSafeError(.refreshLimitReached))
        case .insideRefresh: return .closed(AccessSafeError(.refreshInsideRefresh, cause: rejection))
        case .wait(let id, let number):
            // The gate keeps the waiter and releases it in time, so the handler may retain the gate.
            waiter.onCancel { _ = self.state.taking { $0.gate.leave(id) } }
            whenFrozen()
            if let number { start(number) }
            return .frozen(waiter.observer)
        }
    }

    private func start(_ number: Int) {
        // It serves other requests too: of this one it has the journal, and what else would wait for itself.
        let admissions = (Run.current?.admissions ?? []).filter { $0 is RefreshAdmission && $0.gate != owner }
        let run = Run(
            journal: .current, admissions: admissions + [RefreshAdmission(gate: owner, refresh: number)], madeAt: .now)
        let refresh = Context<Void>()
        let (isWanted, overdue) = state.taking { state -> (Bool, Context<Void>?) in
            guard state.gate.isRefreshing(number) else { return (false, nil) }
            defer { state.run = refresh }
            return (true, state.run)
        }
        guard isWanted else { return }  // the session has ended meanwhile
        overdue?.observer.cancel()
        let journal = Journal.current
        AccessEvent.refreshStarted.write(by: name, in: journal)
        let limit = clock.wait(for: limits.timeout)
        limit.onCompleted { self.timeOut(number, journal) }
        refresh.observer.onSettled { outcome in
            limit.cancel()
            self.finish(number, outcome, journal)
        }
        guard !refresh.isSettled else { return }
        // It serves all requests, also later and more urgent ones. So it has no request's task-local values or priority.
        let task = Task.detached(executorPreference: executor, priority: .high) { [tokenRefreshChain] in
            refresh.settle(
                await Run.$current.withValue(run) { await Outcome { try await tokenRefreshChain.execute() } })
        }
        refresh.onCancel { task.cancel() }
    }

    private func finish(_ number: Int, _ outcome: Outcome<Void>, _ journal: Journal?) {
        let error: (any Error)? = outcome.isCanceled ? AccessSafeError(.refreshCanceled) : outcome.error
        let now = clock.now
        let (ended, _) = state.taking { state -> (Gate<Context<RefreshReport>>.Ended?, Context<Void>?) in
            guard let ended = state.gate.end(number, error: error, at: now) else { return (nil, nil) }
            defer { state.run = nil }
            return (ended, state.run)
        }
        if let ended { report(ended, error, journal) }
    }

    private func timeOut(_ number: Int, _ journal: Journal?) {
        let now = clock.now
        let ended = state.taking { $0.gate.timeOut(number, at: now) }
        if let ended { report(ended, AccessSafeError(.refreshTimedOut), journal) }
    }

    private func report(_ ended: Gate<Context<RefreshReport>>.Ended, _ error: (any Error)?, _ journal: Journal?) {
        AccessEvent.refreshEnded(ended.duration, error: error).write(by: name, in: journal)
        release(ended.released, RefreshReport(duration: ended.duration, error: error), failed: ended.failed, error)
    }

    /// Reports to the waiters: each continues in its own run.
    private func release(
        _ released: [Context<RefreshReport>] = [], _ report: RefreshReport? = nil,
        failed: [Context<RefreshReport>], _ error: (any Error)?
    ) {
        if let report { for waiter in released { waiter.emit(data: report) } }
        if let error { for waiter in failed { waiter.emit(error: error) } }
    }
}
