/// The bytes that matter for masking.
enum Ascii {
    /// The text in place of a secret.
    static let mask = Array("***".utf8)

    private static let name: ByteSet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.%"

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26
    }

    /// Whether it is a space or a control character.
    static func isBlank(_ byte: UInt8) -> Bool {
        byte <= 0x20
    }

    /// Whether a name may hold it: letters of any script, digits, `_`, `-`, `.`, and `%` for names that are encoded.
    static func isName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || name.contains(byte)
    }

    /// Whether a word of a text, the scheme of a URL, a JSON Web Token or a JSON number may hold it.
    static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == "-" || byte == "." || byte == "+" || byte == "_"
    }

    /// Whether `text` begins with `word`, which is in lower case, ignoring case.
    static func hasWord(_ word: String, at text: ArraySlice<UInt8>) -> Bool {
        text.prefix(word.utf8.count).elementsEqual(word.utf8) { ($0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0) == $1 }
    }
}

/// Compares a byte with an ASCII character: `byte == "/"`.
func == (byte: UInt8?, character: Unicode.Scalar) -> Bool { byte == UInt8(ascii: character) }
func != (byte: UInt8?, character: Unicode.Scalar) -> Bool { byte != UInt8(ascii: character) }

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

/// The rest of a text that is being read.
extension ArraySlice<UInt8> {
    /// Removes and returns the first `count` bytes, or all if there are fewer.
    mutating func take(_ count: Int) -> ArraySlice {
        defer { self = dropFirst(count) }
        return prefix(count)
    }

    /// Removes and returns the first bytes that are wanted.
    mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice {
        let taken = prefix(while: isWanted)
        self = self[taken.endIndex...]
        return taken
    }
}
