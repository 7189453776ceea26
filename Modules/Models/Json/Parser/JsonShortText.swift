/// ASCII texts that are so short that Swift keeps them in the `String` itself, as most of a document's texts are.
///
/// Sixteen bytes then: the text, zeros, and last its length and a mark. To put them together takes a third of what it
/// takes with `String`'s own initializers. That it's so is the standard library's business, hence it is looked at once
/// whether it is; where not, there are no such texts, and all go the usual way.
enum JsonShortText {
    /// In bytes.
    static let longest = 15

    private static let asciiMark: UInt64 = 0xE0
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The text of up to `longest` bytes of a document; nil where there are no such texts or the bytes aren't ASCII.
    /// Reads up to `JsonDocument.padding` bytes.
    @inline(__always)
    static func string(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> String? {
        guard areAsExpected else { return nil }
        let (first, second) = words(bytes, count)
        guard (first | second) & highBits == 0 else { return nil }
        return unsafeBitCast((first, second | mark(count)), to: String.self)
    }

    /// The bytes with zeros behind them.
    @inline(__always)
    private static func words(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> (UInt64, UInt64) {
        let source = UnsafeRawPointer(bytes)
        let first = UInt64(littleEndian: source.loadUnaligned(as: UInt64.self))
        let bits = UInt64(truncatingIfNeeded: count) &* 8
        if count < 8 { return (first & ~(.max &<< bits), 0) }
        let second = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return (first, second & ~(.max &<< (bits &- 64)))
    }

    @inline(__always)
    private static func mark(_ count: Int) -> UInt64 { (asciiMark | UInt64(truncatingIfNeeded: count)) &<< 56 }

    /// Whether a string of each length is the very bytes that are made here.
    private static let areAsExpected: Bool = {
        guard MemoryLayout<String>.size == 16, MemoryLayout<String>.alignment == 8, UInt64(1).littleEndian == 1
        else { return false }
        let letters = [UInt8]("aZ0 ~\u{7F}\u{1}bcdefgh".utf8) + [UInt8](repeating: 0x78, count: JsonDocument.padding)
        return letters.withUnsafeBufferPointer { letters in
            guard let start = letters.baseAddress else { return false }
            return (0...longest).allSatisfy { count in
                let usual = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
                let (first, second) = words(start, count)
                return unsafeBitCast(usual, to: (UInt64, UInt64).self) == (first, second | mark(count))
            }
        }
    }()
}
