extension JsonText {
    /// Whether the string of a word is exactly this text.
    @inline(__always)
    static func isEqual(_ word: JsonWord, in bytes: UnsafePointer<UInt8>, to text: UnsafeBufferPointer<UInt8>) -> Bool {
        if isEqual(plain: word, in: bytes, to: text) { return true }
        return word.kind == JsonWord.escaped && isEqual(escaped: word, in: bytes, to: text)
    }

    /// Whether the string of a word has no escape sequences and is exactly this text.
    @inline(__always)
    static func isEqual(
        plain word: JsonWord, in bytes: UnsafePointer<UInt8>, to text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // Compares kind and length at once.
        guard word.bits >> 30 == JsonWord.string >> 30 | UInt64(truncatingIfNeeded: text.count) else { return false }
        guard let other = text.baseAddress else { return true }
        return isEqual(bytes + word.low, other, text.count)
    }

    /// Whether the text of a string with escape sequences is exactly this text: no more is unescaped than is equal.
    @inline(never)
    private static func isEqual(
        escaped word: JsonWord, in bytes: UnsafePointer<UInt8>, to text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // A sequence is longer than its character, six times at most.
        guard var other = text.baseAddress, word.high > text.count, word.high <= 6 * text.count else { return false }
        let otherEnd = other + text.count
        let end = bytes + word.low + word.high
        var cursor = bytes + word.low
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { character in
            guard let start = character.baseAddress else { return false }
            while cursor < end {
                var length = 1
                if cursor.pointee == 0x5C {
                    length = unescapeOne(&cursor, to: start) - start
                } else {
                    start.pointee = cursor.pointee
                    cursor += 1
                }
                if otherEnd - other < length || !isEqual(start, other, length) { return false }
                other += length
            }
            return other == otherEnd
        }
    }

    @inline(__always)
    private static func isEqual(_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let left = UnsafeRawPointer(first)
        let right = UnsafeRawPointer(second)
        func isEqual<Word: FixedWidthInteger>(_ type: Word.Type, at place: Int) -> Bool {
            left.loadUnaligned(fromByteOffset: place, as: type) == right.loadUnaligned(fromByteOffset: place, as: type)
        }
        // The last word may overlap the one before it.
        if count >= 8 {
            var offset = 0
            while offset &+ 8 < count {
                if !isEqual(UInt64.self, at: offset) { return false }
                offset &+= 8
            }
            return isEqual(UInt64.self, at: count &- 8)
        }
        if count >= 4 { return isEqual(UInt32.self, at: 0) && isEqual(UInt32.self, at: count &- 4) }
        if count >= 2 { return isEqual(UInt16.self, at: 0) && isEqual(UInt16.self, at: count &- 2) }
        return count == 0 || first[0] == second[0]
    }
}
