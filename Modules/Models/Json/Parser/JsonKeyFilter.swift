/// A Bloom filter of an object's keys: two 64-bit words, in each of which a key's length and first bytes set one bit.
struct JsonKeyFilter {
    private var marks: UInt64 = 0
    private var others: UInt64 = 0

    /// Adds a key without escape sequences. Returns whether it may have been added before: false is certain.
    @inline(__always)
    mutating func insert(_ key: JsonWord, in bytes: UnsafePointer<UInt8>) -> Bool {
        let start = UInt64(littleEndian: UnsafeRawPointer(bytes + key.low).loadUnaligned(as: UInt64.self))
        // Of an empty key, its closing quote.
        let length = UInt64(truncatingIfNeeded: key.high)
        return insert(hash: Self.hash(start & (.max &>> (64 &- 8 &* min(max(length, 1), 8))), length))
    }

    /// Adds a key by the hash of its first bytes and its length. Returns whether it may have been added before.
    @inline(__always)
    mutating func insert(hash: UInt64) -> Bool {
        let mark: UInt64 = 1 &<< (hash >> 58)
        let other: UInt64 = 1 &<< (hash >> 52)
        let isContained = marks & mark != 0 && others & other != 0
        marks |= mark
        others |= other
        return isContained
    }

    /// Fibonacci hashing (2^64 over the golden ratio).
    ///
    /// - Parameter first: the first eight bytes; of a shorter key all bytes, and zeros after them.
    @inline(__always)
    static func hash(_ first: UInt64, _ length: UInt64) -> UInt64 { (first &+ length) &* 0x9E37_79B9_7F4A_7C15 }
}
