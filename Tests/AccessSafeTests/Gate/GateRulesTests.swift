import NodeCore
import Testing

@testable import AccessSafe

/// The gate's rules about rejections and late successes, as tables.
@Suite struct GateRulesTests {
    let now = ContinuousClock.now
    let gate = Machine(limits: RefreshLimits(refreshes: 3, per: .seconds(60)))

    /// A rejection and what is to follow from it.
    struct Rejection: Sendable, CustomTestStringConvertible {
        enum Token: Sendable { case current, older, ofAnEndedSession }
        enum State: Sendable { case idle, refreshing, atTheLimit }
        enum Verdict: Sendable { case sentAgain, waits, refreshes, passesUp, forbidden, isAtTheLimit }

        let status: Int
        let token: Token
        /// Seconds since the current token arrived; nil when that is not known.
        let age: Int?
        let state: State
        let verdict: Verdict

        init(_ status: Int, _ token: Token, age: Int?, _ state: State, _ verdict: Verdict) {
            (self.status, self.token, self.age, self.state, self.verdict) = (status, token, age, state, verdict)
        }

        var testDescription: String { "\(status), \(token), age \(age ?? -1), \(state)" }
    }

    static let rejections: [Rejection] = [
        Rejection(401, .current, age: nil, .idle, .refreshes),
        Rejection(401, .current, age: 1, .idle, .refreshes),
        Rejection(401, .current, age: 1, .refreshing, .waits),
        Rejection(401, .current, age: 1, .atTheLimit, .isAtTheLimit),
        Rejection(401, .older, age: 1, .idle, .sentAgain),
        Rejection(401, .older, age: 1, .refreshing, .waits),
        Rejection(401, .older, age: 1, .atTheLimit, .sentAgain),
        Rejection(401, .ofAnEndedSession, age: nil, .idle, .passesUp),
        Rejection(401, .ofAnEndedSession, age: nil, .refreshing, .passesUp),
        Rejection(403, .current, age: nil, .idle, .refreshes),
        Rejection(403, .current, age: 0, .idle, .forbidden),
        Rejection(403, .current, age: 59, .idle, .forbidden),
        Rejection(403, .current, age: 59, .refreshing, .forbidden),
        Rejection(403, .current, age: 59, .atTheLimit, .forbidden),
        Rejection(403, .current, age: 60, .idle, .refreshes),
        Rejection(403, .current, age: 60, .refreshing, .waits),
        Rejection(403, .current, age: 60, .atTheLimit, .isAtTheLimit),
        Rejection(403, .older, age: 1, .idle, .sentAgain),
        Rejection(403, .older, age: 1, .refreshing, .waits),
        Rejection(403, .ofAnEndedSession, age: nil, .idle, .passesUp),
    ]

    @Test(arguments: rejections) func aRejectionHasItsVerdict(row: Rejection) throws {
        var ticket = try #require(gate.pass())
        if let age = row.age {
            gate.renew(at: now - .seconds(age))
            if row.token == .current { ticket = try #require(gate.pass()) }
        }
        if row.token == .ofAnEndedSession { _ = gate.endSession() }
        switch row.state {
        case .idle: break
        case .refreshing: _ = gate.recover(0, from: nil, at: now)
        case .atTheLimit:
            for number in 1...3 {
                _ = gate.recover(0, from: nil, at: now)
                _ = gate.end(number, error: Failure(text: "down"), at: now)
            }
        }
        let verdict = gate.recover(1, from: ticket, isForbidden: row.status == 403, at: now)
        switch (verdict, row.verdict) {
        case (.send(let new), .sentAgain): #expect(new == gate.ticket)
        case (.wait(_, nil), .waits), (.wait(_, .some), .refreshes), (.sessionEnded, .passesUp),
            (.forbidden, .forbidden), (.limitReached, .isAtTheLimit):
            break
        default: Issue.record("\(verdict)")
        }
    }

    @Test func theTimeLimitFailsThoseThatWaitAndEndsTheWait() throws {
        _ = gate.admit(1, freshness: .expiring, seenAt: 0, at: now)
        _ = gate.recover(2, from: gate.ticket, at: now)
        let ended = try #require(gate.timeOut(1, at: now + .seconds(30)))
        #expect(ended.failed == [2])
        #expect(ended.released == [1], "its token is still good")
        #expect(ended.duration == .seconds(30))
        #expect(gate.pass() == Ticket(session: 0, generation: 0))
        #expect(gate.timeOut(1, at: now) == nil)
    }

    /// What happens between a refresh's time limit and its completion, and whether the completion renews the token.
    enum Meanwhile: CaseIterable, Sendable { case nothing, theNextRefresh, theEndOfTheSession }

    @Test(arguments: Meanwhile.allCases, [true, false])
    func aLateCompletionCountsOnlyAsASuccessOfTheLastRefresh(meanwhile: Meanwhile, succeeds: Bool) throws {
        let old = gate.ticket
        _ = gate.recover(1, from: old, at: now)
        _ = gate.timeOut(1, at: now + .seconds(30))
        switch meanwhile {
        case .nothing: break
        case .theNextRefresh: _ = gate.recover(2, from: old, at: now + .seconds(31))
        case .theEndOfTheSession: _ = gate.endSession()
        }
        let error = succeeds ? nil : Failure(text: "late")
        let ended = gate.end(1, error: error, at: now + .seconds(32))
        let counts = succeeds && meanwhile == .nothing
        #expect((ended != nil) == counts)
        #expect(gate.generation == (counts ? 1 : 0))
        #expect(gate.waiting == (meanwhile == .theNextRefresh ? 1 : 0))
        if counts {
            #expect(ended?.duration == .seconds(32))
            #expect(gate.recover(3, from: old, at: now + .seconds(33)).ticket == gate.ticket, "without a refresh")
        }
        #expect(gate.end(1, error: nil, at: now) == nil, "it counts once")
    }

    @Test func aRequestOfAnOverdueRefreshBeginsNoOther() throws {
        let ticket = try #require(gate.pass())
        #expect(gate.recover(1, from: ticket, at: now).waits?.starts == 1)
        _ = gate.timeOut(1, at: now + .seconds(30))
        let later = now + .seconds(35)
        let verdicts = [
            gate.recover(2, from: ticket, insideOf: 1, at: later),
            gate.admit(2, freshness: .expired, seenAt: gate.generation, insideOf: 1, at: later),
        ]
        for verdict in verdicts {
            guard case .insideRefresh = verdict else {
                Issue.record("\(verdict)")
                continue
            }
        }
        #expect(gate.recover(3, from: ticket, at: later).waits?.starts == 2)
    }

    @Test func aRefreshIsInFlightUntilItsEndWithOrWithoutWaiters() {
        #expect(!gate.isRefreshing(1))
        _ = gate.recover(1, from: gate.ticket, at: now)
        _ = gate.leave(1)
        #expect(gate.isRefreshing(1))
        _ = gate.end(1, error: nil, at: now)
        #expect(!gate.isRefreshing(1))
    }

    @Test func anEarlyRefreshThatFailedIsTriedAgainForTheNextToken() throws {
        _ = gate.admit(1, freshness: .expiring, seenAt: 0, at: now)
        _ = gate.end(1, error: Failure(text: "down"), at: now)
        #expect(gate.admit(1, freshness: .expiring, seenAt: 0, at: now).ticket == gate.ticket)
        gate.renew(at: now)
        #expect(gate.admit(1, freshness: .expiring, seenAt: 1, at: now).waits?.starts == 2)
    }
}
