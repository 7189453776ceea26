/// The bytes that matter for masking.
enum Ascii {
    /// The text in place of a secret.
    static let mask = Array("***".utf8)

    static let newline = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let apostrophe = UInt8(ascii: "'")
    static let backslash = UInt8(ascii: "\\")
    static let slash = UInt8(ascii: "/")
    static let dash = UInt8(ascii: "-")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let comma = UInt8(ascii: ",")
    static let dot = UInt8(ascii: ".")
    static let equals = UInt8(ascii: "=")
    static let ampersand = UInt8(ascii: "&")
    static let question = UInt8(ascii: "?")
    static let hash = UInt8(ascii: "#")
    static let at = UInt8(ascii: "@")
    static let percent = UInt8(ascii: "%")
    static let plus = UInt8(ascii: "+")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")

    private static let name: ByteSet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.%"

    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26
    }

    /// Whether a name may hold it: letters of any script, digits, `_`, `-`, `.`, and `%` for names that are encoded.
    static func isName(_ byte: UInt8) -> Bool {
        byte >= 0x80 || name.contains(byte)
    }

    /// Whether a word of a text, the scheme of a URL, a JSON Web Token or a JSON number may hold it.
    static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == dash || byte == dot || byte == plus || byte == UInt8(ascii: "_")
    }

    /// Whether `text` begins with `word`, which is in lower case, ignoring case.
    static func hasWord(_ word: String, at text: ArraySlice<UInt8>) -> Bool {
        text.prefix(word.utf8.count).elementsEqual(word.utf8) { ($0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0) == $1 }
    }
}
