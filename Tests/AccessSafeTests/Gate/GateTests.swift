import NodeCore
import Testing

@testable import AccessSafe

/// Transitions of the state machine, without I/O: waiters are numbers.
@Suite struct GateTests {
    let now = ContinuousClock.now
    let gate = Machine(limits: RefreshLimits(refreshes: 3, per: .seconds(60)))

    @Test func anIdleGateLetsEverybodyPass() {
        #expect(gate.pass() == Ticket(session: 0, generation: 0))
    }

    @Test func aRefusalStartsARefreshAndTheNextOnesJoinIt() throws {
        let ticket = try #require(gate.pass())
        #expect(gate.recover(10, from: ticket, at: now).waits == .init(id: 1, starts: 1))
        #expect(gate.recover(11, from: ticket, at: now).waits == .init(id: 2, starts: nil))
        #expect(gate.waiting == 2)
        #expect(gate.isRefreshing(1))
    }

    @Test func duringARefreshNobodyPasses() throws {
        let ticket = try #require(gate.pass())
        _ = gate.recover(10, from: ticket, at: now)
        #expect(gate.pass() == nil)
        #expect(gate.admit(11, freshness: .fresh, seenAt: 0, at: now).waits == .init(id: 2, starts: nil))
    }

    @Test func aSuccessReleasesEverybodyInTheOrderOfArrival() throws {
        let ticket = try #require(gate.pass())
        for waiter in [5, 3, 9] { _ = gate.recover(waiter, from: ticket, at: now) }
        _ = gate.admit(1, freshness: .fresh, seenAt: 0, at: now)
        let ended = try #require(gate.end(1, error: nil, at: now + .seconds(2)))
        #expect(ended.released == [5, 3, 9, 1])
        #expect(ended.failed.isEmpty)
        #expect(ended.duration == .seconds(2))
        #expect(gate.pass() == Ticket(session: 0, generation: 1))
    }

    @Test func aFailureFailsEverybodyAndTheNextRefusalMayTryAgain() throws {
        let ticket = try #require(gate.pass())
        for waiter in [5, 3] { _ = gate.recover(waiter, from: ticket, at: now) }
        let ended = try #require(gate.end(1, error: Failure(text: "no"), at: now))
        #expect(ended.failed == [5, 3])
        #expect(ended.released.isEmpty)
        #expect(gate.generation == 0)
        #expect(gate.recover(7, from: gate.pass(), at: now).waits == .init(id: 3, starts: 2))
    }

    @Test func aLateRefusalIsSentAgainAtOnce() throws {
        let old = try #require(gate.pass())
        _ = gate.recover(1, from: old, at: now)
        _ = gate.end(1, error: nil, at: now)
        #expect(gate.recover(2, from: old, at: now).ticket == Ticket(session: 0, generation: 1))
        #expect(!gate.isRefreshing(2))
    }

    @Test func aLateRefusalDuringTheNextRefreshWaitsForIt() throws {
        let old = try #require(gate.pass())
        _ = gate.recover(1, from: old, at: now)
        _ = gate.end(1, error: nil, at: now)
        _ = gate.recover(2, from: gate.pass(), at: now)
        #expect(gate.recover(3, from: old, at: now).waits == .init(id: 3, starts: nil))
    }

    @Test func anEndCountsOnce() throws {
        _ = gate.recover(1, from: gate.pass(), at: now)
        #expect(gate.end(1, error: Failure(text: "timeout"), at: now) != nil)
        #expect(gate.end(1, error: nil, at: now) == nil)
        #expect(gate.generation == 0)
        _ = gate.recover(1, from: gate.pass(), at: now)
        #expect(gate.end(1, error: nil, at: now) == nil, "the end of an older refresh is not the end of this one")
        #expect(gate.isRefreshing(2))
    }

    @Test func whoLeavesIsGivenBackOnce() throws {
        _ = gate.recover(1, from: gate.pass(), at: now)
        _ = gate.admit(2, freshness: .fresh, seenAt: 0, at: now)
        #expect(gate.leave(1) == 1)
        #expect(gate.leave(1) == nil)
        #expect(try #require(gate.end(1, error: nil, at: now)).released == [2])
        #expect(gate.leave(2) == nil)
    }

