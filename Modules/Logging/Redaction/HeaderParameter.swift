/// A parameter in the value of a header field (RFC 9110, section 5.6.6), such as the name of a form's field in
/// `Content-Disposition` (RFC 7578). Also reads what only lenient servers accept: any case, blanks around `=`, no
/// quotes, an extended value (`name*=`, RFC 8187), several of the same name.
package struct HeaderParameter {
    private static let markers = ["content-disposition", "form-data"]

    private let name: String
    /// All values, in order.
    package private(set) var values: [String] = []

    /// Where a disposition begins in a line; nil when it has none.
    static func dispositionStart(in line: ArraySlice<UInt8>) -> Int? {
        line.indices.first { index in
            let first = line[index] | 0x20
            guard first == UInt8(ascii: "c") || first == UInt8(ascii: "f") else { return false }
            return markers.contains { Ascii.hasWord($0, at: line[index...]) }
        }
    }

    /// Where a disposition begins in a line that need not belong to a form: at `Content-Disposition:`, or at
    /// `form-data;` followed by a name. nil for prose.
    static func headStart(in line: ArraySlice<UInt8>) -> Int? {
        let between: ByteSet = " \t\"'\\"
        func has(_ word: String, before byte: UInt8, at text: ArraySlice<UInt8>) -> Bool {
            Ascii.hasWord(word, at: text)
                && text.dropFirst(word.utf8.count).first { !between.contains($0) } == byte
        }
        var form: Int?
        for index in line.indices {
            switch line[index] | 0x20 {
            case UInt8(ascii: "c") where has("content-disposition", before: Ascii.colon, at: line[index...]):
                return index
            case UInt8(ascii: "f") where form == nil && has("form-data", before: Ascii.semicolon, at: line[index...]):
                form = index
            default: break
            }
        }
        return form.flatMap { HeaderParameter("name", in: line[$0...]).values.isEmpty ? nil : $0 }
    }

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
            let value = rest.prefix { $0 != Ascii.semicolon }
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
