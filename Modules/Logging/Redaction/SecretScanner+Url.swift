extension SecretScanner {
    /// A URL with its user info and secret parameters masked.
    func url(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        if let userInfo = userInfo(of: text) {
            output += text[..<userInfo.lowerBound] + Ascii.mask
            position = userInfo.upperBound
        }
        var isInPath = true
        while position < text.count {
            let delimiter = text[position]
            output.append(delimiter)
            position += 1
            guard "?#&;".utf8.contains(delimiter) else { continue }
            if delimiter == Ascii.question || delimiter == Ascii.hash { isInPath = false }
            let ends = isInPath ? "?#&;/" : "&#"
            let end = text[position...].firstIndex { ends.utf8.contains($0) } ?? text.count
            output += parameter(text[position..<end])
            position = end
        }
        return output
    }

    /// A form or a bare query with its secret fields masked.
    func form(_ text: [UInt8]) -> [UInt8] {
        let fields = text.split(separator: Ascii.ampersand, omittingEmptySubsequences: false)
        return Array(fields.map(parameter).joined(separator: [Ascii.ampersand]))
    }

    /// `name=value`, the value masked when the name says so. Without a name it is any text.
    private func parameter(_ field: ArraySlice<UInt8>) -> [UInt8] {
        guard let equals = field.firstIndex(of: Ascii.equals) else { return disguised(field) ?? Array(field) }
        let value = field[(equals + 1)...]
        let name = String(decoding: Percent.decoded(field[..<equals], plusIsSpace: true), as: UTF8.self)
        let isShown =
            switch names.verdict(onKey: name, isParameter: true) {
            case .harmless: !names.isListed(header: name)
            case .secret: false
            case .plural: value.allSatisfy(Ascii.isDigit)
            }
        let masked = value.isEmpty ? [] : isShown ? disguised(value) ?? Array(value) : Ascii.mask
        return field[...equals] + masked
    }

    /// A percent-encoded text masked and encoded again; nil when it holds no secret.
    func disguised(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        maskedInside(Percent.decoded(text, plusIsSpace: true)).map(Percent.encoded)
    }

    /// Where the user info stands, without its `@` (RFC 3986, section 3.2.1).
    private func userInfo(of text: [UInt8]) -> Range<Int>? {
        let delimiters = "/?#\\".utf8
        let start: Int
        if let colon = text.firstIndex(of: Ascii.colon), text[colon...].starts(with: "://".utf8),
            !text[..<colon].contains(where: delimiters.contains)
        {
            start = colon + 3
        } else if text.starts(with: "//".utf8) {
            start = 2
        } else {
            start = 0
        }
        let end = text[start...].firstIndex(where: delimiters.contains) ?? text.count
        let authority = text[start..<end]
        if start == 0 {
            // Without a scheme only `user:password@host` shows that this is no path and no mail address.
            guard let at = authority.lastIndex(of: Ascii.at), authority[..<at].contains(Ascii.colon),
                !text.starts(with: "mailto:".utf8)
            else { return nil }
            return 0..<at
        }
        if let at = authority.lastIndex(of: Ascii.at) { return start..<at }
        // What looks like a port and is no number is the beginning of a password with a delimiter in it.
        guard authority.first != Ascii.openBracket, let colon = authority.firstIndex(of: Ascii.colon),
            !authority[(colon + 1)...].allSatisfy(Ascii.isDigit), let at = text.lastIndex(of: Ascii.at)
        else { return nil }
        return start..<at
    }
}

extension Percent {
    /// All but unreserved characters and the mask's are encoded.
    fileprivate static func encoded(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for byte in text {
            if Ascii.isLetter(byte) || Ascii.isDigit(byte) || "-._~*".utf8.contains(byte) {
                output.append(byte)
            } else {
                append(byte, to: &output)
            }
        }
        return output
    }
}
