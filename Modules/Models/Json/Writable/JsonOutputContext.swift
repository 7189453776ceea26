/// What the objects of a value that is being written share: the members of those that are open, and the first error.
///
/// It is stored on the stack of `JsonValueEncoder.write(_:)`.
struct JsonOutputContext {
    /// A member of an open object: the offset of its key's opening quote, and the key's length in bytes, quotes
    /// included.
    private struct Member {
        let start: Int
        let length: Int
    }

    let writer: JsonWriter
    /// The encoder of the value, with the settings and the path to it.
    private let root: Unmanaged<JsonValueEncoder>
    /// The text of the value, for the paths to what it contains.
    private var text: JsonOpenText
    /// The first error. The text is discarded then.
    private(set) var error: (any Error)?
    /// The path to the value in whose place two were written.
    private var misplaced: [any CodingKey] = []
    /// Encodes the values that an output can't write. Reused, unless a type keeps it.
    private var apart: JsonValueEncoder?
    /// The members of the open objects, the innermost last.
    private var members: UnsafeMutablePointer<Member>
    private var capacity = 32
    /// The number of members of the open objects.
    var memberCount = 0
    /// The last keys that are numbers, of the open dictionaries, the innermost last.
    private var numbers: [Number] = []

    /// A key of a dictionary that is a number, at the offset of its opening quote.
    private struct Number {
        let start: Int
        let value: Int
        let depth: Int
    }

    init(_ encoder: JsonValueEncoder) {
        root = .passUnretained(encoder)
        writer = encoder.writer
        text = JsonOpenText(from: encoder.writer.count)
        members = .allocate(capacity: capacity)
    }

    func free() { members.deallocate() }

    fileprivate var encoder: JsonValueEncoder { root.takeUnretainedValue() }
    var settings: JsonEncoder.Settings { encoder.settings }

    // MARK: - Members

    @inline(__always)
    mutating func addMember(_ start: Int, _ length: Int) {
        if memberCount == capacity { grow() }
        members[memberCount] = Member(start: start, length: length)
        memberCount += 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Member>.allocate(capacity: capacity * 2)
        larger.update(from: members, count: memberCount)
        members.deallocate()
        members = larger
        capacity *= 2
    }

    /// Whether an open object may have a member with the same key. Of many members, all may: ``settle(since:depth:)``
    /// compares them by their hashes.
    @inline(never)
    func mayHaveMember(_ start: Int, _ length: Int, since first: Int) -> Bool {
        if memberCount - first > JsonEncodedMembers.comparedMembers { return true }
        let bytes = writer.bytes
        let key = UnsafeBufferPointer(start: bytes + start, count: length)
        return (first..<memberCount).contains { index in
            members[index].length == length
                && UnsafeBufferPointer(start: bytes + members[index].start, count: length).elementsEqual(key)
        }
    }

    /// Removes the members that don't count, and sorts the others if the writer sorts keys.
    @inline(never)
    mutating func settle(since first: Int, depth: Int) {
        guard first < memberCount else { return }
        text.forgetMembers(from: members[first].start, level: depth - encoder.depth)
        let object = JsonEncodedMembers()
        for index in first..<memberCount { object.add(members[index].start, members[index].length) }
        object.settle(in: writer, separator: writer.isPretty ? 2 * depth + 4 : 1)
    }

    /// Adds the key of a dictionary at this depth.
    mutating func addNumber(_ value: Int, _ start: Int, depth: Int) {
        while let last = numbers.last, last.depth >= depth { numbers.removeLast() }
        numbers.append(Number(start: start, value: value, depth: depth))
    }

    // MARK: - Rare values

    /// The keys and indices of the value that is written next, below the encoder's value.
    mutating func keys() -> [JsonKey] {
        let numbers = numbers
        return text.path(in: writer) { start in numbers.last { $0.start == start }?.value }
    }

    /// Makes the encoding fail.
    mutating func fail(_ error: any Error) {
        if self.error == nil { self.error = error }
    }

    /// Makes the encoding fail, because a second value is written where one is, at this depth. Returns whether it is the
    /// first error.
    mutating func failForTwoValues(depth: Int) -> Bool {
        if error != nil { return false }
        misplaced = encoder.codingPath + Array(keys().prefix(depth - encoder.depth))
        // A closure has no value that the error could have.
        nameTwoValues(Json.null, "A closure")
        return true
    }

    /// Names what has written two values.
    mutating func nameTwoValues(_ value: Any, _ name: String) {
        let description = "\(name) wrote two values, or two kinds of containers, as one."
        error = EncodingError.invalidValue(
            value, EncodingError.Context(codingPath: misplaced, debugDescription: description))
    }

    /// An encoder for a value below the encoder's, whose path is found when it is requested.
    fileprivate mutating func takeApart() -> JsonValueEncoder {
        var taken: JsonValueEncoder?
        swap(&taken, &apart)
        return taken ?? JsonValueEncoder(apart: encoder.settings, capacity: 64)
    }

    /// Keeps an encoder for the next value, unless something else references it.
    fileprivate mutating func giveBack(_ encoder: consuming JsonValueEncoder) {
        // Swift 6.0 takes a use of the parameter after `isKnownUniquelyReferenced` for one after its end.
        var returned = encoder
        if isKnownUniquelyReferenced(&returned) {
            returned.output = nil
            apart = returned
        } else {
            returned.keptKeys = keys()
            returned.output = nil
            returned.keepParent()
            returned.retire()
        }
    }
}

/// What may ask for coding paths, so that the context is not accessed meanwhile.
extension UnsafeMutablePointer<JsonOutputContext> {
    /// The path to the value that is written next.
    func path() -> [any CodingKey] { pointee.encoder.codingPath + pointee.keys() }

    /// Writes a string that the application makes, which may fail.
    @inline(never)
    func write(_ text: () throws -> String) {
        if pointee.error != nil { return }
        do {
            pointee.writer.write(try text())
        } catch {
            pointee.fail(error)
        }
    }

    /// Writes the value that is written next by an encoder, which knows its path: for strategies of the application,
    /// and for values that may fail.
    @inline(never)
    func encode(_ value: some Encodable, depth: Int) {
        if pointee.error != nil { return }
        let encoder = pointee.takeApart()
        encoder.place(below: pointee.encoder, at: 0)
        encoder.output = self
        do {
            try encoder.encodeApart(value, depth: depth)
            pointee.writer.write(encoder.writer.bytes, encoder.writer.count)
        } catch {
            pointee.fail(error)
        }
        pointee.giveBack(consume encoder)
    }
}
