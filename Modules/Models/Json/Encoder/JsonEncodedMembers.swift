/// The members of an object that is being written: where they start, to find keys that are written twice and to sort.
///
/// A class, because changing a struct in place in another object is checked at run time for overlapping accesses.
final class JsonEncodedMembers {
    private struct Member {
        /// The place of the key's opening quote.
        var start: Int
        /// The key's length with its quotes.
        var keyLength: Int
        /// Whether a member before this one may have the same key.
        var isSuspect: Bool
    }

    private var members = UnsafeMutableBufferPointer<Member>.allocate(capacity: 16)
    private var count = 0
    /// Each key marks one of 64 places by its length and its first bytes.
    private var marks: UInt64 = 0
    /// Whether two members may have one key.
    private(set) var mayRepeat = false
    /// More members are compared by their hashes.
    private static let comparedMembers = 32

    deinit { members.deallocate() }

    private func grow() {
        let larger = UnsafeMutableBufferPointer<Member>.allocate(capacity: members.count * 2)
        _ = larger.update(fromContentsOf: members)
        members.deallocate()
        members = larger
    }

    @inline(__always)
    func clear() {
        count = 0
        marks = 0
        mayRepeat = false
    }

    /// Adds the member whose key was just written, in quotes.
    @inline(__always)
    func add(_ place: Int, in writer: JsonWriter) {
        if count == members.count { grow() }
        writer.reserve(8)
        let start = UnsafeRawPointer(writer.bytes + place).loadUnaligned(as: UInt64.self)
        let length = UInt64(truncatingIfNeeded: writer.count - place)
        let prefix = length < 8 ? UInt64(littleEndian: start) & ~(.max << (length &* 8)) : start &+ length
        let mark: UInt64 = 1 << ((prefix &* 0x9E37_79B9_7F4A_7C15) >> 58)
        let isSuspect = marks & mark != 0
        members[count] = Member(start: place, keyLength: writer.count - place, isSuspect: isSuspect)
        count += 1
        marks |= mark
        if isSuspect { mayRepeat = true }
    }

    /// Removes the members from a place on.
    func remove(from start: Int) {
        while count > 0, members[count - 1].start >= start { count -= 1 }
    }

    /// Adjusts the places to texts that were put in, which are in ascending order.
    func move(by texts: [(place: Int, writer: JsonWriter)]) {
        var length = 0
        var next = 0
        for index in 0..<count {
            while next < texts.count, texts[next].place < members[index].start {
                length += texts[next].writer.count
                next += 1
            }
            members[index].start += length
        }
    }

    // MARK: - The end of the object

    /// Removes all members but the last of those with one key, and sorts by the keys' UTF-8 where that is wanted. The
    /// object is not closed yet; the separator between two members has the given length.
    @inline(never)
    func settle(in writer: JsonWriter, separator: Int) {
        let hasRepeats = mayRepeat && hasRepeats(in: writer)
        guard count > 1, hasRepeats || writer.sortsKeys else { return }
        var kept = Array(0..<count)
        if hasRepeats {
            var last: [Key: Int] = [:]
            for index in kept { last[key(index, in: writer)] = index }
            kept = last.values.sorted()
        }
        if writer.sortsKeys { sort(&kept, in: writer) }
        let start = members[0].start
        let old = Array(UnsafeBufferPointer(start: writer.bytes + start, count: writer.count - start))
        let between = old[(members[1].start - separator - start)..<(members[1].start - start)]
        let end = writer.count
        writer.truncate(to: start)
        for (position, index) in kept.enumerated() {
            if position > 0 { writer.write(bytes: between) }
            let memberEnd = index + 1 < count ? members[index + 1].start - separator : end
            writer.write(bytes: old[(members[index].start - start)..<(memberEnd - start)])
        }
    }

    /// A key as it is written. What is equal is written alike.
    private struct Key: Hashable {
        let text: UnsafeRawBufferPointer

        static func == (left: Key, right: Key) -> Bool { left.text.elementsEqual(right.text) }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: text) }
    }

    private func key(_ index: Int, in writer: JsonWriter) -> Key {
        Key(text: UnsafeRawBufferPointer(start: writer.bytes + members[index].start, count: members[index].keyLength))
    }

    private func hasRepeats(in writer: JsonWriter) -> Bool {
        if count > Self.comparedMembers { return Set((0..<count).map { key($0, in: writer) }).count < count }
        for index in 0..<count where members[index].isSuspect {
            for other in 0..<index where members[other].keyLength == members[index].keyLength {
                if key(other, in: writer) == key(index, in: writer) { return true }
            }
        }
        return false
    }

    private func sort(_ kept: inout [Int], in writer: JsonWriter) {
        let names = kept.map { (member: $0, name: name(of: members[$0], in: writer)) }
        kept = names.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map(\.member)
    }

    private func name(of member: Member, in writer: JsonWriter) -> String {
        let text = UnsafeBufferPointer(start: writer.bytes + member.start + 1, count: member.keyLength - 2)
        let kind = text.contains(0x5C) ? JsonWord.escaped : JsonWord.string
        return JsonText.string(
            JsonWord(kind, high: text.count, low: 0), in: UnsafePointer(writer.bytes + member.start + 1))
    }
}

extension JsonWriter {
    func write(bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { write(start, $0.count) } }
    }
}
