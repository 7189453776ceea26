import NodeCore

extension Masker {
    /// A URL with its user info, secret parameters and JSON Web Tokens masked.
    ///
    /// - Parameter isCertain: false for a text that may be something else, which has user info only after a scheme.
    func url(_ text: [UInt8], isCertain: Bool = true) -> [UInt8] {
        let scheme = schemeLength(of: text)
        var rest = text.dropFirst(scheme)
        var output = Array(text.prefix(scheme))
        if isCertain || scheme > 0, let length = userInfoLength(of: rest, hasScheme: scheme > 0) {
            output += Ascii.mask
            rest = rest.dropFirst(length)
        }
        let path = rest.prefix { $0 != Ascii.question && $0 != Ascii.hash }
        var secrets = PathSecrets()
        for (delimiter, piece) in pieces(of: path, from: "/;&") {
            output += delimiter
            let isParameter = piece.contains(Ascii.equals) || delimiter.contains { $0 != Ascii.slash }
            output += isParameter ? parameter(piece) : secrets.masked(piece) ?? segment(piece)
        }
        let query = rest.dropFirst(path.count)
        output += query.prefix(1)
        for (delimiter, piece) in pieces(of: query.dropFirst(), from: "&#") {
            output += delimiter + parameter(piece)
        }
        return output
    }

    /// A form or a bare query with its secret fields masked.
    func form(_ text: [UInt8]) -> [UInt8] {
        let fields = text.split(separator: Ascii.ampersand, omittingEmptySubsequences: false)
        return Array(fields.map(parameter).joined(separator: [Ascii.ampersand]))
    }

    /// `text` cut at `delimiters`: each piece with the delimiter before it; the first may have none.
    private func pieces(
        of text: ArraySlice<UInt8>, from delimiters: ByteSet
    ) -> [(delimiter: ArraySlice<UInt8>, piece: ArraySlice<UInt8>)] {
        var pieces: [(delimiter: ArraySlice<UInt8>, piece: ArraySlice<UInt8>)] = []
        var rest = text
        while !rest.isEmpty {
            let delimiter = rest.prefix(1).prefix(while: delimiters.contains)
            let piece = rest.dropFirst(delimiter.count).prefix { !delimiters.contains($0) }
            pieces.append((delimiter, piece))
            rest = rest.dropFirst(delimiter.count + piece.count)
        }
        return pieces
    }

    /// A segment of a path: only a recognizable credential is masked in it, or those of an encoded text, such as a URL.
    private func segment(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let plain = Percent.plain(text)
        if plain.elementsEqual(text) { return WebToken.masked(text) ?? plain }
        return inside(plain).map(Percent.encoded) ?? Array(text)
    }

    /// `name=value`, the value masked when the name is secret. Without a name it is any text.
    private func parameter(_ field: ArraySlice<UInt8>) -> [UInt8] {
        let label = field.prefix { $0 != Ascii.equals }
        if label.count == field.count { return disguised(field) ?? Array(field) }
        let value = field.dropFirst(label.count + 1)
        // A fragment may contain a path with a query: #/callback?code=…
        let last = label.split(separator: Ascii.question).last ?? label
        let isShown = [label, last].allSatisfy { label in
            let name = String(decoding: Percent.decoded(label, plusIsSpace: true), as: UTF8.self)
            return !names.isSecret(key: name, isParameter: true, isNumber: value.allSatisfy(Ascii.isDigit))
        }
        let maskedLabel = disguised(label)
        let masked = isShown && maskedLabel == nil ? disguised(value) ?? Array(value) : Ascii.mask
        return (maskedLabel ?? Array(label)) + [Ascii.equals] + (value.isEmpty ? [] : masked)
    }

    /// A percent-encoded text, decoded, masked and encoded again; nil when it holds no secret.
    private func disguised(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        inside(Percent.decoded(text, plusIsSpace: true)).map(Percent.encoded)
    }

