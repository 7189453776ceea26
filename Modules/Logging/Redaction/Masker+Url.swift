import NodeCore

extension Masker {
    /// A URL with its user info, secret parameters and JSON Web Tokens masked.
    ///
    /// - Parameter isCertain: false for a text that may be something else, which has user info only after a scheme.
    func url(_ text: [UInt8], isCertain: Bool = true) -> [UInt8] {
        var rest = text[...]
        var output: [UInt8] = []
        let scheme = rest.prefix(schemeLength(of: text))
        let afterScheme = rest.dropFirst(scheme.count)
        if isCertain || !scheme.isEmpty,
            let length = userInfoLength(of: afterScheme, hasScheme: !scheme.isEmpty)
        {
            output = scheme + Ascii.mask
            rest = afterScheme.dropFirst(length)
        }
        var delimiters: ByteSet = "/;&?#"
        var isPath = true
        var path: [String] = []
        while let first = rest.first {
            let delimiter = rest.take(delimiters.contains(first) ? 1 : 0)
            if isPath, first == "?" || first == "#" {
                delimiters = "&#"
                isPath = false
            }
            let piece = rest.take { !delimiters.contains($0) }
            let isSegment = isPath && delimiter.allSatisfy { $0 == "/" } && !piece.contains(UInt8(ascii: "="))
            output += delimiter + (isSegment ? segment(piece, after: &path) : parameter(piece))
        }
        return output
    }

    /// A form or a bare query with its secret fields masked.
    func form(_ text: [UInt8]) -> [UInt8] {
        let fields = text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        return Array(fields.map(parameter).joined(separator: "&".utf8))
    }

    /// A segment of a path. Some are secrets by their place: `/reset/token/…`, and the webhooks of Slack
    /// (`/services/T…/B…/…`), Discord (`/webhooks/1…/…`) and Telegram (`/bot1…:…/`). In others only a recognizable
    /// credential is masked, or those of an encoded text, such as a URL.
    ///
    /// - Parameter path: the segments before this one, in lower case; this one is added.
    private func segment(_ segment: ArraySlice<UInt8>, after path: inout [String]) -> [UInt8] {
        let text = Percent.decoded(segment, plusIsSpace: false)
        let before = Array(path.suffix(3))
        path.append(String(decoding: text, as: UTF8.self).lowercased())
        let last = before.last ?? ""
        let bot = text.prefix { $0 != ":" }
        if Self.isBot(bot), bot.count + 1 < text.count { return bot + ":".utf8 + Ascii.mask }
        let isSlack = before.first == "services" && before.count == 3 && before[1].first == "t" && last.first == "b"
        let isDiscord =
            before.dropLast().last == "webhooks" && !last.isEmpty && last.utf8.allSatisfy(Ascii.isDigit)
        if isSlack || isDiscord, !text.isEmpty { return Ascii.mask }
        if Self.isCredential(text), Self.isNameOfCredential(last) { return Ascii.mask }
        let plain = Percent.plain(segment)
        if plain.elementsEqual(segment) { return WebToken.masked(segment) ?? plain }
        return inside(plain).map(Percent.encoded) ?? Array(segment)
    }

    /// Whether this is the name of a bot in a URL of Telegram.
    private static func isBot(_ text: ArraySlice<UInt8>) -> Bool {
        text.count > 3 && Ascii.hasWord("bot", at: text) && text.dropFirst(3).allSatisfy(Ascii.isDigit)
    }

    /// Whether this is no plain word, such as the action of `/token/revoke`, and no number.
    private static func isCredential(_ text: [UInt8]) -> Bool {
        let isWord = text.allSatisfy { Ascii.isLetter($0) && $0 | 0x20 == $0 || $0 == "-" || $0 == "_" }
        return !text.allSatisfy(Ascii.isDigit) && (!isWord || text.count >= 24)
    }

    private static func isNameOfCredential(_ segment: String) -> Bool {
        let name = SecretNames.words(segment).joined()
        return ["token", "tokens", "secret", "secrets", "apikey", "apikeys", "magiclink", "otp"]
            .contains(where: name.hasSuffix)
    }

    /// `name=value`, the value masked when the name is secret. Without a name it is any text.
    private func parameter(_ field: ArraySlice<UInt8>) -> [UInt8] {
        let label = field.prefix { $0 != "=" }
        if label.count == field.count { return disguised(field) ?? Array(field) }
        let value = field.dropFirst(label.count + 1)
        let isNumber = value.allSatisfy(Ascii.isDigit)
        // A fragment may contain a path with a query: #/callback?code=…
        let last = label.split(separator: UInt8(ascii: "?")).last ?? label
        let isSecret = (last.count < label.count ? [label, last] : [label]).contains { label in
            let name = String(decoding: Percent.decoded(label, plusIsSpace: true), as: UTF8.self)
            return names.isSecret(key: name, isParameter: true, isNumber: isNumber)
        }
        let maskedLabel = disguised(label)
        let maskedValue = isSecret || maskedLabel != nil ? Ascii.mask : disguised(value) ?? Array(value)
        return (maskedLabel ?? Array(label)) + "=".utf8 + (value.isEmpty ? [] : maskedValue)
    }

    /// A percent-encoded text, decoded, masked and encoded again; nil when it holds no secret.
    private func disguised(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        inside(Percent.decoded(text, plusIsSpace: true)).map(Percent.encoded)
    }

    /// How many bytes of `text` are `scheme://`, `//`, or what a typing error makes of them: `https:/`, `https//`,
    /// `https:///`, `http:\\`.
    private func schemeLength(of text: [UInt8]) -> Int {
        let delimiters: ByteSet = ":/?#\\&;="
        let scheme = text.prefix { !delimiters.contains($0) }
        let colon = text[scheme.endIndex...].prefix { $0 == ":" }
        let slashes = text[colon.endIndex...].prefix { $0 == "/" || $0 == "\\" }
        return slashes.count > 1 || !colon.isEmpty && !slashes.isEmpty ? slashes.endIndex : 0
    }

    /// How many bytes at the start of `text`, after a URL's scheme, are user info, without its `@` (RFC 3986, section
    /// 3.2.1).
    private func userInfoLength(of text: ArraySlice<UInt8>, hasScheme: Bool) -> Int? {
        let delimiters: ByteSet = "/?#\\"
        let authority = text.prefix { !delimiters.contains($0) }
        let host = authority.prefix { $0 != ":" }
        // Without a scheme only `user:password@host` shows that this is no path and no mail address.
        let isOther = ["mailto:", "data:", "urn:"].contains { text.starts(with: $0.utf8) }
        if !hasScheme, isOther || host.count == authority.count { return nil }
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
            let userInfo = authority.prefix(upTo: at)
            return hasScheme || userInfo.contains(UInt8(ascii: ":")) ? userInfo.count : nil
        }
        // An invalid port is the beginning of a password that contains a delimiter.
        let port = authority.dropFirst(host.count + 1)
        if authority.first == "[" || port.allSatisfy(Ascii.isDigit) { return nil }
        return text.lastIndex(of: UInt8(ascii: "@")).map { text.prefix(upTo: $0).count }
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
