import TestSupport
import Testing

@testable import Resilience

struct WaitingQueueTests {
    @Test func theHighestPriorityIsFirstAndTheOrderOfArrivalCountsWithinOne() {
        var queue = WaitingQueue<String>()
        let arrivals: [(String, TaskPriority)] = [
            ("a", .low), ("b", .medium), ("c", .high), ("d", .background), ("e", .medium), ("f", .high), ("g", .low),
        ]
        for (name, priority) in arrivals { _ = queue.add(name, priority: priority) }
        var order = ""
        while let next = queue.removeFirst() { order += next }
        #expect(order == "cfbeagd")
        #expect(queue.isEmpty)
    }

    @Test func aRemovedWaiterIsNotServed() {
        var queue = WaitingQueue<String>()
        let ids = ["a", "b", "c"].map { queue.add($0, priority: .medium) }
        #expect(after(&queue) { $0.remove(ids[1]) } == "b")
        #expect(after(&queue) { $0.remove(ids[1]) } == nil)
        #expect(queue.count == 2)
        #expect([queue.removeFirst(), queue.removeFirst(), queue.removeFirst()] == ["a", "c", nil])
        #expect(after(&queue) { $0.remove(ids[0]) } == nil)
    }

    /// Against a list that is searched for each step.
    @Test(arguments: 0..<20 as Range<UInt64>) func itDoesWhatAListWouldDo(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = WaitingQueue<Int>()
        var list: [(id: Int, number: Int, priority: TaskPriority)] = []
        let priorities: [TaskPriority] = [.background, .low, .medium, .high]
        for number in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let priority = priorities.randomElement(using: &random) ?? .low
                let id = queue.add(number, priority: priority)
                list.append((id, number, priority))
            case 5..<8:
                guard let one = list.randomElement(using: &random) else { continue }
                #expect(after(&queue) { $0.remove(one.id) } == one.number)
                list.removeAll { $0.id == one.id }
            default:
                let first = list.map(\.priority).max().flatMap { most in list.firstIndex { $0.priority == most } }
                #expect(after(&queue) { $0.removeFirst() } == first.map { list[$0].number })
                if let first { list.remove(at: first) }
            }
            #expect(queue.count == list.count)
        }
    }

    @Test func thoseThatLeftTakeNoMemory() {
        var queue = WaitingQueue<Int>()
        for number in 0..<100_000 {
            let id = queue.add(number, priority: .medium)
            _ = queue.remove(id)
        }
        #expect(queue.levels.reduce(0) { $0 + $1.ids.count } < 1_000)
    }
}
