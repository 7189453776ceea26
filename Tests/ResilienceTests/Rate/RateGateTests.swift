import Testing

@testable import Resilience

struct RateGateTests {
    private typealias Gate = RateGate<String>

    private let start = Duration.seconds(7)

    private func gate(burst: Int = 1, capacity: Int = 9) -> Gate {
        Gate(TokenBucket(count: 1, per: .seconds(1), burst: burst), capacity: capacity)
    }

    private func arrive(
        _ name: String, _ gate: inout Gate, priority: TaskPriority = .medium, at time: Duration = .zero
    ) -> (verdict: Gate.Verdict, timer: Gate.TimerAction) {
        let (verdict, actions) = gate.arrive(name, priority: priority, at: start + time)
        #expect(actions.admitted.isEmpty)
        return (verdict, actions.timer)
    }

    @Test func theFirstThatWaitsSetsTheTimer() {
        var gate = gate(burst: 2, capacity: 2)
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        #expect(arrive("a", &gate) == (.go, .keep))
        #expect(!after(&gate) { $0.takeAtOnce(at: start) })
        #expect(arrive("b", &gate) == (.wait(id: 1), .set(number: 1, after: .seconds(1))))
        #expect(arrive("c", &gate) == (.wait(id: 2), .keep))
        #expect(arrive("d", &gate) == (.full(waiting: 2), .keep))
        #expect(!after(&gate) { $0.takeAtOnce(at: start + .seconds(5)) }, "others wait")
    }

    @Test func theTimerAdmitsByPriorityAndSetsTheNext() {
        var gate = gate()
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        _ = arrive("a", &gate, priority: .low)
        _ = arrive("b", &gate, priority: .high)
        var actions = gate.fire(timer: 1, at: start + .seconds(1))
        #expect(actions.admitted == ["b"])
        #expect(actions.timer == .set(number: 2, after: .seconds(1)))
        actions = gate.fire(timer: 2, at: start + .seconds(2))
        #expect(actions.admitted == ["a"])
        #expect(actions.timer == .keep)
        #expect(gate.waiting == 0)
    }

    @Test func aTimerThatFiresTooEarlyIsSetAgain() {
        var gate = gate()
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        _ = arrive("a", &gate)
        gate.pause(until: start + .seconds(60))
        let actions = gate.fire(timer: 1, at: start + .seconds(1))
        #expect(actions.admitted.isEmpty)
        #expect(actions.timer == .set(number: 2, after: .seconds(59)))
        #expect(after(&gate) { $0.fire(timer: 2, at: start + .seconds(60)) }.admitted == ["a"])
    }

    @Test func aTimerThatWasReplacedDoesNothing() {
        var gate = gate()
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        _ = arrive("a", &gate)
        #expect(gate.isSet(timer: 1))
        #expect(after(&gate) { $0.fire(timer: 7, at: start + .seconds(9)) }.admitted.isEmpty)
        #expect(gate.isSet(timer: 1))
    }

    @Test func theLastThatIsCanceledCancelsTheTimer() {
        var gate = gate()
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        _ = arrive("a", &gate)
        _ = arrive("b", &gate)
        #expect(after(&gate) { $0.cancel(1) }.actions.timer == .keep)
        #expect(after(&gate) { $0.cancel(1) }.waiter == nil)
        let last = gate.cancel(2)
        #expect(last.waiter == "b")
        #expect(last.actions.timer == .cancel)
        #expect(after(&gate) { $0.fire(timer: 1, at: start + .seconds(1)) }.admitted.isEmpty)
        #expect(after(&gate) { $0.takeAtOnce(at: start + .seconds(1)) }, "the canceled took no token")
    }

    @Test func aTokenThatIsGivenBackIsForTheNext() {
        var gate = gate()
        #expect(after(&gate) { $0.takeAtOnce(at: start) })
        for name in ["a", "b", "c"] { _ = arrive(name, &gate) }
        #expect(after(&gate) { $0.fire(timer: 1, at: start + .seconds(1)) }.admitted == ["a"])
        let actions = gate.giveBack(at: start + .seconds(1))
        #expect(actions.admitted == ["b"])
        #expect(actions.timer == .keep, "the timer for the next token is set")
        #expect(after(&gate) { $0.fire(timer: 2, at: start + .seconds(2)) }.admitted == ["c"])
        #expect(after(&gate) { $0.giveBack(at: start + .seconds(2)) }.timer == .keep)
    }

    @Test func aPauseHoldsTheFirstToo() {
        var gate = gate(burst: 3)
        gate.pause(until: start + .seconds(60))
        #expect(!after(&gate) { $0.takeAtOnce(at: start) })
        #expect(arrive("a", &gate) == (.wait(id: 1), .set(number: 1, after: .seconds(60))))
        #expect(after(&gate) { $0.fire(timer: 1, at: start + .seconds(60)) }.admitted == ["a"])
    }
}
