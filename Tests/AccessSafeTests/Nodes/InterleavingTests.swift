import NetChainTestKit
import NodeCore
import Testing

@testable import AccessSafe

/// Random orders of events over many seeded rounds, each checked against what must hold in any order.
@Suite struct InterleavingTests {
    @Test(arguments: 0..<300) func whateverTheOrderNobodyIsLostAndNobodyIsTwice(seed: Int) {
        var round = Round(seed: seed)
        for _ in 0..<120 { round.step() }
        round.finish()
    }
}

/// A server whose tokens expire, requests, refreshes and cancels, in an order that the seed decides.
private struct Round {
    let setup = Setup(limits: RefreshLimits(refreshes: 1_000_000, timeout: .seconds(10)))
    var random: SeededGenerator
    var endings: [Ending] = []
    var canceled: Set<Int> = []
    /// The token that the server accepts.
    var valid = 1
    /// Whether some refresh has failed or timed out, so that errors of refreshes are to be expected.
    var hasFailed = false
    /// How many refreshes had begun when the last of them exceeded its time limit.
    var overdue = 0

    init(seed: Int) { random = SeededGenerator(seed: seed) }

    var api: ScriptedApi { setup.api }
    var openCalls: [ScriptedApi.Call] { api.calls.filter { !$0.context.isSettled } }
    var isOpen: Bool { api.refreshes.last.map { !$0.isSettled } ?? false }
    var isRefreshing: Bool { isOpen && api.refreshes.count != overdue }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: send()
        case 8..<14: answerOne()
        case 14..<16: finishRefresh()
        case 16: valid = max(valid, api.token + 1)  // the token in use is no good any more
        case 17: cancelOne()
        case 18: failRefresh()
        default: if isRefreshing && Int.random(in: 0..<4, using: &random) == 0 { timeOut() }
        }
        check()
    }

    mutating func send() {
        let before = api.calls.count
        let wasRefreshing = isRefreshing
        endings.append(setup.send(endings.count))
        if wasRefreshing { #expect(api.calls.count == before, "sent during a refresh") }
    }

    mutating func answerOne() {
        guard let call = openCalls.randomElement(using: &random) else { return }
        if call.token >= valid { call.succeed() } else { call.refuse() }
    }

    mutating func finishRefresh() {
        guard isOpen else { return }
        if Int.random(in: 0..<5, using: &random) == 0 { valid = api.token + 2 }  // dead on arrival
        api.finishRefresh()
    }

    mutating func failRefresh() {
        guard isRefreshing else { return }
        hasFailed = true
        let waiting = setup.refresher.frozenCount
        let ended = endings.filter { $0.count > 0 }.count
        api.refreshes.last?.emit(error: Failure(text: "refresh"))
        #expect(endings.filter { $0.count > 0 }.count == ended + waiting)
    }

    mutating func timeOut() {
        hasFailed = true
        overdue = api.refreshes.count
        setup.clock.advance(by: .seconds(10))
        #expect(!isRefreshing)
    }

    mutating func cancelOne() {
        guard let index = endings.indices.filter({ endings[$0].count == 0 }).randomElement(using: &random) else {
            return
        }
        canceled.insert(index)
        endings[index].observer.cancel()
        #expect(endings[index].isCanceled)
    }

    /// What holds at any moment.
    func check() {
        #expect(api.refreshes.filter { !$0.isSettled }.count <= 1, "one refresh at a time")
        #expect(isRefreshing || setup.refresher.frozenCount == 0, "nobody waits for nothing")
        #expect(setup.clock.delays.count == (isRefreshing ? 1 : 0))
        #expect(endings.allSatisfy { $0.count <= 1 })
    }

    /// Lets everything end and looks at the whole.
    mutating func finish() {
        while isRefreshing || !openCalls.isEmpty {
            if isRefreshing { api.finishRefresh() }
            answerOne()
            check()
        }
        if isOpen { api.finishRefresh() }
        for (index, ending) in endings.enumerated() {
            #expect(ending.count == 1, "request \(index) ended \(ending.count) times")
            #expect(ending.isCanceled == canceled.contains(index))
            let sent = api.calls.filter { $0.request == index }
            #expect(sent.count <= 3, "once more with a newer token, once more after a refresh")
            if let error = ending.error {
                switch error {
                case is Refusal: #expect(sent.count >= 2, "an error of the server's comes up after a replay only")
                case let failure as Failure: #expect(hasFailed && failure == Failure(text: "refresh"))
                default: #expect(hasFailed && ending.code == .refreshTimedOut)
                }
            } else if let value = ending.value {
                #expect(value == "\(index) with \(sent.last?.token ?? -1)")
            }
        }
    }
}
