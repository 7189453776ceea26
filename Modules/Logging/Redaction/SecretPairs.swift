/// Finds the values whose names are separate elements: `["X-Api-Key", "…"]`, `{"value": "…", "name": "Cookie"}`,
/// `Field(name: "Cookie", value: "…")`. Also finds the `access` of `{"access": "…", "refresh": "…"}`.
///
/// One pass over all brackets of a text, JSON or printed; each open one is a frame. Name and value are paired within
/// the same frame, in any order.
struct SecretPairs {
    private struct Frame {
        var opening: UInt8
        /// The label of the member that is being read: `name` in `{"name": …`.
        var label: String?
        var isFirst = true
        /// The element before was a secret name.
        var isPair = false
        var isSecret = false
        var values: [Int] = []
        /// The values of `access`, which are tokens beside a `refresh`.
        var accesses: [Int] = []
        var hasRefresh = false
    }

    private static let nameLabels: Set<String> = [
        "name", "key", "id", "header", "field", "property", "attribute", "variable", "param", "parameter", "k",
    ]
    private static let valueLabels: Set<String> = ["value", "values", "val", "v", "content"]

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
                frames.append(Frame(opening: byte))
                isElement = true
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.closeParenthesis:
                close()
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
        while !frames.isEmpty { close() }
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
        if label == "access" { frames[last].accesses.append(start) }
        if label == "refresh" { frames[last].hasRefresh = true }
        if frames[last].isPair {
            found.insert(start)
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
    }

    private mutating func close() {
        guard let frame = frames.popLast() else { return }
        if frame.isSecret { found.formUnion(frame.values) }
        if frame.hasRefresh { found.formUnion(frame.accesses) }
    }
}
