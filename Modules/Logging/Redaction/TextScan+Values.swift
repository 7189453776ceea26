extension TextScan {
    /// Masks the value at this position, unless the value only says that there is none.
    ///
    /// - Parameter name: where the name begins; lines that are indented deeper than its line belong to the value. nil
    ///   for a name without an indentation.
    mutating func maskValue(of name: Int?, after separator: Separator, _ secret: Secret) {
        let isJson = depth > 0 || !separator.keyQuote.isEmpty
        let isLine = secret == .header && separator.keyQuote.isEmpty
        if !isLine, let opening = input.openingQuote(at: position) {
            let end = input.endOfQuoted(opening)
            let quote = input[opening.lowerBound, opening.upperBound]
            // Where a quote isn't closed in its line, the next quote may open another value.
            let isLong = input[position, end.index].contains(Ascii.newline)
            let stop = isLong ? input.endOfLine(from: end.index) : end.index
            return replace(to: stop, by: quote + Ascii.mask + (end.isClosed ? quote : []))
        }
        if isJson, !isLine, separator.kind == .colon || depth > 0 {
            let end = endOfJsonValue()
            guard !isHarmless(input[position, end], secret) else { return copy(to: end) }
            let quote = depth > 0 ? [Ascii.quote] : separator.keyQuote
            return replace(to: end, by: quote + Ascii.mask + quote)
        }
        if separator.kind == .equals, !isLine { return mask(to: endOfAssigned(), secret) }
        let isOpen = !isLine && input.isOne(of: "{[", at: position)
        let line = input.endOfLine(from: isOpen ? input.endOfBalanced(from: position) : position)
        let isComplete = line > position && isHarmless(input[position, line], secret)
        if isComplete { return mask(to: line, secret) }
        // Here, because a search for the start of the line for each value of a line would be quadratic.
        let indent = name.map { input.indent(ofLineAt: $0) } ?? 0
        mask(to: input.endOfFolded(from: line, deeperThan: indent), secret)
    }

    /// Masks the payload of a printed enumeration's case, `password("…")`, whose parenthesis begins here.
    mutating func maskPayload(_ secret: Secret) {
        let end = input.endOfBalanced(from: position)
        let isClosed = input.isOne(of: ")]}", at: end - 1)
        copy(to: position + 1)
        let payloadEnd = isClosed ? end - 1 : end
        // "token(s)" is a word.
        if input[position, payloadEnd].elementsEqual("s".utf8) { return copy(to: payloadEnd) }
        mask(to: payloadEnd, secret)
    }

    private mutating func mask(to end: Int, _ secret: Secret) {
        if isHarmless(input[position, end], secret) { copy(to: end) } else { replace(to: end, by: Ascii.mask) }
    }

    /// Whether a value without quotes reveals no secret.
    private func isHarmless(_ value: ArraySlice<UInt8>, _ secret: Secret) -> Bool {
        if value.isEmpty { return true }
        if secret == .plural { return value.allSatisfy { Ascii.isDigit($0) || $0 == Ascii.dot } }
        return ["null", "nil", "true", "false"].contains { value.elementsEqual($0.utf8) }
    }

    /// Where the value of `name=value` ends: at a blank, or at a delimiter of a form's field or of the surrounding
    /// text. A text in brackets belongs to it completely.
    private func endOfAssigned() -> Int {
        let ends: ByteSet = "&\"<>"
        var index = position
        while let byte = input[index], byte > Ascii.space, !ends.contains(byte) {
            let isOpening = input.isOne(of: "([{", at: index)
            index = isOpening ? input.endOfBalanced(from: index) : index + 1
        }
        return index
    }

    /// Where a JSON value without quotes ends; also a malformed one, such as a printed Swift value.
    private func endOfJsonValue() -> Int {
        if input.isOne(of: "{[", at: position) { return input.endOfBalanced(from: position) }
        let simple = input.firstIndex(from: position) { !Ascii.isSimpleValue($0) }
        let behind = input.skip(" \t\r\n", from: simple)
        if simple > position, behind == input.count || input.isOne(of: ",]}", at: behind) {
            // A number or a literal; a longer value may continue after the comma.
            let value = input[position, simple]
            if Ascii.isDigit(value.last ?? 0) || isHarmless(value, .key) { return simple }
        }
        var index = position
        while let byte = input[index] {
            switch byte {
            case Ascii.openParenthesis:
                index = input.endOfBalanced(from: index)
                continue
            case Ascii.closeBrace, Ascii.closeBracket, Ascii.newline:
                return index
            case Ascii.comma:
                let next = input.skip(" \t\r", from: index + 1)
                if next == input.count || input.isOne(of: "\"'\\\n", at: next) { return index }
            default: break
            }
            index += 1
        }
        return input.count
    }
}
