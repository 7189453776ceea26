extension Masker {
    /// Masks what shows itself in any text: PEM blocks, URLs with a scheme, JSON Web Tokens, and credentials after the
    /// name of their scheme (`Bearer …`).
    func patterns(_ text: [UInt8]) -> [UInt8] {
        let input = Bytes(PrivateKeyBlock.masked(text))
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        func replace(_ range: Range<Int>, by replacement: [UInt8]) {
            output += input[copied, range.lowerBound] + replacement
            copied = range.upperBound
            index = range.upperBound
        }
        while let byte = input[index] {
            guard Ascii.isWord(byte) else {
                index += 1
                continue
            }
            let start = index
            index = input.firstIndex(from: start) { !Ascii.isWord($0) }
            if input.hasText("://", at: index) {
                let ends: ByteSet = "\"<>`\\"
                let end = input.firstIndex(from: index) { $0 <= Ascii.space || ends.contains($0) }
                replace(start..<end, by: url(Array(input[start, end])))
            } else if let masked = WebToken.masked(input[start, index]) {
                replace(start..<index, by: masked)
            } else if let credentials = Credentials.range(after: start..<index, in: input) {
                replace(credentials, by: Ascii.mask)
            }
        }
        return output + input.from(copied)
    }
}

/// Credentials after the name of their scheme (RFC 9110, section 11.4), in any text.
private enum Credentials {
    static func range(after word: Range<Int>, in input: Bytes) -> Range<Int>? {
        guard word.count <= 9 else { return nil }
        let scheme = String(decoding: input[word.lowerBound, word.upperBound], as: UTF8.self).lowercased()
        guard ["bearer", "basic", "negotiate", "ntlm"].contains(scheme) else { return nil }
        let start = input.skip(" \t", from: word.upperBound)
        let ends: ByteSet = "\"',;<>\\)"
        let end = input.firstIndex(from: start) { $0 <= Ascii.space || ends.contains($0) }
        let token = input[start, end]
        guard start > word.upperBound, !token.isEmpty, !token.elementsEqual(Ascii.mask) else { return nil }
        return (scheme == "bearer" ? isBearerToken(token) : isBase64(token)) ? start..<end : nil
    }

    /// Whether it is neither a word, as in "bearer token", nor a parameter of a challenge (RFC 6750, section 3).
    private static func isBearerToken(_ token: ArraySlice<UInt8>) -> Bool {
        let word = String(decoding: token, as: UTF8.self).lowercased()
        let isProse = ["token", "tokens", "auth", "authentication", "authorization", "scheme"].contains(word)
        return !isProse
            && !["realm=", "error=", "error_", "scope=", "resource_metadata="].contains { word.hasPrefix($0) }
    }

    /// Whether it is base64 (RFC 7617, RFC 4559), and not a word of a sentence.
    private static func isBase64(_ token: ArraySlice<UInt8>) -> Bool {
        let digits = token.prefix { $0 != Ascii.equals }
        let isWord = digits.dropFirst().allSatisfy { Ascii.isLetter($0) && $0 | 0x20 == $0 }
        return token.count >= 8 && !isWord && token.dropFirst(digits.count).allSatisfy { $0 == Ascii.equals }
            && digits.allSatisfy { Ascii.isLetter($0) || Ascii.isDigit($0) || $0 == Ascii.plus || $0 == Ascii.slash }
    }
}

/// JSON Web Tokens (RFC 7519): base64url parts separated by dots, the first of which begins an object.
enum WebToken {
    /// `text` with the tokens in it masked; nil when it holds none.
    static func masked(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        var rest = text
        var before: UInt8 = Ascii.space
        var isMasked = false
        while let byte = rest.first {
            let isInWord = Ascii.isLetter(before) || Ascii.isDigit(before)
            let token = !isInWord && rest.starts(with: "eyJ".utf8) ? rest.prefix(while: isPart) : rest.prefix(1)
            let isToken = token.count >= 20 && token.contains(Ascii.dot)
            output += isToken ? Ascii.mask[...] : token
            isMasked = isMasked || isToken
            before = token.last ?? byte
            rest = rest.dropFirst(token.count)
        }
        return isMasked ? output : nil
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        Ascii.isLetter(byte) || Ascii.isDigit(byte) || byte == Ascii.dash || byte == Ascii.dot
            || byte == UInt8(ascii: "_")
    }
}

/// Blocks of PEM (RFC 7468) in a text: `-----BEGIN PRIVATE KEY-----`, base64, `-----END PRIVATE KEY-----`.
enum PrivateKeyBlock {
    /// Words in the labels of blocks that are no secrets. Any other block is masked.
    private static let shown = ["CERTIFICATE", "PUBLIC KEY", "PARAMETERS", "CRL"]

    /// `text` with the contents of the blocks masked; a block that is cut off is masked to the text's end.
    static func masked(_ text: [UInt8]) -> [UInt8] {
        let input = Bytes(text)
        var output: [UInt8] = []
        var copied = 0
        var index = 0
        while let header = marker("BEGIN", in: input, from: index) {
            let label = input.from(header.upperBound).prefix(64).prefix { $0 != Ascii.dash && $0 != Ascii.newline }
            let content = input.skip("-", from: header.upperBound + label.count)
            index = content
            let name = String(decoding: label, as: UTF8.self)
            if content == header.upperBound + label.count || shown.contains(where: name.contains) { continue }
            let isSpaced = input[header.upperBound - "BEGIN".utf8.count - 1] == Ascii.space
            guard isLabel(label, isSpaced: isSpaced) else { continue }
            let footer = marker("END", in: input, from: content)
            index = footer?.upperBound ?? input.count
            output += input[copied, content] + Ascii.mask
            copied = footer?.lowerBound ?? input.count
        }
        return copied == 0 ? text : output + input.from(copied)
    }

    /// Whether it is a label and not prose: it contains `key`, or begins with a capital, as `PGP MESSAGE` does. Where a
    /// space follows the dashes (RFC 4716), all of its letters are capitals.
    private static func isLabel(_ label: ArraySlice<UInt8>, isSpaced: Bool) -> Bool {
        if String(decoding: label, as: UTF8.self).uppercased().contains("KEY") { return true }
        let letters = label.filter(Ascii.isLetter)
        let isCapital = { (letter: UInt8) in letter & 0x20 == 0 }
        return isSpaced ? !letters.isEmpty && letters.allSatisfy(isCapital) : letters.first.map(isCapital) ?? false
    }

    /// The first `word` from `start` on after four dashes, or four dashes and a space; the range includes the dashes.
    private static func marker(_ word: String, in input: Bytes, from start: Int) -> Range<Int>? {
        var index = start
        while index < input.count {
            let dash = input.firstIndex(from: index) { $0 == Ascii.dash }
            index = max(input.skip("-", from: dash), index + 1)
            let place = input[index] == Ascii.space ? index + 1 : index
            if index - dash >= 4, input.hasText(word, at: place) { return dash..<(place + word.utf8.count) }
        }
        return nil
    }
}
