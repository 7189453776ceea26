/// What the objects of a value that is being written share: the members of those that are open, and the first error.
///
/// It lies on the stack of `JsonValueEncoder.write(_:)`.
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

    private var encoder: JsonValueEncoder { root.takeUnretainedValue() }
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

    /// The keys and indices of the value that is written next.
    private mutating func path() -> [JsonKey] {
        let numbers = numbers
        return text.path(in: writer) { start in numbers.last { $0.start == start }?.value }
    }

    /// Makes the encoding fail, because of the value that is written next.
    mutating func fail(_ description: String) {
        if error != nil { return }
        let path = encoder.codingPath + path()
        let context = EncodingError.Context(codingPath: path, debugDescription: description)
        error = EncodingError.invalidValue(path.last?.stringValue ?? "", context)
    }

    /// Writes the value that is written next by an encoder, which knows its path: for strategies of the application,
    /// and for values that may fail.
    @inline(never)
    mutating func encode(_ value: some Encodable, depth: Int) {
        if error != nil { return }
        do {
            try encoder.encodeApart(value, at: path(), depth: depth)
        } catch {
            self.error = error
        }
    }
}
