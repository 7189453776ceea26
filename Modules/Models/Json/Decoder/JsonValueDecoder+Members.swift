extension JsonValueDecoder {
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
        // If keys are repeated, the table finds the last member.
        if word.high > JsonMemberTable.searchedMembers || !keepsKeys
            || JsonMemberTable.mayRepeatKeys(of: node, bytes: bytes, tape: tape)
        {
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
        JsonMemberTable.search(from: start, to: end, key, bytes: bytes, tape: tape)
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
