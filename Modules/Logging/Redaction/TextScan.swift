import NodeCore

/// One pass over a text that copies it and masks the secrets on the way.
///
/// Words are inspected everywhere. In text that resembles JSON, and in collections that Swift prints, strings are also
/// scanned as a whole. So in invalid JSON only the strings' borders are lost.
struct TextScan {
    let input: Bytes
    let scanner: SecretScanner
    var output: [UInt8] = []
    var position = 0
    /// How many JSON brackets are open; in a JSON text never 0.
    var depth: Int
    private let least: Int
    /// The start indices of values whose names are separate elements.
    private var pairValues: Set<Int>
    var lastWord: Range<Int>?
    /// Brackets before this index are known to begin no JSON.
    private var plainEnd = 0

    init(_ text: [UInt8], by scanner: SecretScanner, isJson: Bool) {
        input = Bytes(text)
        self.scanner = scanner
        least = isJson ? 1 : 0
        depth = least
        var pairs = SecretPairs(input, by: scanner.names)
        pairValues = pairs.values()
        output.reserveCapacity(input.count)
    }

    mutating func run() -> [UInt8] {
        while let byte = input[position] {
            if !pairValues.isEmpty, pairValues.remove(position) != nil {
                let separator = Separator(kind: .colon, keyQuote: [Ascii.quote], valueStart: position)
                maskValue(of: nil, after: separator, .key)
            } else if byte == Ascii.quote, depth > 0 {
                scanString()
            } else if Ascii.isName(byte) || isEscapedCharacter(at: position) {
                scanWord()
            } else {
                if byte == Ascii.openBrace || byte == Ascii.openBracket {
                    if depth > 0 || looksLikeJson(at: position) { depth += 1 }
                } else if byte == Ascii.closeBrace || byte == Ascii.closeBracket {
                    depth = max(depth - 1, least)
                }
                copy(to: position + 1)
            }
        }
        return output
    }

    /// Copies the input as it is, up to `end`.
    mutating func copy(to end: Int) {
        replace(to: end, by: input[position, end])
    }

    /// Continues at `end` with `replacement` in the output.
    mutating func replace(to end: Int, by replacement: some Sequence<UInt8>) {
        output += replacement
        position = max(position, end)
    }

    private mutating func looksLikeJson(at start: Int) -> Bool {
        guard start >= plainEnd else { return false }
        let first = input.skip("[ \t\r\n", from: start)
        if input[first] == Ascii.quote { return true }
        let next = input.skip(" \t\r\n", from: first + 1)
        if input[first] == Ascii.openBrace, input[next] == Ascii.quote { return true }
        plainEnd = first
        return false
    }

    /// Whether a JSON escape such as `\u0074` begins here.
    func isEscapedCharacter(at start: Int) -> Bool {
        guard input[start] == Ascii.backslash, input[start + 1] == UInt8(ascii: "u") else { return false }
        let digits = input[start + 2, start + 6]
        return digits.count == 4 && digits.allSatisfy { Percent.hexValue($0) != nil }
    }
}
