import Synchronization

/// Finds elements and members for subscripts.
extension JsonDocument {
    /// The tape indices of the elements of a large array, or a table of the members of a large object.
    enum Index: Sendable {
        case elements([Int32])
        case members(JsonMemberTable)
    }

    /// Elements below this index, and objects of at most this many members, are searched linearly.
    private static let searchedCount = 32

    /// The tape index of an array's element; nil if there is none or `node` is not an array.
    func element(_ index: Int, of node: Int) -> Int? {
        let word = word(node)
        guard word.kind == JsonWord.array, index >= 0, index < word.high else { return nil }
        // If the array has as many words as elements, each element is one word.
        if word.low - node - 1 == word.high { return node + 1 + index }
        if index >= Self.searchedCount, case .elements(let places) = self.index(of: node) { return Int(places[index]) }
        var place = node + 1
        for _ in 0..<index { place = next(after: place) }
        return place
    }

    /// The tape index of the value of the last member with this key; nil if there is none or `node` is not an object.
    func member(_ key: String, of node: Int) -> Int? {
        let word = word(node)
        guard word.kind == JsonWord.object else { return nil }
        var key = key
        return key.withUTF8 { text in
            if word.high > Self.searchedCount, case .members(let table) = index(of: node) {
                let found = table.find(text)
                return found < 0 ? nil : found
            }
            var found: Int?
            var place = node + 1
            while place < word.low {
                if JsonText.isEqual(self.word(place), in: bytes, to: text) { found = place + 1 }
                place = next(after: place + 1)
            }
            return found
        }
    }

    /// The index of a large array or object, created at its first lookup and kept with the document.
    private func index(of node: Int) -> Index {
        memory.indices.withLock { indices in
            if let index = indices[node] { return index }
            let index = makeIndex(of: node)
            indices[node] = index
            return index
        }
    }

    private func makeIndex(of node: Int) -> Index {
        let word = word(node)
        if word.kind == JsonWord.object {
            return .members(JsonMemberTable(of: node, bytes: bytes, tape: tape, converting: nil))
        }
        var places: [Int32] = []
        places.reserveCapacity(word.high)
        var place = node + 1
        while place < word.low {
            places.append(Int32(truncatingIfNeeded: place))
            place = next(after: place)
        }
        return .elements(places)
    }
}
