extension StringProtocol {
    /// The text after percent-decoding; in forms and queries `+` is a space. Invalid escapes stay unchanged.
    ///
    /// It doesn't use the library's decoder, so that the server can't share a bug with the code under test.
    func percentDecoded(plusIsSpace: Bool) -> String {
        let source = Array(utf8)
        guard source.contains(UInt8(ascii: "%")) || (plusIsSpace && source.contains(UInt8(ascii: "+"))) else {
            return String(self)
        }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "%"), index + 2 < source.count,
                let high = source[index + 1].hexDigitValue, let low = source[index + 2].hexDigitValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    /// A space or a tab.
    var isAsciiBlank: Bool { self == 0x20 || self == 0x09 }

    /// The value of the byte as a hexadecimal digit; nil if it is none.
    var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// Whether the byte is allowed in a method or a header name (RFC 9110 §5.6.2).
    var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
