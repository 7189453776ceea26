/// Values by their keys, in the order of their last use. Each operation takes constant time.
///
/// A doubly linked list in an array: the slots of removed values are reused.
struct LruList<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Slot: Sendable {
        let key: Key
        var value: Value
        var older: Int?
        var newer: Int?
    }

    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var first: Int?
    private var last: Int?

    var count: Int { places.count }

    /// The key of the value whose last use is the longest ago.
    var oldest: Key? { first.flatMap { slots[$0]?.key } }

    /// The values, in no order.
    var values: [Value] { slots.compactMap { $0?.value } }

    /// The value, without a use of it.
    func value(_ key: Key) -> Value? {
        places[key].flatMap { slots[$0]?.value }
    }

    /// The value, which is now the one last used.
    mutating func use(_ key: Key) -> Value? {
        guard let place = places[key], let value = slots[place]?.value else { return nil }
        if place != last {
            unlink(place)
            link(place)
        }
        return value
    }

    /// Adds a value for a new key.
    mutating func insert(_ value: Value, for key: Key) {
        let slot = Slot(key: key, value: value)
        let place: Int
        if let reused = free.popLast() {
            place = reused
            slots[place] = slot
        } else {
            place = slots.count
            slots.append(slot)
        }
        places[key] = place
        link(place)
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        unlink(place)
        defer { slots[place] = nil }
        free.append(place)
        return slots[place]?.value
    }

    private mutating func link(_ place: Int) {
        slots[place]?.older = last
        slots[place]?.newer = nil
        if let last { slots[last]?.newer = place } else { first = place }
        last = place
    }

    private mutating func unlink(_ place: Int) {
        guard let slot = slots[place] else { return }
        if let older = slot.older { slots[older]?.newer = slot.newer } else { first = slot.newer }
        if let newer = slot.newer { slots[newer]?.older = slot.older } else { last = slot.older }
    }
}
