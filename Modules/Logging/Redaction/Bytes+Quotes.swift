extension Bytes {
    /// The quote at `start` with the backslashes before it.
    func openingQuote(at start: Int) -> Range<Int>? {
        let quote = skip("\\", from: start)
        guard isOne(of: "\"'", at: quote) else { return nil }
        return start..<(quote + 1)
    }

    /// Where the text that starts with `opening` ends: after the closing quote, or before the quote that ends the text
    /// around it, or at the end of the input.
    ///
    /// In a text that was escaped n times a quote has 2ⁿ-1 backslashes before it, and inside the quoted text one more
    /// escaping adds 2ⁿ. So the number of backslashes modulo 2ⁿ⁺¹ decides.
    func endOfQuoted(_ opening: Range<Int>) -> (index: Int, isClosed: Bool) {
        let quote = self[opening.upperBound - 1]
        let depth = opening.count - 1
        var backslashes = 0
        for (index, byte) in zip(opening.upperBound..., from(opening.upperBound)) {
            if byte == Ascii.backslash {
                backslashes += 1
                continue
            }
            if byte == quote {
                if backslashes < depth { return (index - backslashes, false) }
                if backslashes % (2 * (depth + 1)) == depth { return (index + 1, true) }
            }
            backslashes = 0
        }
        return (count, false)
    }

    /// Where the array or object that begins at `start` ends; the end of the input when it is cut off.
    func endOfBalanced(from start: Int) -> Int {
        var open = 0
        var index = start
        while let byte = self[index] {
            switch byte {
            case Ascii.openBrace, Ascii.openBracket, Ascii.openParenthesis: open += 1
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.closeParenthesis:
                open -= 1
                if open <= 0 { return index + 1 }
            case Ascii.quote:
                index = endOfQuoted(index..<(index + 1)).index
                continue
            case Ascii.backslash:
                let quote = skip("\\", from: index)
                index = self[quote] == Ascii.quote ? endOfQuoted(index..<(quote + 1)).index : quote
                continue
            default: break
            }
            index += 1
        }
        return count
    }
}
