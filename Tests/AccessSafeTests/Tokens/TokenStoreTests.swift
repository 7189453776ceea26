import Dispatch
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import AccessSafe

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite final class TokenStoreTests: Sendable {
    let start = Date(timeIntervalSince1970: 1_000_000)
    let clock = WallClock()
    let refreshes = PairRefreshes()

    deinit { refreshes.hangUp() }

    private func store(endsIn seconds: Double?, margin: Duration = .seconds(30)) -> TokenStore {
        let pair = TokenPair(accessToken: "a1", refreshToken: "r1", expiresAt: seconds.map { clock.now + $0 })
        return TokenStore(pair, margin: margin, now: { [clock] in clock.now })
    }

    private func refresher(_ store: TokenStore) -> TokenRefresherNode {
        TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(), refresh: refreshes.node)
    }

    @Test func aRefreshTakesTheOldPairAndPutsTheNewOneIn() {
        let store = store(endsIn: nil)
        let asked = refresher(store).inline()
        #expect(refreshes.calls[0].old == TokenPair(accessToken: "a1", refreshToken: "r1"))
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2", refreshToken: "r2"))
        #expect(asked.outcome?.value != nil)
        #expect(store.accessToken == "a2")
        #expect(store.pair?.refreshToken == "r2")
    }

    @Test func aRefreshOfTheClassicFormDoesNotWaitForTheQueueOfItsCallbacks() {
        let (store, queue) = (store(endsIn: nil), DispatchQueue(label: "nobody serves it"))
        queue.suspend()
        defer { queue.resume() }
        let service = ChainConfiguratorNode(next: refreshes.node, work: .inPlace, answer: .dispatch(on: queue))
        let refresher = TokenRefresherNode(
            store: store, clock: TestClock(), executor: InlineExecutor(),
            refresh: ClosureNode { service.inline($0) })
        let asked = refresher.inline()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2"))
        #expect(asked.outcome?.value != nil)
        #expect(store.accessToken == "a2")
    }

    @Test func aServerThatGivesNoNewRefreshTokenLetsTheOldOneStand() {
        let store = store(endsIn: nil)
        _ = refresher(store).inline()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2"))
        #expect(store.pair == TokenPair(accessToken: "a2", refreshToken: "r1"))
    }

    @Test func aFailedRefreshLeavesThePairAlone() {
        let store = store(endsIn: nil)
        let asked = refresher(store).inline()
        refreshes.calls[0].context.emit(error: Failure(text: "invalid_grant"))
        #expect(asked.outcome?.error as? Failure == Failure(text: "invalid_grant"))
        #expect(store.accessToken == "a1")
    }

    @Test func aLogoutDuringARefreshWinsAndFailsWhoWaits() {
        let store = store(endsIn: nil)
        let asked = refresher(store).inline()
        store.clear(cause: Failure(text: "logout"))
        let error = asked.outcome?.error as? AccessSafeError
        #expect(error?.code == .signedOut)
        #expect(error?.cause as? Failure == Failure(text: "logout"))
        #expect(refreshes.calls[0].context.isSettled, "the cancel reached the refresh")
        #expect(store.pair == nil)
    }

    @Test func theResultOfARefreshAfterALogoutIsThrownAway() throws {
        let store = store(endsIn: nil)
        let (_, version) = try store.toRefresh()
        store.clear()
        let outcome = store.end(.completed(TokenPair(accessToken: "a2")), of: version)
        #expect((outcome.error as? AccessSafeError)?.code == .signedOut)
        #expect(store.pair == nil)
    }

    static let ends = [
        Outcome<TokenPair>.completed(TokenPair(accessToken: "a2")), .failed(Failure(text: "no")), .canceled,
    ]

    @Test(arguments: ends)
    func newerTokensWinOverARefreshHoweverItEnds(refreshed: Outcome<TokenPair>) throws {
        let store = store(endsIn: nil)
        let (_, version) = try store.toRefresh()
        store.set(TokenPair(accessToken: "new"))
        #expect(store.end(refreshed, of: version).value != nil)
        #expect(store.accessToken == "new")
    }

    @Test func aNewSessionAfterALogoutGetsNothingOfTheOldOne() {
        let store = store(endsIn: nil)
        let refresher = refresher(store)
        let old = refresher.inline()
        store.clear()
        store.set(TokenPair(accessToken: "b1", refreshToken: "s1"))
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2"))
        #expect((old.outcome?.error as? AccessSafeError)?.code == .signedOut)
        #expect(store.accessToken == "b1")
        let asked = refresher.inline()
        #expect(refreshes.calls[1].old.refreshToken == "s1")
        refreshes.calls[1].context.emit(data: TokenPair(accessToken: "b2"))
        #expect(asked.outcome?.value != nil)
    }

    @Test func aRefreshThatTheChangeOfALogoutStartsIsOneOfTheNewSession() throws {
        let stores = Mutex<TokenStore?>(nil)
        let asked = Mutex<Observer<Void>?>(nil)
        let node = Mutex<TokenRefresherNode?>(nil)
        let store = TokenStore(TokenPair(accessToken: "a1", refreshToken: "r1")) { pair in
            guard pair == nil else { return }
            stores.withLock { $0 }?.set(TokenPair(accessToken: "guest", refreshToken: "g1"))
            let refresh = node.withLock { $0 }?.inline()
            asked.withLock { $0 = refresh }
        }
        stores.withLock { $0 = store }
        node.withLock { $0 = refresher(store) }
        store.clear()
        let refresh = try #require(asked.withLock { $0 })
        #expect(refresh.outcome == nil)
        #expect(refreshes.calls.map(\.old.refreshToken) == ["g1"])
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "guest 2"))
        #expect(refresh.outcome?.value != nil)
        stores.withLock { $0 = nil }
        node.withLock { $0 = nil }
    }

    /// The first one is reported without tokens, too: saved ones that couldn't be read are to be removed.
    @Test func aLogoutAfterALogoutIsNoChange() {
        let changes = Mutex<[String?]>([])
        let store = TokenStore { pair in changes.withLock { $0.append(pair?.accessToken) } }
        store.clear()
        store.clear()
        #expect(changes.withLock { $0 } == [nil])
        store.set(TokenPair(accessToken: "a1"))
        store.clear()
        store.clear(cause: AccessSafeError(.refreshTimedOut))
        #expect(changes.withLock { $0 } == [nil, "a1", nil])
    }

    @Test func theErrorOfAnEndedSessionHasTheTextOfAMaskedCause() {
        struct Denied: Error, MaskedValue { var description: String { "invalid_grant: revoked" } }
        let text = "There are no tokens for the request: its session has ended."
        #expect("\(AccessSafeError(.signedOut, cause: Denied()))" == "\(text) Cause: invalid_grant: revoked")
        #expect("\(AccessSafeError(.signedOut, cause: Failure(text: "x")))" == "\(text) Cause: Failure.")
    }

    @Test func withoutTokensNothingIsCalled() {
        let store = TokenStore()
        let asked = refresher(store).inline()
        #expect((asked.outcome?.error as? AccessSafeError)?.code == .signedOut)
        #expect(refreshes.calls.isEmpty)
    }

    @Test func everyRefresherOfAStoreHearsOfTheLogout() {
        let store = store(endsIn: nil)
        let asked = [refresher(store).inline(), refresher(store).inline()]
        store.clear()
        #expect(asked.allSatisfy { ($0.outcome?.error as? AccessSafeError)?.code == .signedOut })
    }

    @Test(arguments: [(31.0, TokenFreshness.fresh), (30, .expiring), (0.5, .expiring), (0, .expired), (-100, .expired)])
    func thePairsEndTellsItsFreshness(seconds: Double, freshness: TokenFreshness) {
        #expect(store(endsIn: seconds).freshness == freshness)
    }

    @Test func withoutAKnownEndATokenIsFresh() {
        #expect(store(endsIn: nil).freshness == .fresh)
        #expect(TokenStore().freshness == .fresh)
    }

    @Test func aTokenThatEndsSoonIsRefreshedBeforeTheRequestIsSent() {
        let (api, store) = (ScriptedApi(), store(endsIn: 100))
        defer { api.hangUp() }
        let node = AccessSafeNode(next: api.node, updateTokenChain: refresher(store))
        _ = node.inline(0)
        #expect(api.calls.count == 1)
        clock.turn(by: 80)
        _ = node.inline(1)
        _ = node.inline(2)
        #expect(api.calls.count == 1)
        #expect(refreshes.calls.count == 1)
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2", expiresAt: clock.now + 100))
        #expect(api.calls.map(\.request) == [0, 1, 2])
    }

    @Test func anEarlyRefreshThatFailsLetsRequestsGoWithTheTokenThereIs() {
        let (api, store) = (ScriptedApi(), store(endsIn: 10))
        defer { api.hangUp() }
        let node = AccessSafeNode(next: api.node, updateTokenChain: refresher(store))
        let early = Ending(node.inline(1))
        refreshes.calls[0].context.emit(error: Failure(text: "down"))
        #expect(api.calls.map(\.request) == [1])
        api.calls[0].succeed()
        #expect(early.value == "1 with 1")
        _ = node.inline(2)
        #expect(api.calls.count == 2, "it is tried once for a token")
        #expect(refreshes.calls.count == 1)
        clock.turn(by: 10)
        let late = Ending(node.inline(3))
        #expect(api.calls.count == 2)
        refreshes.calls[1].context.emit(error: Failure(text: "still down"))
        #expect(late.error as? Failure == Failure(text: "still down"))
    }

    @Test(arguments: [0.0, -3600, 1]) func aClockThatIsWrongDoesNotCauseARefreshForEachRequest(lifetime: Double) {
        let (api, store) = (ScriptedApi(), store(endsIn: nil))
        defer { api.hangUp() }
        let node = AccessSafeNode(next: api.node, updateTokenChain: refresher(store))
        _ = node.inline(0)
        api.calls[0].refuse()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a2", expiresAt: clock.now + lifetime))
        for request in 1...5 { _ = node.inline(request) }
        #expect(api.calls.count == 7)
        #expect(refreshes.calls.count == 1)
    }

    @Test func changesAreToldOneAfterAnotherInTheirOrder() {
        let told = Mutex<[String?]>([])
        let holder = Mutex<TokenStore?>(nil)
        let store = TokenStore { pair in
            told.withLock { $0.append(pair?.accessToken) }
            // A change from within is told after this one.
            if pair?.accessToken == "a1" { holder.withLock { $0 }?.clear() }
            told.withLock { $0.append("end") }
        }
        holder.withLock { $0 = store }
        store.set(TokenPair(accessToken: "a1"))
        #expect(told.withLock { $0 } == ["a1", "end", nil, "end"])
        store.set(TokenPair(accessToken: "a2", refreshToken: "r2"))
        _ = refresher(store).inline()
        refreshes.calls[0].context.emit(data: TokenPair(accessToken: "a3"))
        #expect(told.withLock { $0.dropFirst(4) } == ["a2", "end", "a3", "end"])
        holder.withLock { $0 = nil }
    }

    /// A thread that reports a change reports no later one whose session has not ended everywhere.
    @Test func aLogOutIsReportedAfterTheSessionHasEndedEverywhere() async throws {
        let events = Gathered<String>()
        let (reports, continues) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = TokenStore { pair in
            events.append("reported \(pair?.accessToken ?? "log-out")")
            guard pair?.accessToken == "a" else { return }
            reports.signal()
            continues.wait()
        }
        let refresher = refresher(store)
        let listener = EndListener {
            // The other thread may report now.
            continues.signal()
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.3)
            events.append("ended")
        }
        refresher.notifyAtSessionEnd(listener)
        let first = Task.detached { await onThread { store.set(TokenPair(accessToken: "a")) } }
        await onThread {
            reports.wait()
            store.clear()
        }
        await first.value
        #expect(events.all == ["reported a", "ended", "reported log-out"])
        withExtendedLifetime(listener) {}
    }

    @Test func aListenerAtTheAddressOfAReleasedOneIsNotified() {
        let store = store(endsIn: nil)
        let refresher = TokenRefresherNode(store: store) { _ in throw Failure(text: "") }
        for round in 1...100 {
            refresher.notifyAtSessionEnd(EndListener { Issue.record("It was released.") })
            let events = Gathered<Int>()
            let listener = EndListener { events.append(round) }
            refresher.notifyAtSessionEnd(listener)
            refresher.notifyAtSessionEnd(listener)
            store.clear()
            #expect(events.all == [round])
        }
    }

    private final class EndListener: SessionEndListener {
        let number = WeakSessionEndListener.newNumber()
        let whenEnded: @Sendable () -> Void

        init(_ whenEnded: @escaping @Sendable () -> Void) { self.whenEnded = whenEnded }

        func sessionEnded(gate: Int) { whenEnded() }
    }

    @Test func anAsyncRefreshThatClearsTheStoreEndsTheSession() async {
        let store = store(endsIn: nil)
        let refresher = TokenRefresherNode(store: store) { _ in
            let error = Failure(text: "invalid_grant")
            store.clear(cause: error)
            throw error
        }
        let error = await refresher.inline().settled.error as? AccessSafeError
        #expect(error?.code == .signedOut)
        #expect(error?.cause as? Failure == Failure(text: "invalid_grant"))
    }
}

