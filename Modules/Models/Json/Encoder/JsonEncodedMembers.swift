/// Where the members of an object that is being written start, to find a key that is written twice and to sort.
///
/// A class, because changing a struct in place in another object is checked at run time for overlapping accesses.
final class JsonEncodedMembers {
    /// The places of the keys' opening quotes.
    private var places = UnsafeMutableBufferPointer<Int>.allocate(capacity: 16)
    private var count = 0
    /// Each key marks one of 64 places by its length and its first bytes.
    private var marks: UInt64 = 0

    deinit { places.deallocate() }

    private func grow() {
        let larger = UnsafeMutableBufferPointer<Int>.allocate(capacity: places.count * 2)
        _ = larger.update(fromContentsOf: places)
        places.deallocate()
        places = larger
    }

    @inline(__always)
    func clear() {
        count = 0
        marks = 0
    }

    /// Adds the key that was just written, in quotes, and tells whether one before it may be the same.
    @inline(__always)
    func add(_ place: Int, in writer: JsonWriter) -> Bool {
        if count == places.count { grow() }
        places[count] = place
        count += 1
        writer.reserve(8)
        let start = UnsafeRawPointer(writer.bytes + place).loadUnaligned(as: UInt64.self)
        let length = UInt64(truncatingIfNeeded: writer.count - place)
        let prefix = length < 8 ? UInt64(littleEndian: start) & ~(.max << (length &* 8)) : start &+ length
        let mark: UInt64 = 1 << ((prefix &* 0x9E37_79B9_7F4A_7C15) >> 58)
        defer { marks |= mark }
        return marks & mark != 0
    }

    /// The text from the member that has the key of the last one to the member after it, if there is such a member.
    /// Its place is forgotten and those behind it are moved up.
    func removeEarlier(in writer: JsonWriter) -> Range<Int>? {
        let last = places[count - 1]
        let key = UnsafeBufferPointer(start: writer.bytes + last, count: writer.count - last)
        // A key ends with its quote, so that no key is the beginning of another.
        guard
            let earlier = places[..<(count - 1)].firstIndex(where: { place in
                key.indices.allSatisfy { writer.bytes[place + $0] == key[$0] }
            })
        else { return nil }
        let range = places[earlier]..<places[earlier + 1]
        count -= 1
        for index in earlier..<count { places[index] = places[index + 1] - range.count }
        return range
    }

    /// Forgets the members from a place on.
    func forget(from start: Int) {
        while count > 0, places[count - 1] >= start { count -= 1 }
    }

    /// Tells that text was put in.
    func move(from place: Int, by length: Int) {
        for index in 0..<count where places[index] > place { places[index] += length }
    }

    /// Puts the members into the order of their keys' UTF-8. The object is not closed yet; the separator is as long as
    /// given.
    func sort(in writer: JsonWriter, separator: Int) {
        guard count > 1 else { return }
        writer.reserve(JsonDocument.padding)  // the keys are read as those of a document are
        let members = (0..<count).map { index in
            let end = index + 1 < count ? places[index + 1] - separator : writer.count
            return (key: key(at: places[index], in: writer), range: places[index]..<end)
        }
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let start = places[0]
        let old = Array(UnsafeBufferPointer(start: writer.bytes + start, count: writer.count - start))
        let between = old[(places[1] - separator - start)..<(places[1] - start)]
        writer.truncate(to: start)
        for (index, member) in sorted.enumerated() {
            if index > 0 { writer.write(bytes: between) }
            writer.write(bytes: old[(member.range.lowerBound - start)..<(member.range.upperBound - start)])
        }
    }

    private func key(at place: Int, in writer: JsonWriter) -> String {
        var end = place + 1
        var kind = JsonWord.string
        while writer.bytes[end] != 0x22 {
            if writer.bytes[end] == 0x5C {
                kind = JsonWord.escaped
                end += 1
            }
            end += 1
        }
        return JsonText.string(
            JsonWord(kind, high: end - place - 1, low: 0), in: UnsafePointer(writer.bytes + place + 1))
    }
}

extension JsonWriter {
    func write(bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBufferPointer { if let start = $0.baseAddress { write(start, $0.count) } }
    }
}
