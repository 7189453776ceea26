/// Identifies the token that a request is sent with, to decide later whether its rejection concerns the current token.
struct Ticket: Hashable, Sendable {
    /// How often the session had ended before the sending.
    let session: Int
    /// How often the token had been renewed before the sending.
    let generation: Int
}

/// The state machine that decides which requests are sent, which wait, and when a token is refreshed.
///
/// It has no side effects: an event changes it and returns what the caller does after unlocking. Two states: idle, and
/// refreshing with the waiters in the order of their arrival. A refresh that has exceeded its time limit has no waiters
/// any more. Its success still counts unless the next refresh starts or the session ends.
struct Gate<Waiter: Sendable>: Sendable {
    /// What a request does next.
    enum Decision: Sendable {
        /// It is sent, with this ticket.
        case send(Ticket)
        /// It waits under this id; where a number is given, the caller starts the refresh of that number.
        case wait(id: Int, starts: Int?)
        /// It fails: its session is over.
        case sessionEnded
        /// It fails: one more refresh would exceed the limit.
        case limitReached
        /// It fails: access is forbidden, and the token is too young for its age to be the reason.
        case forbidden
        /// It fails: the caller is a part of the refresh for which it would wait.
        case insideRefresh
    }

    /// The waiters of a refresh that has ended: both lists in the order of arrival.
    struct EndedRefresh: Sendable {
        let duration: Duration
        let released: [Waiter]
        let failed: [Waiter]
    }

    private struct Refresh: Sendable {
        let number: Int
        let start: ContinuousClock.Instant
        /// Whether the refresh started before the old token expired.
        let isEarly: Bool
        /// The waiters by their ids, which ascend in the order of arrival. One that tolerates a failure is then sent
        /// with the old token.
        var waiters: [Int: (waiter: Waiter, toleratesFailure: Bool)] = [:]
    }

    private let limits: RefreshLimits
    /// When the refreshes that count towards the limit were started, oldest first.
    private var recentStarts: [ContinuousClock.Instant] = []
    private var refresh: Refresh?
    /// A refresh that has exceeded its time limit and may still succeed.
    private var overdue: (number: Int, start: ContinuousClock.Instant)?
    private var lastNumber = 0
    private var lastID = 0
    private var earlyRefreshTried: Ticket?
    /// When the token arrived; nil when that is unknown.
    private var renewedAt: ContinuousClock.Instant?

    init(limits: RefreshLimits) {
        self.limits = limits
    }

    /// How often the session has ended.
    private(set) var session = 0

    /// How often the token has been renewed, by a refresh or otherwise.
    private(set) var generation = 0

    /// How many requests wait.
    var waiting: Int {
        refresh?.waiters.count ?? 0
    }

    /// The ticket of a request that takes its token now.
    var ticket: Ticket {
        Ticket(session: session, generation: generation)
    }

    /// Whether the refresh of this number is in flight.
    func isRefreshing(_ number: Int) -> Bool {
        refresh?.number == number
    }

    /// The ticket of a request that is sent at once since the token is valid; nil when the request has to be admitted.
    func pass(in session: Int) -> Ticket? {
        refresh == nil && session == self.session ? ticket : nil
    }

    /// Decides about a request that is about to be sent.
    ///
    /// - Parameters:
    ///   - session: the one to which the request belongs.
    ///   - freshness: what is known of the token.
    ///   - seenAt: the generation at which that was known; a refresh since then invalidates it.
    ///   - number: the refresh that the request is a part of.
    mutating func admit(
        _ waiter: Waiter, in session: Int, freshness: TokenFreshness, seenAt: Int, insideOf number: Int? = nil,
        at now: ContinuousClock.Instant
    ) -> Decision {
        guard session == self.session else { return .sessionEnded }
        if isOverdue(number) { return .insideRefresh }
        let isEarly = freshness == .expiring
        if let refresh {
            guard refresh.number != number else { return .insideRefresh }
            return .wait(id: add(waiter, toleratesFailure: refresh.isEarly && freshness != .expired), starts: nil)
        }
        let isDue = freshness != .fresh && seenAt == generation && !(isEarly && earlyRefreshTried == ticket)
        guard isDue else { return .send(ticket) }
        guard countRefresh(at: now) else { return isEarly ? .send(ticket) : .limitReached }
        if isEarly { earlyRefreshTried = ticket }
        return begin(for: waiter, isEarly: isEarly, at: now)
    }

