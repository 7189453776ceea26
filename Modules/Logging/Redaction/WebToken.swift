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