    /// How many bytes of `text` are `scheme://` or `//`.
    private func schemeLength(of text: [UInt8]) -> Int {
        let delimiters: ByteSet = ":/?#\\&;="
        let scheme = text.prefix { !delimiters.contains($0) }
        let behind = text.dropFirst(scheme.count)
        if behind.starts(with: "://".utf8) { return scheme.count + 3 }
        return text.starts(with: "//".utf8) ? 2 : 0
    }

    /// How many bytes at the start of `text`, after a URL's scheme, are user info, without its `@` (RFC 3986, section
    /// 3.2.1).
    private func userInfoLength(of text: ArraySlice<UInt8>, hasScheme: Bool) -> Int? {
        let delimiters: ByteSet = "/?#\\"
        let authority = text.prefix { !delimiters.contains($0) }
        let host = authority.prefix { $0 != Ascii.colon }
        // Without a scheme only `user:password@host` shows that this is no path and no mail address.
        let isOther = ["mailto:", "data:", "urn:"].contains { text.starts(with: $0.utf8) }
        if !hasScheme, isOther || host.count == authority.count { return nil }
        if let at = authority.lastIndex(of: Ascii.at) {
            let userInfo = authority.prefix(upTo: at)
            return hasScheme || userInfo.contains(Ascii.colon) ? userInfo.count : nil
        }
        // An invalid port is the beginning of a password that contains a delimiter.
        let port = authority.dropFirst(host.count + 1)
        if authority.first == Ascii.openBracket || port.allSatisfy(Ascii.isDigit) { return nil }
        return text.lastIndex(of: Ascii.at).map { text.prefix(upTo: $0).count }
    }
}

extension Percent {
    /// All but unreserved characters and the mask's are encoded.
    fileprivate static func encoded(_ text: [UInt8]) -> [UInt8] {
        let plain: ByteSet = "-._~*"
        var output: [UInt8] = []
        for byte in text {
            if Ascii.isLetter(byte) || Ascii.isDigit(byte) || plain.contains(byte) {
                output.append(byte)
            } else {
                append(byte, to: &output)
            }
        }
        return output
    }
}

/// The segments of a path that are secrets by their place: `/reset/token/…`, and the webhooks of Slack
/// (`/services/T…/B…/…`), Discord (`/webhooks/1…/…`) and Telegram (`/bot1…:…/`).
private struct PathSecrets {
    private static let names = ["token", "tokens", "secret", "secrets", "apikey", "apikeys", "magiclink", "otp"]

    /// The segments so far, in lower case.
    private var former: [String] = []

    /// The next segment, masked; nil when it holds no secret.
    mutating func masked(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
        let text = Percent.decoded(segment, plusIsSpace: false)
        let word = String(decoding: text, as: UTF8.self).lowercased()
        defer { former.append(word) }
        if let colon = text.firstIndex(of: Ascii.colon), Self.isBot(text[..<colon]), colon + 1 < text.count {
            return text[...colon] + Ascii.mask
        }
        let last = former.last ?? ""
        let name = SecretNames.words(last).joined()
        if Self.names.contains(where: name.hasSuffix), Self.isCredential(text[...]) { return Ascii.mask }
        let before = former.dropLast().suffix(2)
        let isSlack = before.first == "services" && before.last?.first == "t" && last.first == "b"
        let isDiscord = before.last == "webhooks" && !last.isEmpty && last.utf8.allSatisfy(Ascii.isDigit)
        return (isSlack || isDiscord) && !text.isEmpty ? Ascii.mask : nil
    }

    /// Whether this is the name of a bot in a URL of Telegram.
    private static func isBot(_ text: ArraySlice<UInt8>) -> Bool {
        let number = text.dropFirst(3)
        return Ascii.hasWord("bot", at: text) && !number.isEmpty && number.allSatisfy(Ascii.isDigit)
    }

    /// Whether this is no plain word, such as the action of `/token/revoke`, and no number.
    private static func isCredential(_ text: ArraySlice<UInt8>) -> Bool {
        let isWord = text.allSatisfy {
            Ascii.isLetter($0) && $0 | 0x20 == $0 || $0 == Ascii.dash || $0 == UInt8(ascii: "_")
        }
        return !text.allSatisfy(Ascii.isDigit) && (!isWord || text.count >= 24)
    }
}
