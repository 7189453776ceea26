import Testing

@testable import Resilience

struct ConcurrencyGateTests {
    private typealias Gate = ConcurrencyGate<String>

    @Test func slotsAreTakenThenPlacesInTheQueueThenNone() {
        var gate = Gate(slots: 2, capacity: 1)
        #expect(after(&gate) { $0.enterAtOnce() })
        #expect(after(&gate) { $0.arrive("a", priority: .medium) } == .enter)
        #expect(!after(&gate) { $0.enterAtOnce() })
        #expect(after(&gate) { $0.arrive("b", priority: .medium) } == .wait(id: 1))
        #expect(after(&gate) { $0.arrive("c", priority: .high) } == .full(waiting: 1))
        #expect((gate.used, gate.waiting) == (2, 1))
    }

    @Test func aSlotPassesToTheNextOfTheHighestPriority() {
        var gate = Gate(slots: 1, capacity: 9)
        #expect(after(&gate) { $0.enterAtOnce() })
        _ = gate.arrive("a", priority: .low)
        _ = gate.arrive("b", priority: .high)
        _ = gate.arrive("c", priority: .high)
        #expect([gate.leave(), gate.leave(), gate.leave()] == ["b", "c", "a"])
        #expect(gate.used == 1)
        #expect(after(&gate) { $0.leave() } == nil)
        #expect(gate.used == 0)
        #expect(after(&gate) { $0.enterAtOnce() })
    }

    @Test func aCanceledWaiterMakesPlace() {
        var gate = Gate(slots: 1, capacity: 1)
        #expect(after(&gate) { $0.enterAtOnce() })
        #expect(after(&gate) { $0.arrive("a", priority: .medium) } == .wait(id: 1))
        #expect(after(&gate) { $0.cancel(1) } == "a")
        #expect(after(&gate) { $0.cancel(1) } == nil)
        #expect(after(&gate) { $0.arrive("b", priority: .medium) } == .wait(id: 2))
        #expect(after(&gate) { $0.leave() } == "b")
    }

    @Test(arguments: [(0, 0), (-1, -1), (Int.min, Int.min)]) func thereIsOneSlotAtLeast(slots: Int, capacity: Int) {
        var gate = Gate(slots: slots, capacity: capacity)
        #expect(after(&gate) { $0.enterAtOnce() })
        #expect(after(&gate) { $0.arrive("a", priority: .medium) } == .full(waiting: 0))
    }
}
