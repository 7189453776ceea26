/// Quotes words for a POSIX shell (POSIX.1-2017, Shell Command Language, §2.2).
enum Shell {
    /// Returns the text in single quotes, in which only the single quote is special.
    static func quoted(_ text: String) -> String {
        // By scalars: a quote with a combining mark is one `Character`, but still a quote for the shell.
        var quoted = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted += #"'\''"# } else { quoted.unicodeScalars.append(scalar) }
        }
        return quoted + "'"
    }

    /// Returns the text, quoted if necessary.
    static func word(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isAsciiLetterOrDigit || "_-./".utf8.contains($0) }
        return isPlain ? text : quoted(text)
    }

    /// Returns a command that prints exactly these bytes, NUL included, with the shell's built-in `printf`.
    static func printing(_ bytes: some Collection<UInt8>) -> String {
        if let text = plainText(bytes) { return "printf %s \(quoted(text))" }
        var format: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += Array("%%".utf8)
            case UInt8(ascii: "\\"): format += Array(#"\\"#.utf8)
            case UInt8(ascii: "'"): format += Array(#"'\''"#.utf8)
            case 0x20..<0x7F: format.append(byte)
            default:
                // Always three digits, so that a digit after them is not taken for a part of the escape.
                format += [UInt8(ascii: "\\")] + [byte >> 6, byte >> 3 & 7, byte & 7].map { $0 + UInt8(ascii: "0") }
            }
        }
        // A format that starts with a minus would be taken for an option.
        return "printf \(format.first == UInt8(ascii: "-") ? "-- " : "")'\(String(decoding: format, as: UTF8.self))'"
    }

    /// Returns the bytes as text if they can be pasted into a terminal. They must be UTF-8 without ASCII control
    /// characters other than line feeds; a shell completes a name at a tab.
    static func plainText(_ bytes: some Collection<UInt8>) -> String? {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isAsciiLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
