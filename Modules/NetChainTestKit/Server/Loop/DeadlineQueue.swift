/// A priority queue of deadlines with their subjects, earliest first: a binary heap.
struct DeadlineQueue<Subject> {
    private var heap: [(time: ContinuousClock.Instant, subject: Subject)] = []

    /// The earliest deadline.
    var next: ContinuousClock.Instant? { heap.first?.time }

    mutating func insert(_ subject: Subject, at time: ContinuousClock.Instant) {
        heap.append((time, subject))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next subject if its time is not after `now`.
    mutating func popDue(_ now: ContinuousClock.Instant) -> (time: ContinuousClock.Instant, subject: Subject)? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].time < heap[smallest].time { smallest = child }
            }
            if smallest == parent { return first }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
