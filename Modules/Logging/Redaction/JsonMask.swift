import NodeCore

/// Masks a JSON text (RFC 8259): the values of secret members, and secrets in strings.
///
/// One pass over the tokens. The text may be cut off, and several texts may follow one another. What follows a syntax
/// error is masked whole.
struct JsonMask {
    private struct Frame {
        let start: Int
        let isObject: Bool
        /// The name of the member that is being read.
        var key = ""
        /// How many elements have ended.
        var count = 0
        /// The first element, or the member `name`, is the name of a secret.
        var namesSecret = false
        /// Where the members `value` and the like are.
        var values: [Range<Int>] = []
        /// Where the members `access` are, which are tokens beside a `refresh`.
        var accesses: [Range<Int>] = []
        var hasRefresh = false
    }

    private enum Token { case value, key, colon, comma }

    /// Members whose value is the name of another one's: `{"name": "Cookie", "value": "…"}`.
    private static let nameKeys: Set<String> = [
        "name", "key", "id", "header", "field", "property", "attribute", "variable", "param", "parameter", "k",
    ]
    private static let valueKeys: Set<String> = ["value", "values", "val", "v", "content"]

    private let input: Bytes
    private let masker: Masker
    private var position: Int
    private var frames: [Frame] = []
    private var expected = Token.value
    /// What replaces the input, by the index at which it begins. The later of two with the same index counts.
    private var edits: [Int: (end: Int, text: [UInt8])] = [:]

    /// `text` with the JSON masked that begins at `start`.
    static func masked(_ text: [UInt8], from start: Int, by masker: Masker) -> [UInt8] {
        var mask = JsonMask(text, from: start, by: masker)
        return mask.masked()
    }

    private init(_ text: [UInt8], from start: Int, by masker: Masker) {
        input = Bytes(text)
        position = start
        self.masker = masker
    }

    /// Where the JSON of a body begins, after a byte order mark, a record separator (RFC 7464) or a prefix such as `)]}',`;
    /// nil where another text precedes it. Numbers and literals are JSON if nothing else follows but JSON.
    static func start(of text: [UInt8]) -> Int? {
        let prefix: ByteSet = ")]}',;"
        guard let start = text.firstIndex(where: { $0 > Ascii.space && $0 < 0x80 && !prefix.contains($0) }) else {
            return nil
        }
        let input = Bytes(text)
        var position = start
        while !input.isOne(of: "{[\"", at: position) {
            let end = input.firstIndex(from: position) { !Ascii.isWord($0) }
            guard isNumberOrLiteral(input[position, end]) else { return nil }
            position = input.firstIndex(from: end) { $0 > Ascii.space }
            if position == input.count { break }
        }
        return start
    }

    /// Where JSON begins within another text, such as the call of a function: at `{"`, `{}`, `["` or `[{`.
    static func start(within text: [UInt8]) -> Int? {
        var opening: Int?
        for (index, byte) in text.enumerated() where byte > Ascii.space {
            if let opening,
                text[opening] == Ascii.openBrace
                    ? byte == Ascii.quote || byte == Ascii.closeBrace
                    : byte == Ascii.quote || byte == Ascii.openBrace
            {
                return opening
            }
            opening = byte == Ascii.openBrace || byte == Ascii.openBracket ? index : nil
        }
        return nil
    }

    /// Where JSON begins in a text that might be another one: at `{"`, `["`, `[{"` or the like.
    static func certainStart(of text: [UInt8]) -> Int? {
        let input = Bytes(text)
        let start = input.skip(" \t\r\n", from: 0)
        guard input.isOne(of: "{[", at: start) else { return nil }
        let element = input.skip("[ \t\r\n", from: start)
        let next = input[element] == Ascii.openBrace ? input.skip(" \t\r\n", from: element + 1) : element
        return input.isOne(of: "\"}", at: next) ? start : nil
    }

    private mutating func masked() -> [UInt8] {
        while position < input.count {
            position = input.firstIndex(from: position) { $0 > Ascii.space }
            guard let byte = input[position], read(byte) else { break }
        }
        if position < input.count { edits[position] = (input.count, Ascii.mask) }
        while !frames.isEmpty { close(at: input.count) }
        var output: [UInt8] = []
        var copied = 0
        for (start, edit) in edits.sorted(by: { $0.key < $1.key }) where start >= copied {
            output += input[copied, start] + edit.text
            copied = edit.end
        }
        return output + input.from(copied)
    }

    /// Reads the token that begins with `byte`; false for a syntax error.
    private mutating func read(_ byte: UInt8) -> Bool {
        let start = position
        switch (expected, byte) {
        case (.value, Ascii.openBrace), (.value, Ascii.openBracket):
            let isObject = byte == Ascii.openBrace
            frames.append(Frame(start: start, isObject: isObject))
            expected = isObject ? .key : .value
            position += 1
        case (.comma, Ascii.closeBracket), (.value, Ascii.closeBracket):
            guard frames.last?.isObject == false else { return false }
            position += 1
            close(at: position)
        case (.value, Ascii.quote):
            let text = readString()
            end(of: start..<position, text: text)
        case (.value, _):
            position = input.firstIndex(from: start) { !Ascii.isWord($0) }
            guard Self.isNumberOrLiteral(input[start, position]) else {
                position = start
                return false
            }
            end(of: start..<position, text: nil)
        case (.key, Ascii.quote):
            frames[frames.count - 1].key = readString()
            expected = .colon
        case (.colon, Ascii.colon):
            expected = .value
            position += 1
        case (.comma, Ascii.comma):
            expected = frames.last?.isObject == true ? .key : .value
            position += 1
        case (.comma, Ascii.closeBrace), (.key, Ascii.closeBrace):
            guard frames.last?.isObject == true else { return false }
            position += 1
            close(at: position)
        default: return false
        }
        return true
    }