    @Test func theRefreshGoesOnWhenEverybodyHasLeft() throws {
        _ = gate.recover(1, from: gate.pass(), at: now)
        _ = gate.leave(1)
        #expect(gate.pass() == nil)
        #expect(try #require(gate.end(1, error: nil, at: now)).released.isEmpty)
        #expect(gate.pass() == Ticket(session: 0, generation: 1))
    }

    @Test func aPartOfTheRefreshDoesNotWaitForIt() throws {
        let ticket = gate.pass()
        _ = gate.recover(1, from: ticket, at: now)
        guard case .insideRefresh = gate.admit(2, freshness: .fresh, seenAt: 0, insideOf: 1, at: now) else {
            Issue.record("admit")
            return
        }
        guard case .insideRefresh = gate.recover(3, from: ticket, insideOf: 1, at: now) else {
            Issue.record("recover")
            return
        }
        _ = gate.end(1, error: nil, at: now)
        _ = gate.recover(1, from: gate.pass(), at: now)
        #expect(gate.admit(2, freshness: .fresh, seenAt: 1, insideOf: 1, at: now).waits != nil, "an old mark")
    }

    @Test func theLimitHoldsWithinTheWindowOnly() throws {
        for number in 1...3 {
            _ = gate.recover(0, from: gate.pass(), at: now + .seconds(number))
            _ = gate.end(number, error: Failure(text: "\(number)"), at: now + .seconds(number))
        }
        guard case .limitReached = gate.recover(0, from: gate.pass(), at: now + .seconds(60)) else {
            Issue.record("a fourth refresh within a minute")
            return
        }
        #expect(gate.recover(0, from: gate.pass(), at: now + .seconds(61)).waits?.starts == 4)
    }

    @Test func anExpiringTokenIsRefreshedOnceBeforeSending() throws {
        #expect(gate.admit(1, freshness: .expiring, seenAt: 0, at: now).waits == .init(id: 1, starts: 1))
        _ = gate.recover(2, from: Ticket(session: 0, generation: 0), at: now)
        _ = gate.admit(3, freshness: .expired, seenAt: 0, at: now)
        let ended = try #require(gate.end(1, error: Failure(text: "no"), at: now))
        #expect(ended.released == [1], "its token is still good")
        #expect(ended.failed == [2, 3], "these need a new one")
        #expect(gate.admit(1, freshness: .expiring, seenAt: 0, at: now).ticket == Ticket(session: 0, generation: 0))
    }

    @Test func anExpiredTokenIsRefreshedBeforeSendingAndItsFailureFailsTheRequest() throws {
        #expect(gate.admit(1, freshness: .expired, seenAt: 0, at: now).waits?.starts == 1)
        #expect(try #require(gate.end(1, error: Failure(text: "no"), at: now)).failed == [1])
        #expect(gate.admit(1, freshness: .expired, seenAt: 0, at: now).waits?.starts == 2)
    }

    @Test func whatWasKnownOfAnOlderTokenCausesNoRefresh() throws {
        _ = gate.recover(1, from: gate.pass(), at: now)
        _ = gate.end(1, error: nil, at: now)
        #expect(gate.admit(2, freshness: .expired, seenAt: 0, at: now).ticket == Ticket(session: 0, generation: 1))
    }

    @Test(arguments: [(TokenFreshness.fresh, true), (.expiring, true), (.expired, false)])
    func atTheLimitATokenIsSentUnlessItHasExpired(freshness: TokenFreshness, isSent: Bool) throws {
        for number in 1...3 {
            _ = gate.admit(0, freshness: .expired, seenAt: gate.generation, at: now)
            _ = gate.end(number, error: nil, at: now)
        }
        switch gate.admit(0, freshness: freshness, seenAt: 3, at: now) {
        case .send(let ticket): #expect(isSent && ticket == Ticket(session: 0, generation: 3))
        case .limitReached: #expect(!isSent)
        default: Issue.record("it waits")
        }
    }