/// Runs code that blocks on a dedicated thread.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "test").async {
            body()
            continuation.resume()
        }
    }
}

@Suite struct TokenPairTests {
    let pair = TokenPair(accessToken: "secret", refreshToken: "hidden", expiresAt: Date(timeIntervalSince1970: 1))

    @Test func noTextShowsATokenWhoeverPrints() {
        var dumped = ""
        dump([pair], to: &dumped)
        dump(TokenStore(pair).pair, to: &dumped)
        for text in ["\(pair)", String(reflecting: pair), "\([pair])", "\(Optional(pair) as Any)", dumped] {
            #expect(!text.contains("secret") && !text.contains("hidden"))
        }
    }

    @Test func aLifetimeCountsFromNow() throws {
        let end = try #require(TokenPair(accessToken: "a", expiresIn: .seconds(3600)).expiresAt)
        #expect(abs(end.timeIntervalSinceNow - 3600) < 60)
    }
}

/// A calendar clock that a test turns.
final class WallClock: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

    var now: Date { time.withLock { $0 } }

    func turn(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// Refreshes of pairs that the test answers.
final class PairRefreshes: Sendable {
    struct Call: Sendable {
        let old: TokenPair
        let context: Context<TokenPair>
    }

    private let state = Mutex<[Call]>([])

    var calls: [Call] { state.withLock { $0 } }

    var node: Node<TokenPair, TokenPair> {
        ClosureNode { [self] old in
            let context = Context<TokenPair>()
            state.withLock { $0.append(Call(old: old, context: context)) }
            return context.observer
        }
    }

    /// Ends what the test has left open: a chain whose end never comes keeps itself alive.
    func hangUp() {
        let calls = state.withLock { calls in
            defer { calls = [] }
            return calls
        }
        for call in calls { call.context.cancel() }
    }
}