    /// Decides about a request that was rejected. `send` means at once, because the token is a newer one by now.
    ///
    /// - Parameters:
    ///   - ticket: the token that the request was sent with; nil when a new token is wanted in any case.
    ///   - isForbidden: whether the rejection means that the token doesn't suffice, and not that it has expired.
    ///   - number: the refresh that the request is a part of.
    mutating func recover(
        _ waiter: Waiter, from ticket: Ticket?, isForbidden: Bool = false, insideOf number: Int? = nil,
        at now: ContinuousClock.Instant
    ) -> Decision {
        if let ticket, ticket.session != session { return .sessionEnded }
        if isOverdue(number) { return .insideRefresh }
        let isCurrent = ticket.map { $0.generation == generation } ?? true
        if isForbidden, isCurrent, let renewedAt, now - renewedAt < limits.window { return .forbidden }
        if let refresh {
            guard refresh.number != number else { return .insideRefresh }
            return .wait(id: add(waiter, toleratesFailure: false), starts: nil)
        }
        guard isCurrent else { return .send(self.ticket) }
        guard countRefresh(at: now) else { return .limitReached }
        return begin(for: waiter, isEarly: false, at: now)
    }

    /// Whether the refresh has passed its time limit. A request of it that started the next one would cancel its own.
    func isOverdue(_ number: Int?) -> Bool {
        number != nil && overdue?.number == number
    }

    /// Removes a waiter. Returns it, so that it isn't released under a lock.
    mutating func leave(_ id: Int) -> Waiter? {
        refresh?.waiters.removeValue(forKey: id)?.waiter
    }

    /// Ends the refresh of this number; nil where that has no consequence.
    mutating func end(_ number: Int, error: (any Error)?, at now: ContinuousClock.Instant) -> EndedRefresh? {
        if let overdue, overdue.number == number {
            self.overdue = nil
            guard error == nil else { return nil }
            renew(at: now)
            return EndedRefresh(duration: now - overdue.start, released: [], failed: [])
        }
        guard let refresh, refresh.number == number else { return nil }
        self.refresh = nil
        if error == nil { renew(at: now) }
        // Without a session there was nothing to send, so nothing to count.
        if (error as? AccessSafeError)?.code == .signedOut { _ = recentStarts.popLast() }
        return ended(refresh, isFailure: error != nil, at: now)
    }

    /// Ends the wait for the refresh of this number, which has exceeded its time limit; nil when it is not in flight.
    mutating func timeOut(_ number: Int, at now: ContinuousClock.Instant) -> EndedRefresh? {
        guard let refresh, refresh.number == number else { return nil }
        self.refresh = nil
        overdue = (number, refresh.start)
        return ended(refresh, isFailure: true, at: now)
    }

    /// Records that a new token arrived at `now`.
    mutating func renew(at now: ContinuousClock.Instant) {
        generation += 1
        renewedAt = now
    }

    /// Ends the session: all waiters fail, the result of the refresh in flight is ignored. nil where none is in flight.
    mutating func endSession(at now: ContinuousClock.Instant) -> EndedRefresh? {
        session += 1
        renewedAt = nil
        overdue = nil
        guard let refresh else { return nil }
        self.refresh = nil
        let ended = ended(refresh, isFailure: false, at: now)
        return EndedRefresh(duration: ended.duration, released: [], failed: ended.released)
    }

    private func ended(_ refresh: Refresh, isFailure: Bool, at now: ContinuousClock.Instant) -> EndedRefresh {
        let waiters = refresh.waiters.sorted { $0.key < $1.key }.map(\.value)
        return EndedRefresh(
            duration: now - refresh.start,
            released: waiters.filter { !isFailure || $0.toleratesFailure }.map(\.waiter),
            failed: waiters.filter { isFailure && !$0.toleratesFailure }.map(\.waiter))
    }

    /// Counts a refresh that starts at `now`; false, without counting it, at the limit.
    private mutating func countRefresh(at now: ContinuousClock.Instant) -> Bool {
        recentStarts.removeAll { [limits] in now - $0 >= limits.window }
        guard recentStarts.count < limits.refreshes else { return false }
        recentStarts.append(now)
        return true
    }

    private mutating func begin(for waiter: Waiter, isEarly: Bool, at now: ContinuousClock.Instant) -> Decision {
        lastNumber += 1
        overdue = nil
        refresh = Refresh(number: lastNumber, start: now, isEarly: isEarly)
        return .wait(id: add(waiter, toleratesFailure: isEarly), starts: lastNumber)
    }

    private mutating func add(_ waiter: Waiter, toleratesFailure: Bool) -> Int {
        lastID += 1
        refresh?.waiters[lastID] = (waiter, toleratesFailure)
        return lastID
    }
}
