import NodeCore

/// The content of a JSON string (RFC 8259, section 7), read leniently for a log: an invalid escape stays as it is.
///
/// `Models` has a separate reader, `JsonText`, for text that a parser has validated and measured. Here a text may be
/// cut off, or be no JSON at all.
enum LenientJsonString {
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(Ascii.backslash) else { return Array(text) }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == Ascii.backslash, index + 1 < text.endIndex else {
                output.append(text[index])
                index += 1
                continue
            }
            switch text[index + 1] {
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "u"):
                if let (scalar, end) = scalar(in: text, at: index) {
                    output += Array(String(Character(scalar)).utf8)
                    index = end
                } else {
                    output += [Ascii.backslash, UInt8(ascii: "u")]
                    index += 2
                }
                continue
            case let byte where "\"\\/".utf8.contains(byte): output.append(byte)
            case let byte: output += [Ascii.backslash, byte]
            }
            index += 2
        }
        return output
    }

    static func encoded(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case Ascii.quote, Ascii.backslash: output += [Ascii.backslash, byte]
            case 0x0A: output += "\\n".utf8
            case 0x0D: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                output += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: output.append(byte)
            }
        }
        return output
    }

    /// The character of a `\uXXXX`, or of a pair of them, and where it ends.
    private static func scalar(in text: ArraySlice<UInt8>, at start: Int) -> (Unicode.Scalar, Int)? {
        func unit(at index: Int) -> UInt32? {
            guard index + 5 < text.endIndex, text[index] == Ascii.backslash, text[index + 1] == UInt8(ascii: "u") else {
                return nil
            }
            return text[(index + 2)...(index + 5)].reduce(UInt32?(0)) { value, byte in
                guard let value, let digit = Percent.hexValue(byte) else { return nil }
                return value << 4 | UInt32(digit)
            }
        }
        guard let first = unit(at: start) else { return nil }
        if let scalar = Unicode.Scalar(first) { return (scalar, start + 6) }
        guard 0xD800..<0xDC00 ~= first, let second = unit(at: start + 6), 0xDC00..<0xE000 ~= second else { return nil }
        let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        return Unicode.Scalar(value).map { ($0, start + 12) }
    }
}
