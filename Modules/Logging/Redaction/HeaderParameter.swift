/// A parameter in the value of a header field (RFC 9110, section 5.6.6), such as the name of a form's field in
/// `Content-Disposition` (RFC 7578). Also reads what only lenient servers accept: any case, blanks around `=`, no
/// quotes, an extended value (`name*=`, RFC 8187), several of the same name.
package enum HeaderParameter {
    /// All values of the parameter with this name, in order.
    package static func values(of name: String, in text: ArraySlice<UInt8>) -> [String] {
        var values: [String] = []
        var rest = text
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let before = rest[..<equals].reversed().drop(while: Ascii.isBlank)
            let label = before.prefix { Ascii.isName($0) || $0 == "*" }.reversed()
            rest = rest[(equals + 1)...].drop(while: Ascii.isBlank)
            var value = Self.value(at: &rest)[...]
            let plainLabel = label.prefix { $0 != "*" }
            // An extended value starts with its character set: UTF-8'en'…
            if plainLabel.count < label.count { value = value.split(separator: UInt8(ascii: "'")).last ?? [] }
            if String(decoding: plainLabel, as: UTF8.self).lowercased() == name {
                values.append(String(decoding: value, as: UTF8.self))
            }
        }
        return values
    }

    /// The value at the start of `rest`, quoted or not.
    private static func value(at rest: inout ArraySlice<UInt8>) -> [UInt8] {
        guard rest.first == "\"" else {
            let ends: ByteSet = ";\r\n"
            return Array(rest.take { !ends.contains($0) })
        }
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != "\"" {
            value.append(byte == "\\" ? rest.popFirst() ?? byte : byte)
        }
        return value
    }
}
