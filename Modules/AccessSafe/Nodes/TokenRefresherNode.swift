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
/// - A refresh that succeeds resumes every frozen request, in the order of arrival. The refresh chain must have stored
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
    /// Distinguishes this refresher's admissions and refreshes from others'.
    let gateNumber = TokenRefresherNode.gates.add(1, ordering: .relaxed).newValue

    private static let gates = Atomic(0)

    private struct State: Sendable {
        var gate: Gate<Context<RefreshReport>>
        /// When the gate's session began.
        var sessionStart = LogicalTime.zero
        /// The refresh in flight, or the one that has exceeded its time limit, to cancel it.
        var run: Context<Void>?
        /// The journal of the request that started the refresh in flight.
        var journal: Journal?
        /// Why the last session ended.
        var endCause: (any Error)?
        /// Notified when the session ends.
        var listeners: [WeakSessionEndListener] = []
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
    /// is canceled when the session ends, and when the next refresh starts after this one has exceeded its time limit.
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
        let waiter = Context<RefreshReport>()
        if try recover(waiter, from: nil, nil) == nil { _ = try await waiter.observer.value }
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
        let now = clock.now
        let (ended, old) = state.taking { state in
            let old = state
            (state.run, state.journal, state.endCause, state.listeners) = (nil, nil, cause, [])
            state.sessionStart = .advance()
            return (state.gate.endSession(at: now), old)
        }
        old.run?.observer.cancel()
        for listener in old.listeners { listener.listener?.sessionEnded(gate: gateNumber) }
        if let ended { report(ended, AccessSafeError(.signedOut, cause: cause), old.journal) }
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
    /// The ticket of a request that takes its token now; nil if the session in which it was made has ended.
    ///
    /// A store has a session of its own, because its tokens change in one step with it: a request that was given the
    /// next session's token detects that its own session is over.
    func ticket(madeAt time: LogicalTime) -> Ticket? {
        let storeStart = storeSession?() ?? .zero
        return state.withLock { time < max($0.sessionStart, storeStart) ? nil : $0.gate.ticket }
    }

    /// Notifies the listener when the current session ends.
    package func notifyAtSessionEnd(_ listener: any SessionEndListener) {
        notifyAtSessionEnd(listener, madeAt: .now)
    }

    /// Notifies the listener when the session ends in which a request was made; at once if it has ended.
    func notifyAtSessionEnd(_ listener: any SessionEndListener, madeAt time: LogicalTime) {
        let new = WeakSessionEndListener(listener)
        // A check whether a listener is alive may release it, so that is not done under the lock.
        let gone = state.withLock { $0.listeners }.filter { $0.listener == nil }.map(\.number)
        let hasEnded =
            ticket(madeAt: time) == nil
            || state.withLock { state in
                if time < state.sessionStart { return true }
                state.listeners.removeAll { gone.contains($0.number) || $0.number == new.number }
                state.listeners.append(new)
                return false
            }
        if hasEnded { listener.sessionEnded(gate: gateNumber) }
    }

    /// The error of a request whose session has ended.
    var sessionEnded: AccessSafeError {
        AccessSafeError(.signedOut, cause: state.withLock { $0.endCause })
    }

    /// Waits until a request may be sent. Returns whether it had to wait.
    ///
    /// - Parameters:
    ///   - isDue: false for a request that has just waited for a refresh: it doesn't ask for another one.
    ///   - rejection: the error with which it was rejected, where it was sent before.
    func admit(
        _ admission: AccessAdmission, isDue: Bool = true, after rejection: (any Error)? = nil
    ) async throws -> Bool {
        let session = admission.ticket.session
        var (isDue, hasWaited) = (isDue, false)
        while true {
            var (seenAt, freshness) = (0, TokenFreshness.fresh)
            if isDue, let known = self.freshness {
                seenAt = state.withLock { $0.gate.generation }
                freshness = known()
            }
            if freshness == .fresh, let ticket = state.withLock({ $0.gate.pass(in: session) }) {
                admission.recordAdmission(ticket)
                return hasWaited
            }
            let waiter = Context<RefreshReport>()
            let (now, number) = (clock.now, currentRefresh)
            let decision = state.withLock { [freshness, seenAt] in
                $0.gate.admit(waiter, in: session, freshness: freshness, seenAt: seenAt, insideOf: number, at: now)
            }
            let ticket = try carryOut(decision, waiter, rejection) {
                AccessEvent.frozenBeforeSending.write(by: admission.name)
            }
            if let ticket {
                admission.recordAdmission(ticket)
                return hasWaited
            }
            let report = try await waiter.observer.value
            (isDue, hasWaited) = (report.error != nil, true)
            let event =
                rejection == nil
                ? AccessEvent.sent(after: report.duration, error: report.error)
                : .sentAgain(after: report.duration)
            event.write(by: admission.name)
        }
    }

    /// Waits until a request that was rejected may be sent again: at once if the token is a newer one by now, and
    /// otherwise after a refresh. Returns whether the token was refreshed.
    func recover(_ admission: AccessAdmission, from rejection: any Error) async throws -> Bool {
        let waiter = Context<RefreshReport>()
        let ticket = try recover(waiter, from: admission.ticket, rejection) {
            AccessEvent.frozenAfterRejection(rejection).write(by: admission.name)
        }
        let duration = ticket == nil ? try await waiter.observer.value.duration : nil
        AccessEvent.sentAgain(after: duration).write(by: admission.name)
        _ = try await admit(admission, isDue: duration == nil, after: rejection)
        return duration != nil
    }

    /// Decides about a request that was sent with `ticket` and rejected. Returns the ticket of one that is sent now; nil
    /// if it waits.
    private func recover(
        _ waiter: Context<RefreshReport>, from ticket: Ticket?, _ rejection: (any Error)?, whenFrozen: () -> Void = {}
    ) throws -> Ticket? {
        let (now, number) = (clock.now, currentRefresh)
        let isForbidden = (rejection as? any AccessFailure)?.isForbidden ?? false
        let decision = state.withLock {
            $0.gate.recover(waiter, from: ticket, isForbidden: isForbidden, insideOf: number, at: now)
        }
        if let rejection, case .sessionEnded = decision { throw rejection }
        return try carryOut(decision, waiter, rejection, whenFrozen)
    }

    /// Waits until there is a token newer than that of `generation`: returns at once if there is one, joins the refresh
    /// in progress, or starts one. For credentials without a session, such as those that answer a server's challenge: the
    /// caller knows which ones were rejected. Cancellation doesn't stop the refresh.
    ///
    /// - Parameter rejection: the error with which the request was rejected, for the journal.
    /// - Returns: false if one more refresh would exceed the limit.
    /// - Throws: the error of the refresh.
    package func renewal(from generation: Int, after rejection: any Error) async throws -> Bool {
        let waiter = Context<RefreshReport>()
        let ticket = state.withLock { Ticket(session: $0.gate.session, generation: generation) }
        let newer: Ticket?
        do {
            newer = try recover(waiter, from: ticket, nil) {
                AccessEvent.frozenAfterRejection(rejection).write(by: name)
            }
        } catch let error as AccessSafeError where error.code == .refreshLimitReached {
            return false
        }
        if newer == nil { _ = try await waiter.observer.value }
        return true
    }

    /// How often the token has been renewed. Must be read before the token: the token may then be newer, never older.
    package var generation: Int { state.withLock { $0.gate.generation } }

    /// Whether the current code is a part of this refresher's refresh, for which it must not wait. A task that the refresh has
    /// started is no longer, once that has ended.
    package var isInsideRefresh: Bool {
        guard let number = currentRefresh else { return false }
        return state.withLock { $0.gate.isRefreshing(number) || $0.gate.isOverdue(number) }
    }

    /// The refresh that the current run is a part of.
    private var currentRefresh: Int? {
        Run.current?.refreshes[gateNumber]
    }

    /// Does what the gate decided. Returns the ticket of a request that is sent now; nil if it waits.
    ///
    /// - Parameters:
    ///   - rejection: the error with which the request was rejected, where it was sent before.
    ///   - whenFrozen: called before the refresh starts, if the request waits.
    private func carryOut(
        _ decision: Gate<Context<RefreshReport>>.Decision, _ waiter: Context<RefreshReport>,
        _ rejection: (any Error)?, _ whenFrozen: () -> Void
    ) throws -> Ticket? {
        switch decision {
        case .send(let ticket): return ticket
        case .sessionEnded: throw sessionEnded
        case .forbidden: throw rejection ?? AccessSafeError(.refreshLimitReached)
        case .limitReached:
            AccessEvent.refreshLimitReached(rejection).write(by: name)
            throw rejection ?? AccessSafeError(.refreshLimitReached)
        case .insideRefresh: throw AccessSafeError(.refreshInsideRefresh, cause: rejection)
        case .wait(let id, let number):
            // The gate keeps the waiter and releases it in time, so the handler may retain the gate.
            waiter.onCancel { _ = self.state.taking { $0.gate.leave(id) } }
            whenFrozen()
            if let number { start(number) }
            return nil
        }
    }

    private func start(_ number: Int) {
        // It serves other requests too: of this one it has the journal, and the refreshes that wait for it.
        let (refresh, journal) = (Context<Void>(), Journal.current)
        let outer = Run.current?.refreshes ?? [:]
        let run = Run(
            journal: journal, admissions: [], madeAt: .now, refreshes: outer.merging([gateNumber: number]) { $1 })
        let (isWanted, overdue) = state.taking { state -> (Bool, Context<Void>?) in
            guard state.gate.isRefreshing(number) else { return (false, nil) }
            defer { (state.run, state.journal) = (refresh, journal) }
            return (true, state.run)
        }
        guard isWanted else { return }  // the session has ended meanwhile
        overdue?.observer.cancel()
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
                await Run.$current.withValue(run) { await Outcome.of { try await tokenRefreshChain.execute() } })
        }
        refresh.onCancel { task.cancel() }
    }

    private func finish(_ number: Int, _ outcome: Outcome<Void>, _ journal: Journal?) {
        let error: (any Error)? = outcome.isCanceled ? AccessSafeError(.refreshCanceled) : outcome.error
        let now = clock.now
        let (ended, _) = state.taking { state -> (Gate<Context<RefreshReport>>.EndedRefresh?, State?) in
            guard let ended = state.gate.end(number, error: error, at: now) else { return (nil, nil) }
            let old = state
            (state.run, state.journal) = (nil, nil)
            return (ended, old)
        }
        if let ended { report(ended, error, journal) }
    }

    private func timeOut(_ number: Int, _ journal: Journal?) {
        let now = clock.now
        let (ended, _) = state.taking { state -> (Gate<Context<RefreshReport>>.EndedRefresh?, Journal?) in
            guard let ended = state.gate.timeOut(number, at: now) else { return (nil, nil) }
            defer { state.journal = nil }
            return (ended, state.journal)
        }
        if let ended { report(ended, AccessSafeError(.refreshTimedOut), journal) }
    }

    /// Reports to the waiters: each continues in its own run.
    private func report(
        _ ended: Gate<Context<RefreshReport>>.EndedRefresh, _ error: (any Error)?, _ journal: Journal?
    ) {
        AccessEvent.refreshEnded(ended.duration, error: error).write(by: name, in: journal)
        for waiter in ended.released { waiter.emit(data: RefreshReport(duration: ended.duration, error: error)) }
        if let error { for waiter in ended.failed { waiter.emit(error: error) } }
    }
}

/// How the refresh ended for which a request waited, and after which it is sent.
struct RefreshReport: Sendable {
    let duration: Duration
    /// The error of an early refresh, despite which the request is sent with the old token.
    let error: (any Error)?
}
