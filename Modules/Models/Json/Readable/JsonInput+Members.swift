/// Finds members. Of members with the same key the last one counts.
///
/// An object is first read as if its keys were distinct. Whether they are is checked when the object is complete. No
/// check is needed if all members were found in the document's order, each by another key.
///
/// If keys are repeated, the whole value is read again with `isChecked`: each object is checked when it is opened. So a
/// document is read twice at most, however its objects are nested.
extension JsonInput {
    /// After this many searches of an object with more than `searchedMembers` members, a hash table is made.
    private static let searches = 16

    /// The place of the member with this key. The member after it is expected next.
    ///
    /// - Throws: `DecodingError` if there is none.
    @usableFromInline
    mutating func required(_ key: UnsafeBufferPointer<UInt8>) throws -> _Place { _Place(try find(key)) }

    /// The place of the member with this key; below 0 if there is none or it is `null`.
    @usableFromInline
    mutating func present(_ key: UnsafeBufferPointer<UInt8>) throws -> _Place {
        let node = try findIfPresent(key)
        return _Place(node < 0 || word(node).kind == JsonWord.null ? -1 : node)
    }

    /// The tape index of the value of the member with this key.
    @inline(__always)
    mutating func find(_ key: UnsafeBufferPointer<UInt8>) throws -> Int {
        let node = try findIfPresent(key)
        if node < 0 { throw missing(key) }
        return node
    }

    @inline(__always)
    private mutating func findIfPresent(_ key: UnsafeBufferPointer<UInt8>) throws -> Int {
        let place = cursor
        if place < end, case let word = word(place), JsonText.isEqual(plain: word, in: bytes, to: key) {
            cursor = next(after: place + 1)
            // A type that asks twice for a key finds a repeated one in the document's order, too.
            if filter.insert(word, in: bytes) { requireCheck() }
            return place + 1
        }
        return try findElsewhere(key)
    }

    @inline(never)
    private mutating func findElsewhere(_ key: UnsafeBufferPointer<UInt8>) throws -> Int {
        switch search {
        case .ordered, .unordered: try checkObject()
        case .table, .last, .absent: return try lastMember(key)
        }
        if misses < .max { misses += 1 }
        if misses > Self.searches, word(node).high > JsonMemberTable.searchedMembers { return openTable().find(key) }
        guard let found = search(from: cursor, to: end, key) ?? search(from: node + 1, to: cursor, key) else {
            return -1
        }
        search = .unordered
        cursor = next(after: found)
        return found
    }

    private func search(from start: Int, to end: Int, _ key: UnsafeBufferPointer<UInt8>) -> Int? {
        JsonMemberTable.search(from: start, to: end, key, bytes: bytes, tape: tape)
    }

    /// The value of the last member with this key, without a change of the cursor; below 0 if there is none.
    func lastMember(_ key: UnsafeBufferPointer<UInt8>) throws -> Int {
        if case .absent = search { return -1 }
        if let table { return table.takeUnretainedValue().find(key) }
        try checkObject()
        var found = -1
        var place = node + 1
        while place < end {
            if JsonText.isEqual(word(place), in: bytes, to: key) { found = place + 1 }
            place = next(after: place + 1)
        }
        return found
    }

    /// The member of which a member is to be read. One that isn't there, or is `null`, has no members for optionals.
    @usableFromInline
    func nested(_ key: UnsafeBufferPointer<UInt8>) throws -> JsonInput {
        if case .absent = search { return JsonInput(context, at: node, .absent) }
        let found = try lastMember(key)
        if found >= 0 { return JsonInput(context, at: found, word(found).kind == JsonWord.null ? .absent : .last) }
        context.pointee.absentKey = String(decoding: key, as: UTF8.self)
        return JsonInput(context, at: node, .absent)
    }

    /// The members in the document's order, each key once with the index of its last value.
    func distinctMembers() throws -> [(key: String, node: Int)] {
        try checkObject()
        let hasRepeatedKeys = table == nil && hasRepeatedKeys()
        if let table = table?.takeUnretainedValue()
            ?? (hasRepeatedKeys ? JsonMemberTable(of: node, bytes: bytes, tape: tape, converting: nil) : nil)
        {
            return table.keys().map { key in
                var text = key
                return (key, text.withUTF8 { table.find($0) })
            }
        }
        var members: [(key: String, node: Int)] = []
        members.reserveCapacity(BoundedReservation.count(word(node).high, of: (String, Int).self))
        var place = node + 1
        while place < end {
            members.append((JsonText.string(word(place), in: bytes), place + 1))
            place = next(after: place + 1)
        }
        return members
    }

