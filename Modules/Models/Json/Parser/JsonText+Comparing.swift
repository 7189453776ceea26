extension JsonText {
    /// Whether a string's word holds exactly this text.
    @inline(__always)
    static func isEqual(_ word: JsonWord, in bytes: UnsafePointer<UInt8>, to text: UnsafeBufferPointer<UInt8>) -> Bool {
        let length = text.count
        // Kind and length at once.
        if word.bits >> 30 == JsonWord.string >> 30 | UInt64(truncatingIfNeeded: length) {
            guard let other = text.baseAddress else { return true }
            return isEqual(bytes + word.low, other, length)
        }
        return word.kind == JsonWord.escaped && string(word, in: bytes).utf8.elementsEqual(text)
    }

    @inline(__always)
    private static func isEqual(_ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        let left = UnsafeRawPointer(first)
        let right = UnsafeRawPointer(second)
        var offset = 0
        while offset + 8 <= count {
            if left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            {
                return false
            }
            offset += 8
        }
        while offset < count {
            if first[offset] != second[offset] { return false }
            offset += 1
        }
        return true
    }
}
