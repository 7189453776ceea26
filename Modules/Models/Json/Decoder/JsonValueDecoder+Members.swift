extension JsonValueDecoder {
    /// The largest number of members that are searched linearly. A larger object gets a hash table at once.
    private static let searchedMembers = 32

    /// Resets the state of the members, before the decoder is reused for another value.
    @inline(__always)
    func closeMembers() {
        cursor = 0
        end = 0
        if table != nil { table = nil }
    }

    /// Prepares the members for `find`. Further calls have no effect.
    @inline(__always)
    func openMembers() {
        guard end == 0 else { return }
        let word = word(node)
        end = word.low
        cursor = node + 1
        if word.high > Self.searchedMembers || !keepsKeys || mayHaveDuplicates(word) {
            openTable()
        }
    }

    @inline(never)
    private func openTable() {
        let settings = settings
        let path = keepsKeys ? [] : codingPath
        let table = JsonMemberTable(
            of: node, bytes: bytes, tape: tape, converting: keepsKeys ? nil : { settings.convert($0, path) })
        self.table = table
        if !table.isInOrder { cursor = end }
    }

    /// Whether the object may have duplicate keys, so that a table must find the last of them. False is certain; true
    /// is not, because it is also returned for keys with escape sequences.
    @inline(never)
    private func mayHaveDuplicates(_ object: JsonWord) -> Bool {
        let bytes = bytes
        let tape = tape
        let end = object.low
        var filter = JsonKeyFilter()
        var place = node + 1
        while place < end {
            let key = JsonWord(bits: tape[place])
            if key.kind != JsonWord.string { return true }
            if filter.insert(key, in: bytes), isRepeated(key, at: place) { return true }
            place &+= 1
            let value = JsonWord(bits: tape[place])
            place = value.isContainer ? value.low : place &+ 1
        }
        return false
    }

    /// Whether a member before `place` has the same key.
    @inline(never)
    private func isRepeated(_ key: JsonWord, at place: Int) -> Bool {
        let text = UnsafeBufferPointer(start: bytes + key.low, count: key.high)
        var other = node + 1
        while other < place {
            if JsonText.isEqual(JsonWord(bits: tape[other]), in: bytes, to: text) { return true }
            other = next(after: other + 1)
        }
        return false
    }

    /// The tape index of the value of the member with this key; below 0 if there is none. The member after it is
    /// expected next.
    @inline(__always)
    func find(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        let place = cursor
        if place < end, JsonText.isEqual(JsonWord(bits: tape[place]), in: bytes, to: key) {
            cursor = next(after: place + 1)
            return place + 1
        }
        return findElsewhere(key)
    }

    @inline(never)
    private func findElsewhere(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        let found = peek(key)
        if found >= 0, table?.isInOrder != false { cursor = next(after: found) }
        return found
    }

    /// The tape index of the value of the member with this key; below 0 if there is none.
    func peek(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        if let table { return table.find(key) }
        // Without a table there are no duplicates, so any search order works. Most types decode in the document's
        // order.
        let start = cursor
        if let found = search(from: start, to: end, key) { return found }
        return search(from: node + 1, to: start, key) ?? Self.missing
    }

    private func search(from start: Int, to end: Int, _ key: UnsafeBufferPointer<UInt8>) -> Int? {
        var place = start
        while place < end {
            if JsonText.isEqual(JsonWord(bits: tape[place]), in: bytes, to: key) { return place + 1 }
            place = next(after: place + 1)
        }
        return nil
    }

    /// The keys in the document's order, each once.
    func memberKeys() -> [String] {
        if let table, !table.isInOrder { return table.keys() }
        var keys: [String] = []
        keys.reserveCapacity(BoundedReservation.count(word(node).high, of: String.self))
        var place = node + 1
        while place < end {
            keys.append(JsonText.string(JsonWord(bits: tape[place]), in: bytes))
            place = next(after: place + 1)
        }
        return keys
    }
}
