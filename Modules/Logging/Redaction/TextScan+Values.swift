extension TextScan {
    /// Masks the value that stands here; leaves it where it says only that there is none.
    mutating func maskValue(after separator: Separator, _ secret: Secret) {
        guard position < input.count else { return }
        let isJson = depth > 0 || !separator.keyQuote.isEmpty
        let isLine = secret == .header && separator.keyQuote.isEmpty
        if !isLine, let opening = openingQuote(at: position) {
            let end = endOfQuoted(opening)
            let closing = end.isClosed ? opening : 0..<0
            return replace(to: end.index, by: input[opening] + Ascii.mask + input[closing])
        }
        if isJson, !isLine, separator.kind == .colon || depth > 0 {
            let end = endOfJsonValue()
            guard !isHarmless(input[position..<end], secret) else { return copy(to: end) }
            let quote = depth > 0 ? [Ascii.quote] : separator.keyQuote
            return replace(to: end, by: quote + Ascii.mask + quote)
        }
        let end: Int
        if separator.kind == .equals, !isLine {
            end = input[position...].firstIndex { $0 <= Ascii.space || "&;\"<>".utf8.contains($0) } ?? input.count
        } else {
            let isOpen = !isLine && (input[position] == Ascii.openBrace || input[position] == Ascii.openBracket)
            let inner = isOpen ? endOfBalanced(from: position) : position
            end = input[inner...].firstIndex { $0 == Ascii.newline || $0 == Ascii.carriageReturn } ?? input.count
        }
        let value = input[position..<end]
        if isHarmless(value, secret) { copy(to: end) } else { replace(to: end, by: Ascii.mask) }
    }

    /// Whether a value without quotes tells no secret.
    private func isHarmless(_ value: ArraySlice<UInt8>, _ secret: Secret) -> Bool {
        if value.isEmpty { return true }
        if secret == .plural { return value.allSatisfy { Ascii.isDigit($0) || $0 == Ascii.dot } }
        return ["null", "nil", "true", "false"].contains { value.elementsEqual($0.utf8) }
    }

    /// The quote at `start` with the backslashes before it.
    private func openingQuote(at start: Int) -> Range<Int>? {
        let quote = input[start...].firstIndex { $0 != Ascii.backslash } ?? input.count
        guard quote < input.count, input[quote] == Ascii.quote || input[quote] == Ascii.apostrophe else { return nil }
        return start..<(quote + 1)
    }

    /// Where what `opening` begins ends: behind the closing quote, or before the one that ends the text around it, or
    /// with the input.
    ///
    /// In a text that was escaped n times a quote has 2ⁿ-1 backslashes before it, and inside the quoted text one more
    /// escaping adds 2ⁿ, so that what counts is the number of backslashes modulo 2ⁿ⁺¹.
    private func endOfQuoted(_ opening: Range<Int>) -> (index: Int, isClosed: Bool) {
        let quote = input[opening.upperBound - 1]
        let depth = opening.count - 1
        var backslashes = 0
        for index in opening.upperBound..<input.count {
            if input[index] == Ascii.backslash {
                backslashes += 1
                continue
            }
            if input[index] == quote {
                if backslashes < depth { return (index - backslashes, false) }
                if backslashes % (2 * (depth + 1)) == depth { return (index + 1, true) }
            }
            backslashes = 0
        }
        return (input.count, false)
    }

    /// Where the array or object that begins at `start` ends; the end of the input when it is cut off.
    private func endOfBalanced(from start: Int) -> Int {
        var open = 0
        var index = start
        while index < input.count {
            switch input[index] {
            case Ascii.openBrace, Ascii.openBracket, Ascii.openParenthesis: open += 1
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.closeParenthesis:
                open -= 1
                if open <= 0 { return index + 1 }
            case Ascii.quote:
                index = endOfQuoted(index..<(index + 1)).index
                continue
            case Ascii.backslash:
                let quote = skip("\\".utf8, from: index)
                let isQuote = quote < input.count && input[quote] == Ascii.quote
                index = isQuote ? endOfQuoted(index..<(quote + 1)).index : quote
                continue
            default: break
            }
            index += 1
        }
        return input.count
    }

    /// Where a JSON value without quotes ends, also one that is malformed, as a printed Swift value.
    private func endOfJsonValue() -> Int {
        switch input[position] {
        case Ascii.openBrace, Ascii.openBracket: return endOfBalanced(from: position)
        default: break
        }
        let simple = input[position...].firstIndex { !Ascii.isSimpleValue($0) } ?? input.count
        let behind = skip(" \t\r\n".utf8, from: simple)
        if simple > position, behind == input.count || ",]}".utf8.contains(input[behind]) {
            // A number or a literal; what is longer than one may go on behind the comma.
            let value = input[position..<simple]
            if Ascii.isDigit(value.last ?? 0) || isHarmless(value, .key) { return simple }
        }
        var index = position
        while index < input.count {
            switch input[index] {
            case Ascii.openParenthesis:
                index = endOfBalanced(from: index)
                continue
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.newline:
                return index
            case Ascii.comma:
                let next = skip(" \t\r".utf8, from: index + 1)
                if next == input.count || "\"'\\\n".utf8.contains(input[next]) { return index }
            default: break
            }
            index += 1
        }
        return input.count
    }
}
