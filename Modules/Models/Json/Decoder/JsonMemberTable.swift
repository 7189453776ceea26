/// A hash table of an object's members: for objects with many of them, with duplicates, or with keys that a strategy
/// converts. Of members with one key it knows the last.
///
/// Keys are hashed with the process's random seed, so that no document can make them collide.
final class JsonMemberTable {
    /// Whether keys are as in the document and each occurs once, so that they may be searched for in order, too.
    private(set) var isInOrder: Bool
    /// The places of the keys on the tape.
    private var places: [Int] = []
    /// The converted keys; empty where keys are as in the document.
    private var names: [String] = []
    /// Indices into `places`, -1 in empty slots.
    private var slots: [Int32]

    init(of decoder: JsonValueDecoder, count: Int, convertsKeys: Bool) {
        isInOrder = !convertsKeys
        var capacity = 8
        while capacity < count * 2 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        let path = convertsKeys ? decoder.codingPath : []
        var place = decoder.node + 1
        while place < decoder.end {
            let word = decoder.word(place)
            if convertsKeys {
                var name = decoder.settings.convert(JsonText.string(word, in: decoder.bytes), path)
                names.append(name)
                name.withUTF8 { insert(place, key: $0, decoder) }
            } else if word.kind == JsonWord.string {
                insert(place, key: UnsafeBufferPointer(start: decoder.bytes + word.low, count: word.high), decoder)
            } else {
                var name = JsonText.string(word, in: decoder.bytes)
                name.withUTF8 { insert(place, key: $0, decoder) }
            }
            place = decoder.next(after: place + 1)
        }
    }

    private func insert(_ place: Int, key: UnsafeBufferPointer<UInt8>, _ decoder: JsonValueDecoder) {
        let slot = slot(of: key, decoder)
        if slots[slot] >= 0 { isInOrder = false }
        slots[slot] = Int32(truncatingIfNeeded: places.count)
        places.append(place)
    }

    /// The slot that holds the key, or the empty one where it belongs.
    private func slot(of key: UnsafeBufferPointer<UInt8>, _ decoder: JsonValueDecoder) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        let mask = slots.count - 1
        var slot = hasher.finalize() & mask
        while slots[slot] >= 0, !isEqual(Int(slots[slot]), key, decoder) { slot = (slot + 1) & mask }
        return slot
    }

    private func isEqual(_ member: Int, _ key: UnsafeBufferPointer<UInt8>, _ decoder: JsonValueDecoder) -> Bool {
        if !names.isEmpty { return names[member].utf8.elementsEqual(key) }
        return JsonText.isEqual(decoder.word(places[member]), in: decoder.bytes, to: key)
    }

    /// The value of the last member with this key, below 0 if there is none.
    func find(_ key: UnsafeBufferPointer<UInt8>, _ decoder: JsonValueDecoder) -> Int {
        let member = slots[slot(of: key, decoder)]
        return member < 0 ? JsonValueDecoder.missing : places[Int(member)] + 1
    }

    /// The keys, in the order of the members that count.
    func keys(_ decoder: JsonValueDecoder) -> [String] {
        slots.filter { $0 >= 0 }.sorted().map {
            let member = Int($0)
            return names.isEmpty ? JsonText.string(decoder.word(places[member]), in: decoder.bytes) : names[member]
        }
    }
}
