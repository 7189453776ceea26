/// Base64 (RFC 4648), to decode `Basic` credentials.
enum Base64 {
    /// The bytes of the complete groups; nil when there is an invalid character.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            guard byte != Ascii.equals else { break }
            let value: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"), UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "/"), UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return output
    }
}