    private static func isNumberOrLiteral(_ text: ArraySlice<UInt8>) -> Bool {
        let number: ByteSet = "0123456789+-.eE"
        return text.contains(where: Ascii.isDigit) && text.allSatisfy(number.contains)
            || ["true", "false", "null", "NaN", "Infinity", "-Infinity"].contains { text.elementsEqual($0.utf8) }
    }

    /// Reads the string that begins here, to its closing quote or to the end of the input. Masks secrets in it.
    private mutating func readString() -> String {
        let start = position
        var end = start + 1
        while let byte = input[end], byte != Ascii.quote { end += byte == Ascii.backslash ? 2 : 1 }
        let isClosed = end < input.count
        position = min(end + 1, input.count)
        let text = JsonString.decoded(input[start + 1, end])
        if let masked = masker.inside(text) {
            let quote = isClosed ? [Ascii.quote] : []
            edits[start] = (position, [Ascii.quote] + JsonString.encoded(masked) + quote)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The innermost array or object has ended.
    private mutating func close(at end: Int) {
        guard let frame = frames.popLast() else { return }
        let secrets = (frame.namesSecret ? frame.values : []) + (frame.hasRefresh ? frame.accesses : [])
        for value in secrets { mask(value) }
        self.end(of: frame.start..<end, text: nil)
    }

    /// The member or element at `value` has ended.
    ///
    /// - Parameter text: that of a string.
    private mutating func end(of value: Range<Int>, text: String?) {
        expected = frames.isEmpty ? .value : .comma
        guard var frame = frames.popLast() else { return }
        defer { frames.append(frame) }
        frame.count += 1
        guard frame.isObject else {
            // The first two elements may be a name and its value.
            if frame.count == 1 { frame.namesSecret = isSecretName(text) }
            if frame.count == 2, frame.namesSecret { mask(value) }
            return
        }
        let key = frame.key.lowercased()
        let isNumber = text == nil && input.isOne(of: "-0123456789", at: value.lowerBound)
        if masker.names.isSecret(key: frame.key, isNumber: isNumber) { mask(value) }
        if JsonMask.nameKeys.contains(key), isSecretName(text) { frame.namesSecret = true }
        if JsonMask.valueKeys.contains(key) { frame.values.append(value) }
        if key == "access" { frame.accesses.append(value) }
        if key == "refresh" { frame.hasRefresh = true }
    }

    private func isSecretName(_ text: String?) -> Bool {
        guard let text, text.utf8.count <= 128 else { return false }
        return masker.names.isSecret(key: text)
    }

    private mutating func mask(_ value: Range<Int>) {
        let text = input[value.lowerBound, value.upperBound]
        if !["null", "true", "false"].contains(where: { text.elementsEqual($0.utf8) }) {
            edits[value.lowerBound] = (value.upperBound, [Ascii.quote] + Ascii.mask + [Ascii.quote])
        }
    }
}

/// The content of a JSON string (RFC 8259, section 7). `Models` has a reader for text that a parser has validated.
enum JsonString {
    private static let escapes: [UInt8: UInt16] = [
        Ascii.quote: 0x22, Ascii.backslash: 0x5C, Ascii.slash: 0x2F, UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// The content without escapes. Invalid ones stay as they are.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(Ascii.backslash) else { return Array(text) }
        var output: [UInt16] = []
        var rest = Array(String(decoding: text, as: UTF8.self).utf16)[...]
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let letter = rest.first.flatMap({ UInt8(exactly: $0) }) else {
                output.append(unit)
                continue
            }
            if let escaped = escapes[letter] {
                output.append(escaped)
                rest.removeFirst()
            } else if letter == UInt8(ascii: "u"), let code = code(of: rest.dropFirst().prefix(4)) {
                output.append(code)
                rest.removeFirst(5)
            } else {
                output.append(unit)
            }
        }
        return Array(String(decoding: output, as: UTF16.self).utf8)
    }

    private static func code(of digits: ArraySlice<UInt16>) -> UInt16? {
        guard digits.count == 4 else { return nil }
        return digits.reduce(UInt16?(0)) { code, digit in
            guard let code, let value = UInt8(exactly: digit).flatMap(Percent.hexValue) else { return nil }
            return code << 4 | UInt16(value)
        }
    }

    static func encoded(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { byte -> [UInt8] in
            switch byte {
            case Ascii.quote, Ascii.backslash: [Ascii.backslash, byte]
            case 0x0A: Array("\\n".utf8)
            case 0x0D: Array("\\r".utf8)
            case 0x09: Array("\\t".utf8)
            case 0..<0x20: Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: [byte]
            }
        }
    }
}
