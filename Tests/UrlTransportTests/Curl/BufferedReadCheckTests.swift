#if os(Linux)
import Testing

@testable import UrlTransport

/// When transfers are visited without an event.
struct BufferedReadCheckTests {
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