    @Test func theEndOfTheSessionGivesTheWaitersAndForgetsTheRefresh() throws {
        let old = gate.pass()
        _ = gate.recover(1, from: old, at: now)
        _ = gate.recover(2, from: old, at: now)
        #expect(gate.endSession() == [1, 2])
        #expect(gate.end(1, error: nil, at: now) == nil)
        #expect(gate.pass() == Ticket(session: 1, generation: 0))
        guard case .sessionEnded = gate.recover(3, from: old, at: now) else {
            Issue.record("a request of the old session goes on in the new one")
            return
        }
    }

    @Test func aRequestOfAnEndedSessionIsNotAdmittedInTheNextOne() throws {
        #expect(gate.endSession().isEmpty)
        #expect(gate.pass(in: 0) == nil)
        #expect(gate.pass(in: 1) == Ticket(session: 1, generation: 0))
        for freshness in [TokenFreshness.fresh, .expiring, .expired] {
            guard case .sessionEnded = gate.admit(1, in: 0, freshness: freshness, seenAt: 0, at: now) else {
                Issue.record("admitted a \(freshness) one")
                return
            }
        }
        _ = gate.admit(2, freshness: .expired, seenAt: 0, at: now)
        guard case .sessionEnded = gate.admit(3, in: 0, freshness: .fresh, seenAt: 0, at: now) else {
            Issue.record("it waits for another session's refresh")
            return
        }
        #expect(gate.waiting == 1)
    }

    @Test func refreshesWithoutASessionDoNotCount() throws {
        for number in 1...5 {
            #expect(gate.recover(1, from: gate.pass(), at: now).waits?.starts == number)
            _ = gate.end(number, error: AccessSafeError(.signedOut), at: now)
        }
    }

    @Test(arguments: [0, -1]) func aLimitOfNoneRefusesTheFirst(limit: Int) {
        let gate = Machine(limits: RefreshLimits(refreshes: limit))
        guard case .limitReached = gate.recover(1, from: gate.pass(), at: now) else {
            Issue.record("a refresh began")
            return
        }
    }
}

/// The gate as an object, since the testing macros can't call what mutates a value.
final class Machine {
    private var gate: Gate<Int>

    init(limits: RefreshLimits) { gate = Gate(limits: limits) }

    var generation: Int { gate.generation }
    var ticket: Ticket { gate.ticket }
    var waiting: Int { gate.waiting }

    func isRefreshing(_ number: Int) -> Bool { gate.isRefreshing(number) }
    func timeOut(_ number: Int, at now: ContinuousClock.Instant) -> Gate<Int>.EndedRefresh? {
        gate.timeOut(number, at: now)
    }
    func renew(at now: ContinuousClock.Instant) { gate.renew(at: now) }
    func pass(in session: Int? = nil) -> Ticket? { gate.pass(in: session ?? gate.session) }
    func leave(_ id: Int) -> Int? { gate.leave(id) }
    func endSession() -> [Int] { gate.endSession(at: .now)?.failed ?? [] }

    func admit(
        _ waiter: Int, in session: Int? = nil, freshness: TokenFreshness, seenAt: Int, insideOf number: Int? = nil,
        at now: ContinuousClock.Instant
    ) -> Gate<Int>.Decision {
        gate.admit(
            waiter, in: session ?? gate.session, freshness: freshness, seenAt: seenAt, insideOf: number,
            at: now)
    }

    func recover(
        _ waiter: Int, from ticket: Ticket?, isForbidden: Bool = false, insideOf number: Int? = nil,
        at now: ContinuousClock.Instant
    ) -> Gate<Int>.Decision {
        gate.recover(
            waiter, from: ticket, isForbidden: isForbidden, insideOf: number, at: now)
    }

    func end(_ number: Int, error: (any Error)?, at now: ContinuousClock.Instant) -> Gate<Int>.EndedRefresh? {
        gate.end(number, error: error, at: now)
    }
}

extension Gate.Decision {
    struct Wait: Equatable {
        let id: Int
        let starts: Int?
    }

    var waits: Wait? {
        if case .wait(let id, let starts) = self { Wait(id: id, starts: starts) } else { nil }
    }

    var ticket: Ticket? {
        if case .send(let ticket) = self { ticket } else { nil }
    }
}
