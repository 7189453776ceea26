/// One pass over a text that copies it and masks the secrets on the way.
///
/// Words are looked at everywhere; in what looks like JSON, and in collections that Swift prints, strings are taken as
/// a whole besides. So a text that is no valid JSON loses nothing but its strings' borders.
struct TextScan {
    let input: [UInt8]
    let scanner: SecretScanner
    var output: [UInt8] = []
    var position = 0
    /// How many JSON brackets are open; in a JSON text never 0.
    var depth: Int
    private let least: Int
    /// The depth at which a pair `"name": "password"` asks for its `"value"` to be masked.
    var secretPair: Int?
    var lastWord: Range<Int>?
    /// Brackets before this place are known to begin no JSON.
    private var plainEnd = 0

    init(_ input: [UInt8], by scanner: SecretScanner, isJson: Bool) {
        self.input = input
        self.scanner = scanner
        least = isJson ? 1 : 0
        depth = least
        output.reserveCapacity(input.count)
    }

    mutating func run() -> [UInt8] {
        while position < input.count {
            let byte = input[position]
            if byte == Ascii.quote, depth > 0 {
                scanString()
            } else if Ascii.isName(byte) || isEscapedCharacter(at: position) {
                scanWord()
            } else {
                if byte == Ascii.openBrace || byte == Ascii.openBracket {
                    if depth > 0 || looksLikeJson(at: position) { depth += 1 }
                } else if byte == Ascii.closeBrace || byte == Ascii.closeBracket {
                    if secretPair == depth { secretPair = nil }
                    depth = max(depth - 1, least)
                }
                copy(to: position + 1)
            }
        }
        return output
    }

    /// Copies the input as it is, up to `end`.
    mutating func copy(to end: Int) {
        output += input[position..<end]
        position = end
    }

    /// Goes on at `end` with `replacement` in the output.
    mutating func replace(to end: Int, by replacement: some Sequence<UInt8>) {
        output += replacement
        position = end
    }

    func skip(_ bytes: String.UTF8View, from start: Int) -> Int {
        input[start...].firstIndex { !bytes.contains($0) } ?? input.count
    }

    private mutating func looksLikeJson(at start: Int) -> Bool {
        guard start >= plainEnd else { return false }
        let first = skip("[ \t\r\n".utf8, from: start)
        if first < input.count {
            if input[first] == Ascii.quote { return true }
            let next = skip(" \t\r\n".utf8, from: first + 1)
            if input[first] == Ascii.openBrace, next < input.count, input[next] == Ascii.quote { return true }
        }
        plainEnd = first
        return false
    }

    /// Whether a JSON escape as `\u0074` stands here.
    func isEscapedCharacter(at start: Int) -> Bool {
        input[start] == Ascii.backslash && start + 5 < input.count && input[start + 1] == UInt8(ascii: "u")
            && input[(start + 2)...(start + 5)].allSatisfy { Ascii.hexValue($0) != nil }
    }
}
