extension TextScan {
    /// Masks credentials after the name of their scheme.
    mutating func maskCredentials(_ word: Range<Int>) -> Bool {
        guard word.count <= 9 else { return false }
        let scheme = String(decoding: input[word.lowerBound, word.upperBound], as: UTF8.self).lowercased()
        guard ["bearer", "basic", "negotiate", "ntlm", "kerberos", "token", "apikey"].contains(scheme) else {
            return false
        }
        let start = input.skip(" \t", from: word.upperBound)
        guard start > word.upperBound else { return false }
        let ends: ByteSet = "\"',;<>\\)"
        let end = input.firstIndex(from: start) { $0 <= Ascii.space || ends.contains($0) }
        guard isCredential(input[start, end], of: scheme) else { return false }
        copy(to: start)
        replace(to: end, by: Ascii.mask)
        return true
    }

    private func isCredential(_ token: ArraySlice<UInt8>, of scheme: String) -> Bool {
        if token.isEmpty || token.elementsEqual(Ascii.mask) { return false }
        switch scheme {
        case "bearer":
            // "bearer token", and a challenge (RFC 6750, section 3) as `Bearer realm="…"`.
            let word = String(decoding: token, as: UTF8.self).lowercased()
            let isProse = ["token", "tokens", "auth", "authentication", "authorization", "scheme"].contains(word)
            let isChallenge = ["realm=", "error=", "error_", "scope=", "resource_metadata="].contains {
                word.hasPrefix($0)
            }
            return !isProse && !isChallenge
        case "basic":
            return Base64.decoded(token)?.contains(Ascii.colon) ?? false
        case "negotiate", "ntlm", "kerberos":
            // Base64 (RFC 4559, section 4.1), and not a word of a sentence.
            let isWord = token.dropFirst().allSatisfy { Ascii.isLetter($0) && $0 | 0x20 == $0 }
            return token.count >= 8 && !isWord && Base64.decoded(token) != nil
        default:
            return token.count >= 16 && token.contains(where: Ascii.isDigit)
        }
    }
}
