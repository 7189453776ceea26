/// Finds the end of a JSON value, in any split of its bytes.
///
/// It counts brackets outside of strings. Where the bytes up to the end are a valid JSON text, they are the value;
/// everything else is left to the parser of the value.
struct JsonValueScanner: Sendable {
    /// Whether the value is a number or a literal, which the byte after it ends.
    private(set) var isScalar = false
    /// The number of open arrays and objects.
    private var depth = 0
    private var isInString = false
    /// Whether the last byte was a backslash in a string.
    private var isEscaped = false

    /// Begins with the first byte of a value. Returns false if none begins with it.
    mutating func start(_ byte: UInt8) -> Bool {
        (isScalar, depth, isInString, isEscaped) = (false, 0, false, false)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"),
            UInt8(ascii: "n"):
            isScalar = true
        default: return false
        }
        return true
    }

    /// Scans the bytes from `start` on. Returns the index after the value; nil if it isn't known yet.
    mutating func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return nil }
        let count = bytes.count
        var index = start
        if isScalar {
            while index < count, !JsonBytes.endsScalar(base[index]) { index += 1 }
            return index < count ? index : nil
        }
        if isEscaped {
            isEscaped = false
            index += 1
        }
        // Local copies stay in registers.
        var depth = depth
        var isInString = isInString
        defer { (self.depth, self.isInString) = (depth, isInString) }
        while index < count {
            if isInString {
                index = JsonBytes.endOfPlainText(base, from: index, to: count)
                guard index < count else { return nil }
                if base[index] == UInt8(ascii: "\\") {
                    isEscaped = index + 1 == count
                    index += 2
                    continue
                }
                index += 1
                isInString = false
                if depth == 0 { return index }
                continue
            }
            let byte = base[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                isInString = true
            } else if byte | 0x20 == UInt8(ascii: "{") {
                // In ASCII, `[` and `{` differ in one bit, and so do `]` and `}`.
                depth += 1
            } else if byte | 0x20 == UInt8(ascii: "}") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }
}

/// Classes of bytes in JSON texts.
enum JsonBytes {
    /// Whether the byte is white space (RFC 8259 §2).
    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Whether the byte is none of a number or a literal: white space, or a byte with a meaning of its own.
    @inline(__always)
    static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "{"), UInt8(ascii: "\""):
            true
        default: isSpace(byte)
        }
    }

    /// The index of the first quote or backslash, or `end`.
    @inline(__always)
    static func endOfPlainText(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = start
        while index + 8 <= end {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let escape = word ^ (ones &* 0x5C)
            // Bits above the lowest marked byte may be wrong, so only the lowest is used.
            let marks = ((quote &- ones) & ~quote | (escape &- ones) & ~escape) & high
            if marks != 0 { return index + marks.trailingZeroBitCount >> 3 }
            index += 8
        }
        while index < end, base[index] != UInt8(ascii: "\""), base[index] != UInt8(ascii: "\\") { index += 1 }
        return index
    }
}
