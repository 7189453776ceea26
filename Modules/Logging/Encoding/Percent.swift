/// Percent encoding (RFC 3986, section 2.1), for redaction, which looks into URLs, and for `UrlTransport`, which builds
/// them. Which bytes stay as they are is a matter of the place, and so of the caller.
package enum Percent {
    /// The bytes without their escapes. What is no escape stays as it is, so there is no text that can't be decoded.
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
                output.append(byte == Ascii.plus && plusIsSpace ? Ascii.space : byte)
                index += 1
            }
        }
        return output
    }

    /// The bytes without escapes, also where escapes were escaped again, up to twelve times.
    static func plain(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var plain = Array(text)
        for _ in 0..<12 {
            let decoded = decoded(plain[...], plusIsSpace: false)
            if decoded.count == plain.count { break }
            plain = decoded
        }
        return plain
    }

    /// What the escape at `index` stands for; nil when there is none.
    package static func escaped(in text: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard text.indices.contains(index), text[index] == Ascii.percent, index + 2 < text.endIndex,
            let high = Ascii.hexValue(text[index + 1]), let low = Ascii.hexValue(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Appends the escape of `byte`, with capital digits as the RFC asks for.
    package static func append(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(Ascii.percent)
        output.append(digit(byte >> 4))
        output.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
