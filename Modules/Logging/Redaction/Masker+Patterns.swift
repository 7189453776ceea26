extension Masker {
    /// Masks what shows itself in any text: PEM blocks, URLs with a scheme, JSON Web Tokens, and credentials after the
    /// name of their scheme (`Bearer …`).
    func patterns(_ text: [UInt8]) -> [UInt8] {
        let urlEnds: ByteSet = "\"<>`\\"
        var rest = PrivateKeyBlock.masked(text)[...]
        var output: [UInt8] = []
        while !rest.isEmpty {
            output += rest.take { !Ascii.isWord($0) }
            let word = rest.prefix(while: Ascii.isWord)
            let after = rest[word.endIndex...]
            if after.starts(with: "://".utf8) {
                output += url(Array(rest.take { !Ascii.isBlank($0) && !urlEnds.contains($0) }))
            } else if let credentials = credentials(of: word, in: after) {
                output += rest[..<credentials.startIndex] + Ascii.mask
                rest = rest[credentials.endIndex...]
            } else {
                output += WebToken.masked(word)?[...] ?? word
                rest = after
            }
        }
        return output
    }

    /// The credentials after the name of their scheme (RFC 9110, section 11.4); nil for none.
    private func credentials(of scheme: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let schemes = ["bearer", "basic", "negotiate", "ntlm"]
        let isScheme = schemes.contains { $0.utf8.count == scheme.count && Ascii.hasWord($0, at: scheme) }
        guard isScheme, text.first == " " || text.first == "\t" else { return nil }
        let rest = text.drop { $0 == " " || $0 == "\t" }
        return scheme.count == "bearer".utf8.count ? bearerToken(at: rest) : base64(at: rest)
    }

    /// The token at the start of `text`; nil for a word, as in "bearer token", and for a parameter of a challenge (RFC
    /// 6750, section 3).
    private func bearerToken(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let ends: ByteSet = "\"',;<>\\)"
        let token = text.prefix { !Ascii.isBlank($0) && !ends.contains($0) }
        let word = String(decoding: token, as: UTF8.self).lowercased()
        let words = ["", "***", "token", "tokens", "auth", "authentication", "authorization", "scheme"]
        let parameters = ["realm=", "error=", "error_", "scope=", "resource_metadata="]
        return words.contains(word) || parameters.contains(where: word.hasPrefix) ? nil : token
    }

    /// The base64 at the start of `text` (RFC 7617, RFC 4559); nil for a word of a sentence.
    private func base64(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let digits = text.prefix { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == "+" || $0 == "/" }
        let isWord = digits.dropFirst().allSatisfy { Ascii.isLetter($0) && $0 | 0x20 == $0 }
        let padding = text[digits.endIndex...].prefix { $0 == "=" }
        guard digits.count + padding.count >= 8, !isWord else { return nil }
        // It may be base64url or a web token, which continue.
        return text[..<text[padding.endIndex...].prefix(while: Ascii.isWord).endIndex]
    }
}

/// JSON Web Tokens (RFC 7519): base64url parts separated by dots, the first of which begins an object.
enum WebToken {
    /// A text with fewer bytes is no token.
    private static let shortest = 20

    /// `text` with the tokens in it masked; nil when it holds none.
    static func masked(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count >= shortest else { return nil }
        var output: [UInt8] = []
        var rest = text
        var before: UInt8 = 0
        var isMasked = false
        while let byte = rest.first {
            let isInWord = Ascii.isLetter(before) || Ascii.isDigit(before)
            let isStart = byte == "e" && !isInWord && rest.starts(with: "eyJ".utf8)
            let token = rest.take(isStart ? rest.prefix { Ascii.isWord($0) && $0 != "+" }.count : 1)
            let isToken = token.count >= shortest && token.contains(UInt8(ascii: "."))
            output += isToken ? Ascii.mask[...] : token
            isMasked = isMasked || isToken
            before = token.last ?? 0
        }
        return isMasked ? output : nil
    }
}

/// Private keys of PEM (RFC 7468) in a text: `-----BEGIN PRIVATE KEY-----`, base64, `-----END PRIVATE KEY-----`. Also
/// messages of PGP.
enum PrivateKeyBlock {
    /// `text` with the contents of the blocks masked; a block that is cut off is masked to the text's end.
    static func masked(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = text[...]
        while let header = marker("BEGIN", in: rest) {
            let label = rest[header.upperBound...].prefix(64).prefix { $0 != "-" && $0 != "\n" }
            let content = rest[label.endIndex...].drop { $0 == "-" }
            output += rest[..<content.startIndex]
            rest = content
            let name = String(decoding: label, as: UTF8.self).uppercased()
            let isSecret = name.contains("KEY") && !name.contains("PUBLIC") || name.contains("PGP MESSAGE")
            guard isSecret, content.startIndex > label.endIndex else { continue }
            output += Ascii.mask
            rest = rest[(marker("END", in: rest)?.lowerBound ?? rest.endIndex)...]
        }
        return output.isEmpty ? text : output + rest
    }

    /// The first `word` after four dashes, or four dashes and a space (RFC 4716); the range includes the dashes.
    private static func marker(_ word: String, in text: ArraySlice<UInt8>) -> Range<Int>? {
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[start...].drop { $0 == "-" }
            let place = rest.first == " " ? rest.dropFirst() : rest
            if rest.startIndex - start >= 4, place.starts(with: word.utf8) {
                return start..<(place.startIndex + word.utf8.count)
            }
        }
        return nil
    }
}
