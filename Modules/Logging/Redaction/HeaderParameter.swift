/// A parameter in the value of a header field (RFC 9110, section 5.6.6), such as the name of a form's field in
/// `Content-Disposition` (RFC 7578). Also reads what only lenient servers accept: any case, blanks around `=`, no
/// quotes, an extended value (`name*=`, RFC 8187), several of the same name.
package struct HeaderParameter {
    private let name: String
    /// All values, in order.
    package private(set) var values: [String] = []

    package init(_ name: String, in text: ArraySlice<UInt8>) {
        self.name = name
        var rest = text
        var label: ArraySlice<UInt8> = []
        while let byte = rest.first {
            let word = rest.prefix { Ascii.isName($0) || $0 == UInt8(ascii: "*") }
            if !word.isEmpty {
                label = word
                rest = rest.dropFirst(word.count)
                continue
            }
            rest = rest.dropFirst()
            if byte == Ascii.equals {
                take(label, value: HeaderParameter.value(&rest))
                label = []
            } else if byte == Ascii.semicolon {
                label = []
            }
        }
    }

    private mutating func take(_ label: ArraySlice<UInt8>, value: [UInt8]) {
        let isExtended = label.contains(UInt8(ascii: "*"))
        let name = String(decoding: label.prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self)
        guard name.lowercased() == self.name else { return }
        // An extended value starts with its character set: UTF-8'en'…
        let text = isExtended ? value.split(separator: Ascii.apostrophe).last ?? [] : value[...]
        values.append(String(decoding: text, as: UTF8.self))
    }

    /// The value at the start of `rest`, quoted or not.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
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
