import NodeCore

extension TextScan {
    /// What a name implies for its value.
    enum Secret {
        case key
        /// A header's value takes the rest of the line.
        case header
        /// A number is no secret, since it counts.
        case plural
    }

    /// The characters between a name and its value.
    struct Separator {
        enum Kind { case colon, equals }

        let kind: Kind
        /// The quote that the name ended with, with the backslashes before it; empty without one.
        let keyQuote: [UInt8]
        let valueStart: Int
    }

    mutating func scanWord() {
        let start = position
        var end = start
        while let byte = input[end] {
            if Ascii.isName(byte) { end += 1 } else if isEscapedCharacter(at: end) { end += 6 } else { break }
        }
        defer { lastWord = start..<end }
        if input.hasText("://", at: end) {
            let ends: ByteSet = "\"<>`\\"
            let stop = input.firstIndex(from: end) { $0 <= Ascii.space || ends.contains($0) }
            replace(to: stop, by: scanner.url(Array(input[start, stop])))
        } else if let separator = separator(after: end), let secret = secret(start..<end, separator) {
            copy(to: separator.valueStart)
            maskValue(of: start, after: separator, secret)
        } else if input[start - 1] == Ascii.slash, input[end] == Ascii.colon, PathSecrets.isBot(input[start, end]) {
            copy(to: end + 1)
            let stop = input.firstIndex(from: position) { !Ascii.isName($0) }
            replace(to: stop, by: stop > position ? Ascii.mask : [])
        } else if input[end] == Ascii.openParenthesis, let secret = payloadSecret(name(input[start, end]), at: end) {
            copy(to: end)
            maskPayload(secret)
        } else if Percent.decoded(input[start, end], plusIsSpace: false).count < end - start {
            let stop = endOfEncoded(start, wordEnd: end)
            replace(to: stop, by: scanner.disguised(input[start, stop]) ?? Array(input[start, stop]))
        } else if let masked = WebToken.masked(input[start, end]) {
            replace(to: end, by: masked)
        } else if !maskCredentials(start..<end) {
            copy(to: end)
        }
    }

    /// What a name implies for the payload in the parenthesis at `opening`. `URLSession(…)` and the methods of its
    /// delegate, `urlSession(_:…)`, have no secret payload.
    private func payloadSecret(_ name: String, at opening: Int) -> Secret? {
        if name == "URLSession" || name == "urlSession" && input.hasText("_:", at: opening + 1) { return nil }
        return secret(name)
    }

    /// Where the percent-encoded text that begins at `start` ends. A name at its end, whose value follows a blank, is
    /// no part of it.
    private func endOfEncoded(_ start: Int, wordEnd: Int) -> Int {
        let ends: ByteSet = "&;\"<>"
        let stop = input.firstIndex(from: wordEnd) { $0 <= Ascii.space || ends.contains($0) }
        guard input.isOne(of: ":=(", at: stop - 1) else { return stop }
        let beforeName = input[start, stop - 1].lastIndex { !Ascii.isName($0) } ?? start
        return max(beforeName + 1, wordEnd)
    }

    private func separator(after nameEnd: Int) -> Separator? {
        let closed = input.skip("\\\"']", from: nameEnd)
        let keyQuote = input[nameEnd, closed].filter { $0 != Ascii.closeBracket }
        let place = input.skip(" \t", from: closed)
        switch input[place] {
        case Ascii.colon where input[place + 1] != Ascii.colon:
            let blanks: ByteSet = depth > 0 || !keyQuote.isEmpty ? " \t\r\n" : " \t"
            let start = input.skip(blanks, from: place + 1)
            return Separator(kind: .colon, keyQuote: keyQuote, valueStart: start)
        case Ascii.equals where input[place + 1] != Ascii.equals:
            let length = input[place + 1] == UInt8(ascii: ">") ? 2 : 1
            let start = input.skip(" \t", from: place + length)
            return Separator(kind: .equals, keyQuote: keyQuote, valueStart: start)
        default:
            return nil
        }
    }

    private func secret(_ word: Range<Int>, _ separator: Separator) -> Secret? {
        let isParameter = input.isOne(of: "&?", at: word.lowerBound - 1)
        let name = name(input[word.lowerBound, word.upperBound])
        if let secret = secret(name, isParameter: isParameter) { return secret }
        // A name of two words: "API key: …".
        guard let lastWord, input[word.lowerBound - 1] == Ascii.space, lastWord.upperBound == word.lowerBound - 1,
            scanner.names.isPhrase(self.name(input[lastWord.lowerBound, lastWord.upperBound]), name)
        else { return nil }
        return .key
    }

    func secret(_ name: String, isParameter: Bool = false) -> Secret? {
        switch scanner.names.verdict(onKey: name, isParameter: isParameter) {
        case .secret: scanner.names.isListed(header: name) ? .header : .key
        case .plural: .plural
        case .harmless: scanner.names.isListed(header: name) ? .header : nil
        }
    }

    /// A name without JSON escapes. Of a very long one only the end is read.
    private func name(_ bytes: ArraySlice<UInt8>) -> String {
        let end = bytes.suffix(512)
        return String(
            decoding: end.contains(Ascii.backslash) ? LenientJsonString.decoded(end) : Array(end), as: UTF8.self)
    }
}
