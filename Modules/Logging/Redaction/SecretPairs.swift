/// Finds the values whose names stand apart from them: `["X-Api-Key", "…"]`, `{"value": "…", "name": "Cookie"}`,
/// `Field(name: "Cookie", value: "…")`.
///
/// One pass over all brackets of a text, JSON or printed; each open one is a frame. Name and value are looked for in the
/// same frame, in any order.
struct SecretPairs {
    private struct Frame {
        let opening: UInt8
        /// The label of the member that is being read: `name` in `{"name": …`.
        var label: String?
        var isFirst = true
        /// The element before was a secret name.
        var isPair = false
        /// Where the value behind such a name begins, in a list that may be one of names.
        var listedValue: Int?
        /// How many elements there are, and how many of them are strings that are a plain word.
        var elements = 1
        var words = 0
        /// Whether it is the value of `"required"`.
        let isRequired: Bool
        var isSecret = false
        var values: [Int] = []

        init(opening: UInt8, isRequired: Bool) {
            self.opening = opening
            self.isRequired = isRequired
        }

        /// Whether it holds names without values: it is the value of `"required"`, and all elements are plain words.
        func isListOfNames(closedBy bracket: UInt8?) -> Bool {
            isRequired && bracket == Ascii.closeBracket && words == elements
        }
    }

    private static let nameLabels: Set<String> = ["name", "key", "header", "field"]
    private static let valueLabels: Set<String> = ["value", "values"]

    private let input: Bytes
    private let names: SecretNames
    private var frames: [Frame] = []
    private var found: Set<Int> = []

    init(_ input: Bytes, by names: SecretNames) {
        self.input = input
        self.names = names
    }

    /// The places at which such values begin.
    mutating func values() -> Set<Int> {
        var index = 0
        var isElement = false
        while let byte = input[index] {
            switch byte {
            case Ascii.openBrace, Ascii.openBracket, Ascii.openParenthesis:
                if isElement { take(value: index, text: nil) }
                frames.append(Frame(opening: byte, isRequired: isRequired(at: index)))
                isElement = true
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.closeParenthesis:
                close(by: byte)
                isElement = false
            case Ascii.comma:
                next()
                isElement = true
            case Ascii.space, Ascii.newline, Ascii.carriageReturn, 0x09: break
            default:
                if isElement, !frames.isEmpty, let end = takeToken(at: index) {
                    index = end
                    isElement = input[end - 1].map(SecretPairs.isLabelEnd) ?? false
                    continue
                }
                isElement = false
            }
            index += 1
        }
        while !frames.isEmpty { close(by: nil) }
        return found
    }

    private static func isLabelEnd(_ byte: UInt8) -> Bool {
        byte == Ascii.colon || byte == Ascii.equals
    }

    /// Reads the label, with its colon, or the value that begins at `start`; nil when it is neither.
    private mutating func takeToken(at start: Int) -> Int? {
        let text: ArraySlice<UInt8>
        let end: Int
        if let opening = input.openingQuote(at: start) {
            let closing = input.endOfQuoted(opening)
            text = input[opening.upperBound, closing.index - opening.count]
            guard closing.isClosed, !text.contains(Ascii.newline) else { return nil }
            end = closing.index
        } else {
            end = input.firstIndex(from: start) { !Ascii.isName($0) }
            text = input[start, end]
            if text.isEmpty { return nil }
        }
        let name = text.count > 128 ? "" : String(decoding: LenientJsonString.decoded(text), as: UTF8.self)
        let separator = input.skip(" \t\r\n", from: end)
        if let byte = input[separator], SecretPairs.isLabelEnd(byte), input[separator + 1] != byte {
            if let last = frames.indices.last { frames[last].label = name.lowercased() }
            return separator + 1
        }
        let isNamed = text.startIndex > start || frames.last?.label != nil
        take(value: start, text: isNamed ? name : nil)
        return end
    }

    /// Takes the element, or the member's value, that begins at `start`.
    private mutating func take(value start: Int, text: String?) {
        guard let last = frames.indices.last else { return }
        let label = frames[last].label
        if let text, SecretPairs.isPlainWord(text) { frames[last].words += 1 }
        if frames[last].isPair {
            if frames[last].opening == Ascii.openBracket {
                frames[last].listedValue = start
            } else {
                found.insert(start)
            }
            frames[last].isPair = false
        } else if let label, SecretPairs.valueLabels.contains(label) {
            frames[last].values.append(start)
        } else if let text, label.map(SecretPairs.nameLabels.contains) ?? true, isSecret(text) {
            let isPair = frames[last].isFirst || frames[last].opening == Ascii.openParenthesis
            if label == nil { frames[last].isPair = isPair } else { frames[last].isSecret = true }
        }
    }

    private func isSecret(_ name: String) -> Bool {
        names.verdict(onKey: name) != .harmless || names.isListed(header: name)
    }

    private mutating func next() {
        guard let last = frames.indices.last else { return }
        frames[last].label = nil
        frames[last].isFirst = false
        frames[last].elements += 1
    }

    /// - Parameter bracket: nil at the end of a text that is cut off.
    private mutating func close(by bracket: UInt8?) {
        guard let frame = frames.popLast() else { return }
        if frame.isSecret { found.formUnion(frame.values) }
        if let value = frame.listedValue, !frame.isListOfNames(closedBy: bracket) { found.insert(value) }
    }

    private static func isPlainWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
    }

    /// Whether the bracket at `index` opens the value of the key `"required"`, as JSON Schema has it.
    private func isRequired(at index: Int) -> Bool {
        guard input[index] == Ascii.openBracket else { return false }
        let colon = input.skipBack(" \t\r\n", from: index)
        guard input[colon - 1] == Ascii.colon else { return false }
        let quote = input.skipBack(" \t\r\n", from: colon - 1)
        let end = input.skipBack("\\\"'", from: quote)
        let start = end - "required".utf8.count
        return start > 0 && end < quote && input.hasText("required", at: start) && input.isOne(of: "\"'", at: start - 1)
    }
}
