import NodeCore

extension SecretScanner {
    /// A URL with its user info, secret parameters and JSON Web Tokens masked.
    func url(_ text: [UInt8]) -> [UInt8] {
        let scheme = schemeLength(of: text)
        var rest = text.dropFirst(scheme)
        var output = Array(text.prefix(scheme))
        if let length = userInfoLength(of: rest, hasScheme: scheme > 0) {
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

    /// A segment of a path: only a recognizable credential is masked in it.
    private func segment(_ text: ArraySlice<UInt8>) -> [UInt8] {
        WebToken.masked(Percent.plain(text)[...]).map(Percent.encoded) ?? Array(text)
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
            return switch names.verdict(onKey: name, isParameter: true) {
            case .harmless: !names.isListed(header: name)
            case .secret: false
            case .plural: value.allSatisfy(Ascii.isDigit)
            }
        }
        let maskedLabel = disguised(label)
        let masked = isShown && maskedLabel == nil ? disguised(value) ?? Array(value) : Ascii.mask
        return (maskedLabel ?? Array(label)) + [Ascii.equals] + (value.isEmpty ? [] : masked)
    }

    /// A percent-encoded text, decoded, masked and encoded again; nil when it holds no secret.
    func disguised(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        maskedInside(Percent.decoded(text, plusIsSpace: true)).map(Percent.encoded)
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
        let beforeAt = authority.lastIndex(of: Ascii.at).map { authority.prefix(upTo: $0) }
        guard hasScheme else {
            // Without a scheme only `user:password@host` shows that this is no path and no mail address.
            guard authority.contains(Ascii.colon),
                !["mailto:", "data:", "urn:"].contains(where: { text.starts(with: $0.utf8) })
            else { return nil }
            if let beforeAt { return beforeAt.contains(Ascii.colon) ? beforeAt.count : nil }
            return lengthOfUserInfo(of: text, authority)
        }
        return beforeAt?.count ?? lengthOfUserInfo(of: text, authority)
    }

    /// The length of user info whose password contains a delimiter.
    private func lengthOfUserInfo(of text: ArraySlice<UInt8>, _ authority: ArraySlice<UInt8>) -> Int? {
        // An invalid port is the beginning of a password that contains a delimiter.
        let host = authority.prefix { $0 != Ascii.colon }
        guard authority.first != Ascii.openBracket, !authority.dropFirst(host.count + 1).allSatisfy(Ascii.isDigit)
        else { return nil }
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
