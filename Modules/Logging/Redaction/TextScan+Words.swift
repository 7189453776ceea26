extension TextScan {
    /// What a name says about the value behind it.
    enum Secret {
        case key
        /// A header's value takes the rest of the line.
        case header
        /// A number is no secret, since it counts.
        case plural
    }

    /// What stands between a name and its value.
    struct Separator {
        enum Kind { case colon, equals, comma }

        let kind: Kind
        /// The quote that the name ended with, with the backslashes before it; empty without one.
        let keyQuote: [UInt8]
        let valueStart: Int
    }

    mutating func scanWord() {
        let start = position
        var end = start
        while end < input.count {
            if Ascii.isName(input[end]) { end += 1 } else if isEscapedCharacter(at: end) { end += 6 } else { break }
        }
        defer { lastWord = start..<end }
        if input[end...].starts(with: "://".utf8) {
            let stop = input[end...].firstIndex { $0 <= Ascii.space || "\"<>`\\".utf8.contains($0) } ?? input.count
            replace(to: stop, by: scanner.url(Array(input[start..<stop])))
        } else if let separator = separator(after: end), let secret = secret(start..<end, separator) {
            copy(to: separator.valueStart)
            maskValue(after: separator, secret)
        } else if !maskCredentials(start..<end), !maskMultipartField(start..<end) {
            let isEncoded = Percent.decoded(input[start..<end], plusIsSpace: false).count < end - start
            guard isEncoded else { return copy(to: end) }
            let stop = input[end...].firstIndex { $0 <= Ascii.space || "&;\"<>".utf8.contains($0) } ?? input.count
            if let masked = scanner.disguised(input[start..<stop]) {
                replace(to: stop, by: masked)
            } else {
                copy(to: stop)
            }
        }
    }

    private func separator(after nameEnd: Int) -> Separator? {
        let closed = skip("\\\"']".utf8, from: nameEnd)
        let keyQuote = input[nameEnd..<closed].filter { $0 != Ascii.closeBracket }
        let place = skip(" \t".utf8, from: closed)
        guard place < input.count else { return nil }
        let next = place + 1 < input.count ? input[place + 1] : 0
        switch input[place] {
        case Ascii.colon where next != Ascii.colon:
            let blanks = depth > 0 || !keyQuote.isEmpty ? " \t\r\n" : " \t"
            return Separator(kind: .colon, keyQuote: keyQuote, valueStart: skip(blanks.utf8, from: place + 1))
        case Ascii.equals where next != Ascii.equals:
            let length = next == UInt8(ascii: ">") ? 2 : 1
            return Separator(kind: .equals, keyQuote: keyQuote, valueStart: skip(" \t".utf8, from: place + length))
        case Ascii.comma where !keyQuote.isEmpty && depth == 0:
            // A printed tuple or field: ("Cookie", "…"), (name: "Cookie", value: "…").
            var start = skip(" ".utf8, from: place + 1)
            if input[start...].starts(with: "value:".utf8) { start = skip(" ".utf8, from: start + 6) }
            guard input[start...].starts(with: keyQuote) else { return nil }
            return Separator(kind: .comma, keyQuote: keyQuote, valueStart: start)
        default:
            return nil
        }
    }

    private func secret(_ word: Range<Int>, _ separator: Separator) -> Secret? {
        let before = word.lowerBound > 0 ? input[word.lowerBound - 1] : Ascii.space
        let isParameter = before == Ascii.ampersand || before == Ascii.question
        let name = name(input[word])
        if let secret = secret(name, isParameter: isParameter) { return secret }
        // A name of two words: "API key: …".
        guard let lastWord, before == Ascii.space, lastWord.upperBound == word.lowerBound - 1,
            scanner.names.isPhrase(self.name(input[lastWord]), name)
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

    /// A name without percent and JSON escapes. Of a very long one the end is enough.
    private func name(_ bytes: ArraySlice<UInt8>) -> String {
        let end = Array(bytes.suffix(128))
        let plain = end.contains(Ascii.backslash) ? LenientJsonString.decoded(end[...]) : end
        return String(decoding: Percent.decoded(plain[...], plusIsSpace: false), as: UTF8.self)
    }
}
