/// The positions of the members of an object that is being written, to find duplicate keys and to sort.
///
/// A class, because mutating a struct that is stored in another object costs a run-time exclusivity check.
final class JsonEncodedMembers {
    private struct Member {
        /// The offset of the key's opening quote in the writer's buffer.
        var start: Int
        /// The key's length in bytes, quotes included.
        var keyLength: Int
        /// Whether an earlier member may have the same key.
        var isSuspect: Bool
    }

    private var members = UnsafeMutableBufferPointer<Member>.allocate(capacity: 16)
    private var count = 0
    private var filter = JsonKeyFilter()
    /// Whether two members may have the same key.
    private(set) var mayRepeat = false
    /// The largest number of members that are compared in pairs. More are compared by their hashes.
    static let comparedMembers = 32

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
        filter = JsonKeyFilter()
        mayRepeat = false
    }

    /// Adds the member whose quoted key was just written at `place`.
    @inline(__always)
    func add(_ place: Int, in writer: JsonWriter) {
        if count == members.count { grow() }
        writer.reserve(8)
        let start = UnsafeRawPointer(writer.bytes + place).loadUnaligned(as: UInt64.self)
        let length = UInt64(truncatingIfNeeded: writer.count - place)
        let prefix = length < 8 ? UInt64(littleEndian: start) & ~(.max << (length &* 8)) : start
        let isSuspect = filter.insert(hash: JsonKeyFilter.hash(prefix, length))
        members[count] = Member(start: place, keyLength: writer.count - place, isSuspect: isSuspect)
        count += 1
        if isSuspect { mayRepeat = true }
    }

    /// Adds a member whose quoted key is in the text, and may be that of another member.
    func add(_ start: Int, _ keyLength: Int) {
        if count == members.count { grow() }
        members[count] = Member(start: start, keyLength: keyLength, isSuspect: true)
        count += 1
        mayRepeat = true
    }

    /// Removes the members that start at or after an offset.
    func remove(from start: Int) {
        while count > 0, members[count - 1].start >= start { count -= 1 }
    }

    /// Shifts the offsets by the texts that were inserted, which are in ascending order of `place`.
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

    /// Keeps only the last of the members with the same key, and sorts by the keys' UTF-8 bytes if the writer sorts
    /// keys.
    ///
    /// Called before the object is closed. `separator` is the length in bytes of the separator between two members.
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

    /// A key as written, quotes and escapes included. Equal keys are written with the same bytes.
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
        JsonText.string(
            written: UnsafeBufferPointer(start: writer.bytes + member.start + 1, count: member.keyLength - 2))
    }
}

extension JsonWriter {
    func write(bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { write(start, $0.count) } }
    }
}
