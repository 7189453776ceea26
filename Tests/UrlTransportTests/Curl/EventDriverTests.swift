#if os(Linux)
import Testing

@testable import UrlTransport

/// Which driver is chosen, and when transfers are visited without an event.
struct EventDriverTests {
    private func choice(visits: Int = 0, completions: Int = 0, running: Int32 = 100) -> DriverChoice {
        var choice = DriverChoice()
        for _ in 0..<visits { choice.didVisit(runningBefore: running, after: running) }
        for _ in 0..<completions { choice.didVisit(runningBefore: running, after: running - 1) }
        return choice
    }

    @Test(arguments: [
        // 41 visits of 100 transfers, and none has ended.
        (visits: 41, completions: 0, running: Int32(100), kind: DriverChoice.Kind.epoll),
        (40, 0, 100, .poll),
        // 16 visits for each transfer that has ended.
        (0, 41, 16, .poll),
        (0, 300, 16, .poll),
        (0, 300, 17, .epoll),
        // Few transfers are always visited.
        (10_000, 0, 8, .poll),
    ])
    func visitsWithoutProgressMakeItEpoll(visits: Int, completions: Int, running: Int32, kind: DriverChoice.Kind) {
        var choice = choice(visits: visits, completions: completions, running: running)
        let hasChanged = choice.update(
            running: running, openConnections: 10, keptConnections: 64, usesSeveralHandles: false)
        #expect(hasChanged == (kind == .epoll))
        #expect(choice.kind == kind)
    }

    @Test func moreConnectionsThanAreKeptMakeItEpoll() {
        var choice = DriverChoice()
        func update(running: Int32, open: Int, isSpread: Bool = false) -> DriverChoice.Kind {
            _ = choice.update(
                running: running, openConnections: open, keptConnections: 64, usesSeveralHandles: isSpread)
            return choice.kind
        }
        let kinds = [
            update(running: 1, open: 64), update(running: 1, open: 65), update(running: 1, open: 64),
            update(running: 0, open: 65), update(running: 0, open: 64),
        ]
        #expect(kinds == [.poll, .epoll, .epoll, .epoll, .poll])
    }

    @Test func aBufferedReadIsCheckedBeforeAWait() {
        var check = BufferedReadCheck()
        check.didProcess(runningBefore: 1, after: 0, isMultiplexed: true)
        check.didProcess(runningBefore: 2, after: 1, isMultiplexed: false)
        #expect(check == BufferedReadCheck())
        check.didProcess(runningBefore: 2, after: 1, isMultiplexed: true)
        #expect(check.isOwed)
        check.didWaitWithoutEvents()
        #expect(check.isDue)
        // A visit that ends a transfer is followed by another one.
        check.didProcess(runningBefore: 2, after: 1, isMultiplexed: true)
        check.didVisit()
        #expect(check.isOwed)
        check.didWaitWithoutEvents()
        check.didProcess(runningBefore: 2, after: 2, isMultiplexed: true)
        check.didVisit()
        #expect(!check.isOwed && !check.isDue)
    }

    @Test func aVisitBesideOtherWorkIsRepeated() {
        var check = BufferedReadCheck()
        check.didProcess(runningBefore: 2, after: 2, isMultiplexed: true)
        check.didWaitWithoutEvents()
        check.didReceiveCommands()
        check.didVisit()
        #expect(check.isOwed)
    }
}
#endif
