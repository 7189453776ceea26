extension TextScan {
    /// Masks credentials that show themselves: behind the name of their scheme, or by their form.
    mutating func maskCredentials(_ word: Range<Int>) -> Bool {
        if isWebToken(input[word]) {
            replace(to: word.upperBound, by: Ascii.mask)
            return true
        }
        guard word.count <= 9 else { return false }
        let scheme = String(decoding: input[word], as: UTF8.self).lowercased()
        guard ["bearer", "basic", "negotiate", "ntlm", "token", "apikey"].contains(scheme) else { return false }
        let start = skip(" \t".utf8, from: word.upperBound)
        guard start > word.upperBound, start < input.count else { return false }
        let end = input[start...].firstIndex { $0 <= Ascii.space || "\"',;<>\\)".utf8.contains($0) } ?? input.count
        guard isCredential(input[start..<end], of: scheme) else { return false }
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
        default:
            return token.count >= 16 && token.contains(where: Ascii.isDigit)
        }
    }

    /// A JSON Web Token (RFC 7519): three base64url parts, the first of which begins an object.
    private func isWebToken(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= 20 && word.starts(with: "eyJ".utf8) && word.count { $0 == Ascii.dot } >= 2
    }

    /// Masks the body of a multipart field with a secret name: `Content-Disposition: form-data; name="password"`, a
    /// blank line, the value, up to the next boundary.
    mutating func maskMultipartField(_ word: Range<Int>) -> Bool {
        guard word.count == 9, input[word].elementsEqual("form-data".utf8) else { return false }
        let line = input[word.upperBound...].prefix(512).prefix { $0 != Ascii.newline }
        guard let label = firstIndex(of: " name=", in: line) ?? firstIndex(of: ";name=", in: line) else { return false }
        let quoted = line[(label + 6)...].drop { $0 == Ascii.quote }
        let value = quoted.prefix { $0 != Ascii.quote && $0 != Ascii.semicolon }
        let name = String(decoding: Percent.decoded(value, plusIsSpace: false), as: UTF8.self)
        let verdict = scanner.names.verdict(onKey: name, isParameter: true)
        let rest = input[line.endIndex...]
        let blank = firstIndex(of: "\n\r\n", in: rest).map { $0 + 3 }
        let bareBlank = firstIndex(of: "\n\n", in: rest).map { $0 + 2 }
        guard verdict != .harmless, let start = [blank, bareBlank].compactMap({ $0 }).min() else { return false }
        copy(to: start)
        let boundary = firstIndex(of: "\n--", in: input[max(start - 1, 0)...]) ?? input.count
        let end = boundary > start && input[boundary - 1] == Ascii.carriageReturn ? boundary - 1 : boundary
        if end > start { replace(to: end, by: Ascii.mask) }
        return true
    }

    private func firstIndex(of text: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let first = text.utf8.first
        var index = bytes.startIndex
        while let found = bytes[index...].firstIndex(where: { $0 == first }) {
            if bytes[found...].starts(with: text.utf8) { return found }
            index = found + 1
        }
        return nil
    }
}
