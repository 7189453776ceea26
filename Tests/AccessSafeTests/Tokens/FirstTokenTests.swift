import AccessSafe
import NetChainTestKit
import NodeCore
import Synchronization
import TestSupport
import Testing

/// A refresher that needs no old token gets the first one, too.
@Suite struct FirstTokenTests {
    private let store = TokenStore()

    /// A chain that returns the token with which a request is sent.
    private func chain(_ refresher: TokenRefresherNode) -> Node<Int, String> {
        AccessSafeNode(
            next: ClosureNode { [store] in .emit(data: "\($0) with \(store.accessToken ?? "none")") },
            updateTokenChain: refresher)
    }

    @Test func oneFetchServesAllRequestsThatStartWithoutAToken() async throws {
        let answer = Context<TokenPair>()
        let old = Context<TokenPair?>()
        let refresher = TokenRefresherNode(fetchingFor: store) { pair in
            #expect(old.emit(data: pair), "it is called once")
            return try await answer.observer.value
        }
        let chain = chain(refresher)
        let requests = (0..<100).map { chain.process($0) }
        #expect(try await old.observer.value == nil)
        #expect(requests.allSatisfy { $0.outcome == nil })
        answer.emit(data: TokenPair(accessToken: "first"))
        for (number, request) in requests.enumerated() { #expect(try await request.value == "\(number) with first") }
        #expect(store.pair?.accessToken == "first")
    }

    @Test func concurrentFirstRequestsCauseOneFetch() async throws {
        for _ in 0..<50 {
            let store = TokenStore()
            let count = Atomic(0)
            let refresher = TokenRefresherNode(fetchingFor: store) { _ in
                TokenPair(accessToken: "\(count.add(1, ordering: .relaxed).newValue)")
            }
            let chain = AccessSafeNode<Int, String>(
                next: ClosureNode { _ in .emit(data: store.accessToken ?? "none") }, updateTokenChain: refresher)
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<40 { group.addTask { try await chain.execute(number) } }
                for try await token in group { #expect(token == "1") }
            }
            #expect(count.load(ordering: .relaxed) == 1)
        }
    }

    @Test func theNextFetchGetsTheOldPair() async throws {
        let refresher = TokenRefresherNode(fetchingFor: store) { old in
            TokenPair(accessToken: "\(old?.accessToken ?? "")x", refreshToken: old == nil ? "r" : nil)
        }
        try await refresher.execute()
        try await refresher.execute()
        #expect(store.pair == TokenPair(accessToken: "xx", refreshToken: "r"))
    }

    @Test func aFailedFetchFailsTheRequestAndTheNextOneTriesAgain() async throws {
        let isUp = Atomic(false)
        let refresher = TokenRefresherNode(fetchingFor: store) { _ in
            guard isUp.load(ordering: .relaxed) else { throw Failure(text: "down") }
            return TokenPair(accessToken: "first")
        }
        let chain = chain(refresher)
        #expect(await thrown(Failure.self) { try await chain.execute(1) } == Failure(text: "down"))
        isUp.store(true, ordering: .relaxed)
        #expect(try await chain.execute(2) == "2 with first")
    }

    @Test func aStoreThatWasClearedGetsNoToken() async throws {
        let refresher = TokenRefresherNode(fetchingFor: store) { _ in
            Issue.record("a user has logged out")
            return TokenPair(accessToken: "unwanted")
        }
        store.clear(cause: Failure(text: "logged out"))
        let api = AccessSafeNode<Int, String>(
            next: ClosureNode { _ in .emit(error: Refusal(status: 401)) }, updateTokenChain: refresher)
        let error = await thrown(AccessSafeError.self) { try await api.execute(1) }
        #expect(error?.code == .signedOut)
        #expect(error?.cause as? Failure == Failure(text: "logged out"))
        #expect(await thrown(AccessSafeError.self) { try await refresher.execute() }?.code == .signedOut)
        #expect(store.pair == nil)
        store.set(TokenPair(accessToken: "logged in"))
        #expect(try await chain(refresher).execute(2) == "2 with logged in")
    }

    @Test func aLogOutDuringTheFirstFetchWins() async throws {
        let (asked, answer) = (Context<Void>(), Context<TokenPair>())
        let refresher = TokenRefresherNode(fetchingFor: store) { _ in
            asked.emit()
            return try await answer.observer.value
        }
        let request = chain(refresher).process(1)
        try await asked.observer.value
        store.clear()
        answer.emit(data: TokenPair(accessToken: "late"))
        #expect(await thrown(AccessSafeError.self) { try await request.value }?.code == .signedOut)
        #expect(store.pair == nil)
    }

    @Test func aRefresherThatNeedsTheOldTokenIsNotCalledWithoutOne() async throws {
        let refresher = TokenRefresherNode(store: store) { (_: TokenPair) in
            Issue.record("there is no old token")
            return TokenPair(accessToken: "unwanted")
        }
        #expect(try await chain(refresher).execute(1) == "1 with none")
        #expect(await thrown(AccessSafeError.self) { try await refresher.execute() }?.code == .signedOut)
    }
}
