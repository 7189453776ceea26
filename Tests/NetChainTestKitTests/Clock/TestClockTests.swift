import NetChainTestKit
import NodeCore
import Synchronization
import Testing

struct TestClockTests {
    @Test func itStandsStillUntilItIsTurned() {
        let clock = TestClock()
        let start = clock.now
        let wait = clock.wait(for: .seconds(2))
        #expect(clock.delays == [.seconds(2)])
        clock.advance(by: .seconds(1))
        #expect(wait.outcome == nil)
        #expect(clock.delays == [.seconds(1)])
        clock.advance(by: .seconds(1))
        #expect(wait.outcome?.value != nil)
        #expect(clock.delays.isEmpty)
        #expect(clock.now - start == .seconds(2))
    }

    @Test func delaysEndInTheOrderOfTheirEnds() {
        let clock = TestClock()
        let order = Mutex<[Int]>([])
        for delay in [3, 1, 2, 1] {
            clock.wait(for: .seconds(delay)).onCompleted { order.withLock { $0.append(delay) } }
        }
        clock.advance(by: .seconds(3))
        #expect(order.withLock { $0 } == [1, 1, 2, 3])
    }

    @Test func aDelayThatIsNotLongerThanZeroIsOverAtOnce() {
        let clock = TestClock()
        #expect(clock.wait(for: .zero).outcome?.value != nil)
        #expect(clock.wait(for: .seconds(-1)).outcome?.value != nil)
    }

    @Test func aCanceledDelayIsForgotten() {
        let clock = TestClock()
        let wait = clock.wait(for: .seconds(1))
        wait.cancel()
        #expect(clock.delays.isEmpty)
        clock.advance(by: .seconds(2))
        #expect(wait.outcome?.isCanceled == true)
    }

    @Test func aLoopWaitsForTheClock() async throws {
        let clock = TestClock()
        let polling = Observer.repeating(delay: .seconds(1), until: { $0 == 3 }, clock: clock) { .emit(data: $0) }
        for _ in 0..<2 {
            while clock.delays.isEmpty { await Task.yield() }
            clock.advance(by: .seconds(1))
        }
        #expect(try await polling.value == 3)
    }
}
