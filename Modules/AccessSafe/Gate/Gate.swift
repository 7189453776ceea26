/// What a request remembers of the moment at which it was sent, to tell later whether its refusal is news.
struct Ticket: Hashable, Sendable {
    /// How often the session had ended before.
    let session: Int
    /// How many refreshes had succeeded before.
    let generation: Int
}

/// The state machine that decides who is sent, who waits and when a token is refreshed.
///
/// It does nothing itself: an event changes it and tells its caller what to do, which the caller does after unlocking.
/// Two states: idle, and refreshing with the waiters in the order of their arrival.
struct Gate<Waiter: Sendable>: Sendable {
    /// What a request is to do.
    enum Verdict: Sendable {
        /// Go out, with this ticket.
        case send(Ticket)
        /// Wait under this id; where a number is given, the caller starts the refresh of that number.
        case wait(id: Int, starts: Int?)
        /// Give up: the request's session is over.
        case sessionEnded
        /// Give up: a refresh would be one too many. With the error of the last refresh if it failed.
        case limitReached(lastFailure: (any Error)?)
        /// Give up: the caller is a part of the refresh for which it would wait.
        case insideRefresh
    }

    /// What follows from the end of a refresh: both lists in the order of arrival.
    struct Ended: Sendable {
        let duration: Duration
        let released: [Waiter]
        let failed: [Waiter]
    }

    private struct Seat: Sendable {
        let waiter: Waiter
        /// Whether the waiter may as well go out with the old token when the refresh fails.
        let toleratesFailure: Bool
    }

    private struct Refresh: Sendable {
        let number: Int
        let start: ContinuousClock.Instant
        /// Whether it began before the old token's end.
        let isEarly: Bool
        var seats: [Int: Seat] = [:]
    }

    private var limiter: RefreshLimiter
    private var refresh: Refresh?
    private var lastNumber = 0
    private var lastID = 0
    private var lastFailure: (any Error)?
    private var earlyRefreshTried: Ticket?

    init(limits: RefreshLimits) {
        limiter = RefreshLimiter(limits: limits)
    }

    /// How often the session has ended.
    private(set) var session = 0

    /// How many refreshes have succeeded.
    private(set) var generation = 0

    /// How many requests wait.
    var waiting: Int {
        refresh?.seats.count ?? 0
    }

    /// The ticket of a request that is sent now.
    private var ticket: Ticket {
        Ticket(session: session, generation: generation)
    }

    /// Whether the refresh of this number is under way.
    func isRefreshing(_ number: Int) -> Bool {
        refresh?.number == number
    }

    /// A request of a session wants to go out and the token is good: a ticket, or nil when it has to be admitted.
    func pass(in session: Int) -> Ticket? {
        refresh == nil && session == self.session ? ticket : nil
    }

    /// A request wants to go out.
    ///
    /// - Parameters:
    ///   - session: the one to which the request belongs.
    ///   - freshness: what is known of the token.
    ///   - seenAt: the generation at which that was known; a refresh since then makes it void.
    ///   - number: the refresh that the request is a part of.
    mutating func admit(
        _ waiter: Waiter, in session: Int, freshness: TokenFreshness, seenAt: Int, insideOf number: Int? = nil,
        at now: ContinuousClock.Instant
    ) -> Verdict {
        guard session == self.session else { return .sessionEnded }
        if let refresh {
            guard refresh.number != number else { return .insideRefresh }
            return .wait(id: seat(waiter, toleratesFailure: refresh.isEarly && freshness != .expired), starts: nil)
        }
        let isEarly = freshness == .expiring
        let isDue = freshness != .fresh && seenAt == generation && !(isEarly && earlyRefreshTried == ticket)
        guard isDue, limiter.take(at: now) else { return .send(ticket) }
        if isEarly { earlyRefreshTried = ticket }
        return begin(waiter, isEarly: isEarly, at: now)
    }

    /// A request that went out with `ticket` was refused; without a ticket: somebody wants a new token whatever was
    /// before. `send` means at once, because the token is a newer one by now.
    mutating func recover(
        _ waiter: Waiter, from ticket: Ticket?, insideOf number: Int? = nil, at now: ContinuousClock.Instant
    ) -> Verdict {
        if let ticket, ticket.session != session { return .sessionEnded }
        if let refresh {
            guard refresh.number != number else { return .insideRefresh }
            return .wait(id: seat(waiter, toleratesFailure: false), starts: nil)
        }
        if let ticket, ticket.generation != generation { return .send(self.ticket) }
        guard limiter.take(at: now) else { return .limitReached(lastFailure: lastFailure) }
        return begin(waiter, isEarly: false, at: now)
    }

    /// A waiter doesn't wait any more. Gives it back, so that it isn't let go of under a lock.
    mutating func leave(_ id: Int) -> Waiter? {
        refresh?.seats.removeValue(forKey: id)?.waiter
    }

    /// The refresh of this number ended; nil when it had ended before.
    mutating func end(_ number: Int, error: (any Error)?, at now: ContinuousClock.Instant) -> Ended? {
        guard let refresh, refresh.number == number else { return nil }
        self.refresh = nil
        lastFailure = error
        if error == nil { generation += 1 }
        // Without a session there was nothing to send, so nothing to count.
        if (error as? AccessSafeError)?.code == .signedOut { limiter.giveBack() }
        let seats = refresh.seats.sorted { $0.key < $1.key }.map(\.value)
        return Ended(
            duration: now - refresh.start,
            released: seats.filter { error == nil || $0.toleratesFailure }.map(\.waiter),
            failed: seats.filter { error != nil && !$0.toleratesFailure }.map(\.waiter))
    }

    /// The session is over: who waits gives up, the refresh under way counts no more. Gives the waiters in the order of
    /// arrival.
    mutating func endSession() -> [Waiter] {
        session += 1
        lastFailure = nil
        let seats = refresh?.seats ?? [:]
        refresh = nil
        return seats.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    private mutating func begin(_ waiter: Waiter, isEarly: Bool, at now: ContinuousClock.Instant) -> Verdict {
        lastNumber += 1
        refresh = Refresh(number: lastNumber, start: now, isEarly: isEarly)
        return .wait(id: seat(waiter, toleratesFailure: isEarly), starts: lastNumber)
    }

    private mutating func seat(_ waiter: Waiter, toleratesFailure: Bool) -> Int {
        lastID += 1
        refresh?.seats[lastID] = Seat(waiter: waiter, toleratesFailure: toleratesFailure)
        return lastID
    }
}
