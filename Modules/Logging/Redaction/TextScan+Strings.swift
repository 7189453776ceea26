extension TextScan {
    /// Takes the JSON string that begins here: a key, whose value may be a secret, or a value, which may hold one.
    mutating func scanString() {
        let closing = endOfString()
        let isClosed = closing < input.count
        let end = isClosed ? closing + 1 : closing
        let text = LenientJsonString.decoded(input[(position + 1)..<closing])
        let colon = skip(" \t\r\n".utf8, from: end)
        let isKey = isClosed && colon < input.count && input[colon] == Ascii.colon
        if isKey {
            let name = String(decoding: text, as: UTF8.self)
            let valueStart = skip(" \t\r\n".utf8, from: colon + 1)
            let isSecondOfPair = secretPair == depth && name.lowercased() == "value"
            if let secret = isSecondOfPair ? .key : secret(name) {
                secretPair = nil
                copy(to: valueStart)
                let separator = Separator(kind: .colon, keyQuote: [Ascii.quote], valueStart: valueStart)
                return maskValue(after: separator, secret)
            }
            if ["name", "key"].contains(name.lowercased()) { notePair(valueStart: valueStart) }
        }
        if let masked = scanner.maskedInside(text) {
            let quote = isClosed ? [Ascii.quote] : []
            replace(to: end, by: [Ascii.quote] + LenientJsonString.encoded(masked) + quote)
        } else {
            copy(to: end)
        }
    }

    /// Notes that `"name": "Cookie"` stands here, so that the `"value"` next to it is a secret.
    private mutating func notePair(valueStart: Int) {
        guard valueStart < input.count, input[valueStart] == Ascii.quote else { return }
        let rest = input[(valueStart + 1)...].prefix(128)
        guard let end = rest.firstIndex(of: Ascii.quote) else { return }
        let name = String(decoding: LenientJsonString.decoded(rest[..<end]), as: UTF8.self)
        if secret(name) != nil { secretPair = depth }
    }

    /// The index of the quote that ends the string which begins here; the input's end when it is cut off.
    private func endOfString() -> Int {
        var index = position + 1
        while index < input.count, input[index] != Ascii.quote {
            index += input[index] == Ascii.backslash ? 2 : 1
        }
        return min(index, input.count)
    }
}
