/// What waits for a limit: by priority, and in the order of arrival within one.
///
/// Adding, removing and taking the first are O(1) on average, for any number of waiters.
struct WaitingQueue<Waiter: Sendable>: Sendable {
    struct Level: Sendable {
        let priority: TaskPriority
        /// Those that have left the queue stay here until it is their turn, or until there are more of them than waiters.
        var ids: [Int] = []
        /// The index of the first id that hasn't been taken.
        var first = 0
    }

    /// The priorities of all waiters so far, the highest first. Swift has six, and any byte can be one.
    private(set) var levels: [Level] = []
    private var waiters: [Int: Waiter] = [:]
    private var lastID = 0
    /// How many waiters were removed since the ids were last cleared of them.
    private var removed = 0

    var count: Int { waiters.count }
    var isEmpty: Bool { waiters.isEmpty }

    /// Adds a waiter, and returns its id.
    mutating func add(_ waiter: Waiter, priority: TaskPriority) -> Int {
        lastID += 1
        waiters[lastID] = waiter
        let index = levels.firstIndex { $0.priority <= priority } ?? levels.endIndex
        if index == levels.endIndex || levels[index].priority != priority {
            levels.insert(Level(priority: priority), at: index)
        }
        levels[index].ids.append(lastID)
        return lastID
    }

    /// Removes a waiter. Returns it, so that it isn't released under a lock; nil where it has left.
    mutating func remove(_ id: Int) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: id) else { return nil }
        removed += 1
        if removed > 64, removed > waiters.count { clear() }
        return waiter
    }

    /// Removes the waiter of the highest priority that arrived first.
    mutating func removeFirst() -> Waiter? {
        for index in levels.indices {
            while levels[index].first < levels[index].ids.count {
                let id = levels[index].ids[levels[index].first]
                levels[index].first += 1
                if let waiter = waiters.removeValue(forKey: id) {
                    if levels[index].first > 64, levels[index].first > levels[index].ids.count / 2 { clear(index) }
                    return waiter
                }
            }
            if levels[index].first > 0 { (levels[index].ids, levels[index].first) = ([], 0) }
        }
        return nil
    }

    /// Removes the ids of those that have left.
    private mutating func clear() {
        for index in levels.indices { clear(index) }
        removed = 0
    }

    private mutating func clear(_ index: Int) {
        levels[index].ids = levels[index].ids[levels[index].first...].filter { waiters[$0] != nil }
        levels[index].first = 0
    }
}