    @inline(__always)
    func checkObject() throws {
        if end == 0 { throw context.pointee.mismatch([String: Any].self, at: node, container: "keyed") }
    }

    @inline(never)
    private func missing(_ key: UnsafeBufferPointer<UInt8>) -> DecodingError {
        var name = String(decoding: key, as: UTF8.self)
        if case .absent = search {
            if word(node).kind == JsonWord.null {
                return context.pointee.mismatch([String: Any].self, at: node, container: "keyed")
            }
            name = context.pointee.absentKey
        }
        return context.pointee.keyNotFound(name, in: node)
    }

    // MARK: - Keys that occur twice

    /// Whether keys may occur twice, a table has to be released, or this isn't a value of the parent's document.
    @usableFromInline @inline(__always)
    func isUnsettled(within parent: borrowing JsonInput) -> Bool {
        search != .ordered || cursor != end || context != parent.context
    }

    /// Checks the keys, if that is needed, once all members have been read. Releases the table.
    @usableFromInline @inline(never)
    mutating func settle(within parent: borrowing JsonInput) { settle(parent.context) }

    /// Does so for a value of this context's document.
    mutating func settle(_ expected: UnsafeMutablePointer<JsonInputContext>) {
        // Only code that makes a closure with an input escape can exchange two inputs. The other's document may be
        // released now.
        guard context == expected else { preconditionFailure("A JsonInput was exchanged for another one.") }
        switch search {
        case .ordered where cursor == end: break
        case .ordered: if mayRepeatUnreadKey() { checkKeys() }
        case .unordered: checkKeys()
        case .table, .last, .absent: break
        }
        table?.release()
        table = nil
        search = .ordered
        cursor = end
    }

    /// Does so after a member has failed. The error may be that of a member that doesn't count.
    @usableFromInline @inline(never)
    mutating func fail(within parent: inout JsonInput) {
        requireCheck()
        settle(parent.context)
        parent.requireCheck()
    }

    /// Requires that the keys are checked, because a member has failed or a key may have been read twice. A type may
    /// catch an error, and read the member again.
    @inline(never)
    mutating func requireCheck() {
        if case .ordered = search { search = .unordered }
    }

    /// All members are read at once, as those of a dictionary. Members that were read before may not count.
    @usableFromInline
    mutating func readAllMembers() {
        if case .ordered = search, cursor != node + 1 { search = .unordered }
        cursor = end
    }

    /// Checks for repeated keys before members are read.
    @inline(never)
    mutating func openChecked() {
        if case .ordered = search, end != 0, hasRepeatedKeys() { _ = openTable() }
    }

    private mutating func openTable() -> JsonMemberTable {
        let table = JsonMemberTable(of: node, bytes: bytes, tape: tape, converting: nil)
        // Members that were read already may not count.
        if !table.isInOrder, !context.pointee.isChecked { context.pointee.mustReadAgain = true }
        search = .table
        self.table = .passRetained(table)
        cursor = end
        return table
    }

    private func checkKeys() {
        if end != 0, !context.pointee.isChecked, hasRepeatedKeys() { context.pointee.mustReadAgain = true }
    }

    /// Whether a member that wasn't read, after others that were found in order, may have the same key as another one.
    private mutating func mayRepeatUnreadKey() -> Bool {
        while cursor < end {
            let key = word(cursor)
            if key.kind != JsonWord.string || filter.insert(key, in: bytes) { return true }
            cursor = next(after: cursor + 1)
        }
        return false
    }

    /// Whether two members have the same key. Many keys are hashed, few compared in pairs unless one has an escape
    /// sequence.
    private func hasRepeatedKeys() -> Bool {
        if word(node).high <= JsonMemberTable.searchedMembers,
            !JsonMemberTable.mayRepeatKeys(of: node, bytes: bytes, tape: tape)
        {
            return false
        }
        return !JsonMemberTable(of: node, bytes: bytes, tape: tape, converting: nil).isInOrder
    }
}
