/// A set of bytes, queried for each byte of a text.
struct ByteSet: ExpressibleByStringLiteral {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// The bytes of an ASCII text; other bytes are ignored.
    init(stringLiteral text: String) {
        for byte in text.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 128 { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
        return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
    }
}
