import Synchronization

/// Finding elements and members by subscripts.
extension JsonDocument {
    /// Where the elements of a large array, or the members of a large object, are.
    enum Index: Sendable {
        case elements([Int32])
        case members(JsonMemberTable)
    }

    /// Smaller arrays and objects are searched from their start.
    private static let searchedCount = 32

    /// The element at this place of an array, counted from 0; nil if there is none or `node` is no array.
    func element(_ index: Int, of node: Int) -> Int? {
        let word = word(node)
        guard word.kind == JsonWord.array, index >= 0, index < word.high else { return nil }
        // Each is one word if no two are more.
        if word.low - node - 1 == word.high { return node + 1 + index }
        if index >= Self.searchedCount, case .elements(let places) = self.index(of: node) { return Int(places[index]) }
        var place = node + 1
        for _ in 0..<index { place = next(after: place) }
        return place
    }

    /// The value of the last member with this key, nil if there is none or `node` is no object.
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

    /// Made at the first subscript of an array or object and kept with the document.
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
