/// Percent encoding (RFC 3986, section 2.1). Which bytes stay unescaped depends on the component, so the caller
/// decides.
package enum Percent {
    /// The bytes without their escapes. Invalid escapes stay as they are, so any text can be decoded.
    package static func decoded(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if let byte = escaped(in: text, at: index) {
                output.append(byte)
                index += 3
            } else {
                let byte = text[index]
                output.append(byte == UInt8(ascii: "+") && plusIsSpace ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return output
    }

    /// The bytes without escapes, also where escapes were escaped again, up to twelve times.
    package static func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var plain = Array(text)
        for _ in 0..<12 {
            let decoded = decoded(plain[...], plusIsSpace: false)
            if decoded.count == plain.count { break }
            plain = decoded
        }
        return plain
    }

    /// The byte that the escape at `index` encodes; nil when there is none.
    package static func escaped(in text: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard text.indices.contains(index), text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex,
            let high = hexValue(text[index + 1]), let low = hexValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Appends the escape of `byte`, with the capital digits that the RFC recommends.
    package static func append(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "%"))
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
    }

    /// The bytes as text, those beyond ASCII escaped: they may be of any encoding.
    package static func escapingBeyondAscii(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        for byte in bytes {
            if byte < 0x80 { output.append(byte) } else { append(byte, to: &output) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The value of a hexadecimal digit; nil for another byte.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
