/// A hash table of an object's members, for objects with many members, with duplicate keys, or with keys that a
/// strategy converts. Of members with the same key it finds the last. The document must outlive it.
///
/// Keys are hashed with the process's random seed, so that no document can make them collide (hash flooding).
final class JsonMemberTable: @unchecked Sendable {  // immutable after `init`
    private let bytes: UnsafePointer<UInt8>
    private let tape: UnsafePointer<UInt64>
    /// Whether keys are unconverted and each occurs once, so that a linear search finds the same members.
    private(set) var isInOrder: Bool
    /// The tape indices of the keys.
    private var places: [Int32] = []
    /// The converted keys; empty if keys are unconverted.
    private var names: [String] = []
    /// Indices into `places`, -1 in empty slots.
    private var slots: [Int32]

    init(
        of node: Int, bytes: UnsafePointer<UInt8>, tape: UnsafePointer<UInt64>,
        converting convert: ((String) -> String)?
    ) {
        self.bytes = bytes
        self.tape = tape
        isInOrder = convert == nil
        let object = JsonWord(bits: tape[node])
        var capacity = 8
        while capacity < object.high * 2 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        places.reserveCapacity(object.high)
        var place = node + 1
        while place < object.low {
            let key = JsonWord(bits: tape[place])
            if let convert {
                var name = convert(JsonText.string(key, in: bytes))
                names.append(name)
                name.withUTF8 { insert(place, key: $0) }
            } else if key.kind == JsonWord.string {
                insert(place, key: UnsafeBufferPointer(start: bytes + key.low, count: key.high))
            } else {
                var name = JsonText.string(key, in: bytes)
                name.withUTF8 { insert(place, key: $0) }
            }
            let value = JsonWord(bits: tape[place + 1])
            place = value.isContainer ? value.low : place + 2
        }
    }

    private func insert(_ place: Int, key: UnsafeBufferPointer<UInt8>) {
        let slot = slot(of: key)
        if slots[slot] >= 0 { isInOrder = false }
        slots[slot] = Int32(truncatingIfNeeded: places.count)
        places.append(Int32(truncatingIfNeeded: place))
    }

    /// The slot that holds the key, or the empty slot where it belongs.
    private func slot(of key: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        let mask = slots.count - 1
        var slot = hasher.finalize() & mask
        while slots[slot] >= 0, !isEqual(Int(slots[slot]), key) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ member: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if !names.isEmpty { return names[member].utf8.elementsEqual(key) }
        return JsonText.isEqual(self.key(member), in: bytes, to: key)
    }

    private func key(_ member: Int) -> JsonWord { JsonWord(bits: tape[Int(places[member])]) }

    /// The tape index of the value of the last member with this key; below 0 if there is none.
    func find(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        let member = slots[slot(of: key)]
        return member < 0 ? -1 : Int(places[Int(member)]) + 1
    }

    /// The keys, each once, in the order of the last members with them.
    func keys() -> [String] {
        slots.filter { $0 >= 0 }.sorted().map {
            names.isEmpty ? JsonText.string(key(Int($0)), in: bytes) : names[Int($0)]
        }
    }
}

// MARK: - Few members

/// Finds members without a table.
extension JsonMemberTable {
    /// The largest number of members that are searched linearly, and whose keys are compared in pairs.
    static let searchedMembers = 32

    /// The tape index of the value of the first member with this key from a place up to another one.
    @inline(__always)
    static func search(
        from start: Int, to end: Int, _ key: UnsafeBufferPointer<UInt8>, bytes: UnsafePointer<UInt8>,
        tape: UnsafePointer<UInt64>
    ) -> Int? {
        var place = start
        while place < end {
            if JsonText.isEqual(JsonWord(bits: tape[place]), in: bytes, to: key) { return place + 1 }
            place = next(after: place + 1, tape)
        }
        return nil
    }

    /// Whether two members of an object may have the same key. False is certain; true is not, because it is also returned
    /// for keys with escape sequences.
    @inline(never)
    static func mayRepeatKeys(of node: Int, bytes: UnsafePointer<UInt8>, tape: UnsafePointer<UInt64>) -> Bool {
        let end = JsonWord(bits: tape[node]).low
        var filter = JsonKeyFilter()
        var place = node + 1
        while place < end {
            let key = JsonWord(bits: tape[place])
            if key.kind != JsonWord.string { return true }
            if filter.insert(key, in: bytes) {
                let text = UnsafeBufferPointer(start: bytes + key.low, count: key.high)
                if search(from: node + 1, to: place, text, bytes: bytes, tape: tape) != nil { return true }
            }
            place = next(after: place &+ 1, tape)
        }
        return false
    }

    /// The tape index past the value.
    @inline(__always)
    private static func next(after node: Int, _ tape: UnsafePointer<UInt64>) -> Int {
        let word = JsonWord(bits: tape[node])
        return word.isContainer ? word.low : node &+ 1
    }
}
