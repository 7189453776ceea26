/// The state machine of a ``ConcurrencyLimit``. It has no side effects: an event changes it and returns what the caller
/// does after unlocking.
///
/// While a slot is free, nothing waits.
struct ConcurrencyGate<Waiter: Sendable>: Sendable {
    /// What a request does that has no slot yet.
    enum Arrival: Equatable, Sendable {
        /// It has a slot.
        case enter
        /// It waits under this id.
        case wait(id: Int)
        /// It fails: as many wait as may wait.
        case full(waiting: Int)
    }

    private let slots: Int
    private let capacity: Int
    private var queue = WaitingQueue<Waiter>()
    /// How many slots are held.
    private(set) var used = 0

    /// - Parameters:
    ///   - slots: how many may be in progress; at least 1.
    ///   - capacity: how many may wait.
    init(slots: Int, capacity: Int) {
        self.slots = max(1, slots)
        self.capacity = capacity
    }

    /// How many wait.
    var waiting: Int { queue.count }

    /// Takes a slot if one is free.
    mutating func enterAtOnce() -> Bool {
        guard used < slots else { return false }
        used += 1
        return true
    }

    /// Takes a slot, or a place in the queue.
    mutating func arrive(_ waiter: Waiter, priority: TaskPriority) -> Arrival {
        if enterAtOnce() { return .enter }
        guard queue.count < capacity else { return .full(waiting: queue.count) }
        return .wait(id: queue.add(waiter, priority: priority))
    }

    /// Removes a waiter that was canceled; nil where it has left the queue.
    mutating func cancel(_ id: Int) -> Waiter? {
        queue.remove(id)
    }

    /// Frees a slot. Returns the waiter that gets it; nil where none waits.
    mutating func leave() -> Waiter? {
        if let next = queue.removeFirst() { return next }
        used -= 1
        return nil
    }
}
