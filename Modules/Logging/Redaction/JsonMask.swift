/// Masks JSON texts (RFC 8259) that follow one another: the values of secret members, and secrets in strings.
///
/// The text may be cut off. What follows a syntax error, or is nested too deep, is masked whole.
struct JsonMask {
    /// Members whose value is the name of another one's: `{"name": "Cookie", "value": "…"}`.
    private static let nameKeys: Set<String> = [
        "name", "key", "id", "header", "field", "property", "attribute", "variable", "param", "parameter", "k",
    ]
    private static let valueKeys: Set<String> = ["value", "values", "val", "v", "content"]

    private var masker: Masker
    private var rest: ArraySlice<UInt8>

    static func masked(_ text: ArraySlice<UInt8>, by masker: Masker) -> [UInt8] {
        var mask = JsonMask(masker: masker, rest: text)
        var output = Array(mask.takeBlanks())
        while !mask.rest.isEmpty { output += mask.value().shown + mask.takeBlanks() }
        return output
    }

    /// Where JSON begins, after a byte order mark, a record separator (RFC 7464) or a prefix such as `)]}',`; nil for
    /// none.
    ///
    /// - Parameter isJson: false for a text of unknown type, which begins with `{"`, `{}`, `["` or `[{` if it is JSON.
    ///   Where JSON is declared, another text may precede these, such as the call of a function.
    static func start(of text: [UInt8], isJson: Bool) -> Int? {
        let prefix: ByteSet = ")]}',;"
        let start = text.firstIndex { !Ascii.isBlank($0) && $0 < 0x80 && !prefix.contains($0) }
        // HTML has braces of its own.
        guard let start, text[start] != "<" else { return nil }
        if isJson, text[start] == "{" || text[start] == "[" || text[start] == "\"" { return start }
        var last = start
        for index in text.indices.dropFirst(start + 1) where !Ascii.isBlank(text[index]) {
            switch (Unicode.Scalar(text[last]), Unicode.Scalar(text[index])) {
            case ("{", "\""), ("{", "}"), ("[", "\""), ("[", "{"): return isJson ? last : start
            case ("[", "["): break
            default: if !isJson { return nil }
            }
            last = index
        }
        return nil
    }

    private mutating func takeBlanks() -> ArraySlice<UInt8> { rest.take(while: Ascii.isBlank) }

    /// A syntax error: takes the rest. Nothing is missing where the text was cut off.
    private mutating func failure() -> [UInt8] {
        defer { rest = [] }
        return rest.isEmpty ? [] : Ascii.mask
    }

    private mutating func take(_ byte: UInt8) -> [UInt8] {
        guard rest.first == byte else { return failure() }
        rest.removeFirst()
        return [byte]
    }

    /// Reads a value.
    /// - Returns: what is shown of it, and the text of a string.
    private mutating func value() -> (shown: [UInt8], text: String?) {
        if rest.first == "\"" { return string() }
        if rest.first == "{" || rest.first == "[", let deeper = masker.deeper {
            let outer = masker
            masker = deeper
            defer { masker = outer }
            return (container(), nil)
        }
        let word = rest.prefix(while: Ascii.isWord)
        guard Self.isNumberOrLiteral(word) else { return (failure(), nil) }
        rest = rest[word.endIndex...]
        return (Array(word), nil)
    }

    private static func isNumberOrLiteral(_ word: ArraySlice<UInt8>) -> Bool {
        let number: ByteSet = "0123456789+-.eE"
        return word.contains(where: Ascii.isDigit) && word.allSatisfy(number.contains)
            || ["true", "false", "null", "NaN", "Infinity", "-Infinity"].contains { word.elementsEqual($0.utf8) }
    }

    /// Reads an object or an array.
    private mutating func container() -> [UInt8] {
        let isObject = rest.first == "{"
        let closing = UInt8(ascii: isObject ? "}" : "]")
        var pieces = [Array(rest.take(1) + takeBlanks())]
        // The first two elements of an array may be a name and its value, too.
        var namesSecret = false
        var values: [(index: Int, isString: Bool)] = []
        // Tokens of services that name them `access` and `refresh`.
        var tokens: [String: Int] = [:]
        var count = 0
        while let first = rest.first, first != closing {
            var key = ""
            if isObject {
                let name = first == "\"" ? string() : (shown: failure(), text: nil)
                key = name.text ?? ""
                var label = name.shown + takeBlanks()
                label += take(UInt8(ascii: ":"))
                pieces.append(label + takeBlanks())
                if rest.isEmpty { break }
            }
            let (shown, text) = value()
            let member = key.lowercased()
            if isObject ? Self.nameKeys.contains(member) : count == 0, let text, text.utf8.count <= 128 {
                namesSecret = namesSecret || masker.names.isSecret(key: text)
            }
            if isObject ? Self.valueKeys.contains(member) : count == 1 { values.append((pieces.count, text != nil)) }
            if member == "access" || member == "refresh", text != nil { tokens[member] = pieces.count }
            let isNumber = shown.first.map { Ascii.isDigit($0) || $0 == "-" } ?? false
            let isSecret = isObject && masker.names.isSecret(key: key, isNumber: isNumber)
            pieces.append(isSecret ? Self.masked(shown) : shown)
            pieces.append(Array(takeBlanks()))
            count += 1
            guard rest.first == "," else { break }
            pieces.append(Array(rest.take(1) + takeBlanks()))
        }
        // The name may follow where the text was cut off.
        let isCut = isObject && rest.isEmpty
        for value in values where namesSecret || isCut && value.isString {
            pieces[value.index] = Self.masked(pieces[value.index])
        }
        for index in tokens.values where tokens.count == 2 { pieces[index] = Self.masked(pieces[index]) }
        return pieces.flatMap { $0 } + take(closing)
    }

    private static func masked(_ value: [UInt8]) -> [UInt8] {
        let isShown = ["null", "true", "false", "***"].contains { value.elementsEqual($0.utf8) }
        return isShown ? value : "\"".utf8 + Ascii.mask + "\"".utf8
    }

    /// Reads a string to its closing quote or to the end of the text. Masks secrets in it.
    private mutating func string() -> (shown: [UInt8], text: String?) {
        var end = rest.startIndex + 1
        while end < rest.endIndex, rest[end] != "\"" { end += rest[end] == "\\" ? 2 : 1 }
        let string = rest.take(end + 1 - rest.startIndex)
        let content = string.dropFirst().prefix(end - string.startIndex - 1)
        let text = Self.decoded(content)
        let masked = masker.inside(text).map { "\"".utf8 + Self.encoded($0) + string[content.endIndex...] }
        return (masked ?? Array(string), String(decoding: text, as: UTF8.self))
    }

    /// The content of a string without escapes (RFC 8259, section 7). `Models` has a reader for text that a parser has
    /// validated.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
        let controls: [UInt16: UInt16] = [0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09]
        var output: [UInt16] = []
        var rest = Array(String(decoding: text, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let letter = rest.popFirst() else {
                output.append(unit)
                continue
            }
            if letter == 0x75, let code = UInt16(String(decoding: rest.prefix(4), as: UTF16.self), radix: 16) {
                output.append(code)
                rest = rest.dropFirst(4)
            } else {
                output.append(controls[letter] ?? letter)
            }
        }
        return Array(String(decoding: output, as: UTF16.self).utf8)
    }

    private static func encoded(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): Array("\\n".utf8)
            case 0..<0x20: Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: [byte]
            }
        }
    }
}
