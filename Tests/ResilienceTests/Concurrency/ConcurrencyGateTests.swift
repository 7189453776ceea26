import Testing

@testable import Resilience

struct ConcurrencyGateTests {
    private typealias Gate = ConcurrencyGate<String>

    @Test func slotsAreTakenThenPlacesInTheQueueThenNone() {
        var gate = Gate(slots: 2, capacity: 1)
        #expect(gate.enterAtOnce())
        #expect(gate.arrive("a", priority: .medium) == .enter)
        #expect(!gate.enterAtOnce())
        #expect(gate.arrive("b", priority: .medium) == .wait(id: 1))
        #expect(gate.arrive("c", priority: .high) == .full(waiting: 1))
        #expect((gate.used, gate.waiting) == (2, 1))
    }

    @Test func aSlotPassesToTheNextOfTheHighestPriority() {
        var gate = Gate(slots: 1, capacity: 9)
        #expect(gate.enterAtOnce())
        _ = gate.arrive("a", priority: .low)
        _ = gate.arrive("b", priority: .high)
        _ = gate.arrive("c", priority: .high)
        #expect([gate.leave(), gate.leave(), gate.leave()] == ["b", "c", "a"])
        #expect(gate.used == 1)
        #expect(gate.leave() == nil)
        #expect(gate.used == 0)
        #expect(gate.enterAtOnce())
    }

    @Test func aCanceledWaiterMakesPlace() {
        var gate = Gate(slots: 1, capacity: 1)
        #expect(gate.enterAtOnce())
        #expect(gate.arrive("a", priority: .medium) == .wait(id: 1))
        #expect(gate.cancel(1) == "a")
        #expect(gate.cancel(1) == nil)
        #expect(gate.arrive("b", priority: .medium) == .wait(id: 2))
        #expect(gate.leave() == "b")
    }

    @Test(arguments: [(0, 0), (-1, -1), (Int.min, Int.min)]) func thereIsOneSlotAtLeast(slots: Int, capacity: Int) {
        var gate = Gate(slots: slots, capacity: capacity)
        #expect(gate.enterAtOnce())
        #expect(gate.arrive("a", priority: .medium) == .full(waiting: 0))
    }
}
