/// A parameter in the value of a header field (RFC 9110, section 5.6.6), such as the name of a form's field in
/// `Content-Disposition` (RFC 7578). Also reads what only lenient servers accept: any case, blanks around `=`, no
/// quotes, an extended value (`name*=`, RFC 8187), several of the same name.
package enum HeaderParameter {
    /// All values of the parameter with this name, in order.
    package static func values(of name: String, in text: ArraySlice<UInt8>) -> [String] {
        var values: [String] = []
        var rest = text
        var label: ArraySlice<UInt8> = []
        while let byte = rest.first {
            let word = rest.prefix { Ascii.isName($0) || $0 == UInt8(ascii: "*") }
            rest = rest.dropFirst(max(word.count, 1))
            if !word.isEmpty {
                label = word
            } else if byte == Ascii.equals {
                var value = Self.value(at: &rest)[...]
                let plainLabel = label.prefix { $0 != UInt8(ascii: "*") }
                // An extended value starts with its character set: UTF-8'en'…
                if plainLabel.count < label.count { value = value.split(separator: Ascii.apostrophe).last ?? [] }
                if String(decoding: plainLabel, as: UTF8.self).lowercased() == name {
                    values.append(String(decoding: value, as: UTF8.self))
                }
                label = []
            } else if byte == Ascii.semicolon {
                label = []
            }
        }
        return values
    }

    /// The value at the start of `rest`, quoted or not.
    private static func value(at rest: inout ArraySlice<UInt8>) -> [UInt8] {
        rest = rest.drop { $0 <= Ascii.space }
        guard rest.first == Ascii.quote else {
            let ends: ByteSet = ";\r\n"
            let value = rest.prefix { !ends.contains($0) }
            rest = rest.dropFirst(value.count)
            return Array(value)
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != Ascii.quote {
            let isEscaped = byte == Ascii.backslash && rest.first != nil
            value.append(isEscaped ? rest.removeFirst() : byte)
        }
        return value
    }
}
