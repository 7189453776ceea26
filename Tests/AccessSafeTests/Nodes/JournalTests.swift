import Logging
import NetChainTestKit
import NodeCore
import TestSupport
import Testing

@testable import AccessSafe

@Suite final class JournalTests: Sendable {
    let setup = Setup()
    var api: ScriptedApi { setup.api }

    deinit { api.hangUp() }

    private func send(_ request: Int, under journal: Journal) -> Observer<String> {
        journal.record { setup.node.inline(request) }
    }

    @Test func aRequestTellsItsWayInOrder() {
        let (first, second) = (Journal(), Journal())
        _ = send(1, under: first)
        api.calls[0].refuse()
        _ = send(2, under: second)
        setup.clock.advance(by: .milliseconds(120))
        api.finishRefresh()
        #expect(
            first.records.map(\.entry.id) == [
                "AccessSafeNode", "TokenRefresherNode", "TokenRefresherNode", "AccessSafeNode",
            ])
        #expect(
            first.texts == [
                "Access was rejected (Refusal): waits for a token refresh.", "The token refresh starts.",
                "The token was refreshed in 120 ms.", "Sent again after a token refresh of 120 ms.",
            ])
        #expect(second.levels == [.info, .info])
        #expect(
            second.texts == [
                "Waits for a token refresh before it is sent.", "Sent after a token refresh of 120 ms.",
            ])
        #expect(first.logs.allSatisfy { $0.kind == .refresh })
        #expect(first.logs.map(\.details.duration) == [nil, nil, .milliseconds(120), .milliseconds(120)])
    }

    @Test func aFailureNamesTheErrorsTypeOnly() {
        let journal = Journal()
        _ = send(1, under: journal)
        api.calls[0].refuse()
        setup.clock.advance(by: .milliseconds(5))
        api.refreshes[0].emit(error: Failure(text: "token=secret"))
        #expect(journal.logs.map { $0.details.error != nil } == [true, false, true])
        #expect(journal.levels == [.warning, .info, .warning])
        #expect(journal.texts.last == "The token refresh failed after 5 ms (Failure).")
    }

    @Test func anEndOfTheSessionDuringTheRefreshIsItsFailure() {
        let journal = Journal()
        _ = send(1, under: journal)
        api.calls[0].refuse()
        setup.clock.advance(by: .milliseconds(5))
        setup.refresher.endSession(cause: Failure(text: "token=secret"))
        #expect(journal.texts.last == "The token refresh failed after 5 ms (AccessSafeError).")
        #expect(journal.logs.last?.details.duration == .milliseconds(5))
        #expect((journal.logs.last?.details.error as? AccessSafeError)?.cause is Failure)
        setup.refresher.endSession()
        #expect(journal.texts.count == 3)
    }

    @Test func aLateRefusalTellsThatItIsOne() {
        let journal = Journal()
        _ = setup.send(0)
        _ = send(1, under: journal)
        api.calls[0].refuse()
        api.finishRefresh()
        api.calls[1].refuse()
        #expect(journal.texts == ["Sent again at once: the token is newer than the one that was rejected."])
    }

    @Test func everyReplayWritesToItsOwnJournalAndOneWithoutToNone() {
        struct Line: JournalEntry {
            let id: String
        }
        let (first, third, foreign) = (Journal(), Journal(), Journal())
        let journals: [Journal?] = [first, nil, third]
        let node = AccessSafeNode(
            next: ClosureNode<Int, String> { [api] request in
                if api.token == 2 { Journal.current?.append(Line(id: "\(request)")) }
                return api.node.inline(request)
            }, updateTokenChain: setup.refresher)
        let observers = journals.indices.map { index in
            Run.within(journals[index].map(Run.with(journal:))) { node.inline(index) }
        }
        for call in api.calls { call.refuse() }
        foreign.record { api.finishRefresh() }
        #expect(api.calls.count == 6)
        #expect(first.records.compactMap { ($0.entry as? Line)?.id } == ["0"])
        #expect(third.records.compactMap { ($0.entry as? Line)?.id } == ["2"])
        #expect(foreign.records.isEmpty)
        #expect(observers[1].journal == nil)
        for call in api.calls.dropFirst(3) { call.succeed() }
        #expect(observers.allSatisfy { $0.outcome?.value != nil })
    }

    @Test func theRefreshChainWritesToTheJournalOfWhoAskedForIt() {
        struct Line: JournalEntry {
            let id = "Line"
        }
        let refresher = TokenRefresherNode(
            tokenRefreshChain: ClosureNode {
                Journal.current?.append(Line())
                return .emit()
            }, clock: .system, executor: InlineExecutor())
        let (journal, picky) = (Journal(), Journal { $0.id != "Line" })
        _ = journal.record { refresher.inline() }
        _ = picky.record { refresher.inline() }
        _ = refresher.inline()
        #expect(journal.records.map(\.entry.id) == ["TokenRefresherNode", "Line", "TokenRefresherNode"])
        #expect(picky.records.map(\.entry.id) == ["TokenRefresherNode", "TokenRefresherNode"])
    }

    @Test func anEarlyRefreshThatFailsIsTold() {
        let setup = Setup(freshness: { .expiring })
        defer { setup.api.hangUp() }
        let journal = Journal()
        _ = journal.record { setup.node.inline(1) }
        setup.api.refreshes[0].emit(error: Failure(text: "down"))
        #expect(journal.texts.last == "Sent with the old token, since the early refresh failed after 0 ms (Failure).")
    }
}

extension Journal {
    var logs: [Log] { records.compactMap { $0.entry as? Log } }
    var levels: [LogLevel] { logs.map(\.level) }
    var texts: [String] { logs.map(\.message) }
}
