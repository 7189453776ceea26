extension TextScan {
    /// Scans the JSON string that begins here: a key, whose value may be a secret, or a value, which may contain one. A
    /// quote that isn't closed in its line begins no string.
    mutating func scanString() {
        let closing = endOfString()
        if input[closing] == Ascii.newline { return copy(to: position + 1) }
        let isClosed = closing < input.count
        let end = isClosed ? closing + 1 : closing
        let text = LenientJsonString.decoded(input[position + 1, closing])
        let colon = input.skip(" \t\r\n", from: end)
        if isClosed, input[colon] == Ascii.colon, let secret = secret(String(decoding: text, as: UTF8.self)) {
            let valueStart = input.skip(" \t\r\n", from: colon + 1)
            copy(to: valueStart)
            let separator = Separator(kind: .colon, keyQuote: [Ascii.quote], valueStart: valueStart)
            maskValue(of: nil, after: separator, secret)
        } else if let masked = scanner.maskedInside(text) {
            let quote = isClosed ? [Ascii.quote] : []
            replace(to: end, by: [Ascii.quote] + LenientJsonString.encoded(masked) + quote)
        } else {
            copy(to: end)
        }
    }

    /// The index of the quote that ends the string which begins here, of the line's end, or of the input's when it is
    /// cut off.
    private func endOfString() -> Int {
        var index = position + 1
        while let byte = input[index], byte != Ascii.quote, byte != Ascii.newline {
            index += byte == Ascii.backslash && input[index + 1] != Ascii.newline ? 2 : 1
        }
        return min(index, input.count)
    }
}
