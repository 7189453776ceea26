/// Masks the secrets of one field, by the rules of ``Redaction``.
///
/// A field may contain another one in encoded form: JSON in a JSON string, a URL in a query value. A masker one level
/// deeper masks the decoded text. It is encoded again only when something in it was masked, so that a field without
/// secrets stays byte for byte.
struct Masker {
    /// Fields, objects and arrays that are nested deeper than this are masked whole.
    private static let deepest = 40

    let names: SecretNames
    private let level: Int

    init(_ names: SecretNames, level: Int = 0) {
        self.names = names
        self.level = level
    }

    func header(_ name: String, _ value: [UInt8]) -> [UInt8] {
        if names.isSecret(header: name) { return Ascii.mask }
        return switch name.lowercased() {
        case "location", "content-location", "referer": url(value)
        case "link": patterns(links(value))
        default: text(value)
        }
    }

    /// The value of `Link` (RFC 8288), whose targets are in angle brackets. A quoted parameter may be a URL, too: `anchor`.
    private func links(_ value: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = value[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            let target = rest[start...].dropFirst().prefix { $0 != ">" }
            output += rest[...start] + url(Array(target))
            rest = rest[target.endIndex...]
        }
        // Quotes may not be balanced, so what is outside of them is treated alike.
        let parts = (output + rest).split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        let brackets: ByteSet = "<>"
        let masked = parts.map { $0.contains(where: brackets.contains) ? Array($0) : text(Array($0)) }
        return Array(masked.joined(separator: "\"".utf8))
    }

    func body(_ body: [UInt8], contentType: String) -> [UInt8] {
        let type = contentType.lowercased().prefix { $0 != ";" }
        if type.hasPrefix("application/x-www-form-urlencoded") { return form(body) }
        if type.contains("json") { return json(body) }
        if type.hasPrefix("multipart/") {
            let boundary = HeaderParameter.values(of: "boundary", in: Array(contentType.utf8)[...]).first ?? ""
            return multipart(body, boundary: Array(boundary.utf8))
        }
        return text(body)
    }

    func json(_ text: [UInt8]) -> [UInt8] {
        guard let start = JsonMask.start(of: text, isJson: true) else { return self.text(text) }
        return self.text(Array(text[..<start])) + JsonMask.masked(text[start...], by: self)
    }

    /// A text of unknown type: JSON by its first characters, a URL or a form when it has no blanks, else patterns.
    func text(_ text: [UInt8]) -> [UInt8] {
        if let start = JsonMask.start(of: text, isJson: false) {
            return text[..<start] + JsonMask.masked(text[start...], by: self)
        }
        let text = PrivateKeyBlock.masked(text)
        let word = Array(text.prefix { !Ascii.isBlank($0) })
        let end = text.dropFirst(word.count)
        guard end.allSatisfy(Ascii.isBlank) else { return patterns(text) }
        let urls: ByteSet = ":/?#;"
        let name = word.prefix { $0 != "=" }
        let isForm = name.count < word.count && !name.contains(where: urls.contains)
        return (isForm ? form(word) : url(word, isCertain: false)) + end
    }

    /// The decoded content of a JSON string or a parameter, masked; nil when it holds no secret.
    func inside(_ text: [UInt8]) -> [UInt8]? {
        guard let deeper else { return Ascii.mask }
        let masked = deeper.text(text)
        return masked == text ? nil : masked
    }

    /// A masker for a field within this one; nil for one that is nested too deep.
    var deeper: Masker? { level < Masker.deepest ? Masker(names, level: level + 1) : nil }
}
