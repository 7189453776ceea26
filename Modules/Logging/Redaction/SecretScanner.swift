/// Masks secrets in texts, by the rules of ``Redaction``.
///
/// A text may contain another one in encoded form: JSON in a JSON string, a URL in a query value. A scanner one level
/// deeper scans the decoded text. It is encoded again only when something in it was masked, so that a text without
/// secrets stays byte for byte.
struct SecretScanner {
    /// Texts nested deeper than this are masked whole.
    private static let deepest = 12

    let names: SecretNames
    private let level: Int

    init(_ names: SecretNames) {
        self.init(names, level: 0)
    }

    private init(_ names: SecretNames, level: Int) {
        self.names = names
        self.level = level
    }

    func text(_ text: String, boundary: String? = nil) -> String {
        string(masked(Array(text.utf8), boundary: boundary.map { Array($0.utf8) }))
    }

    func json(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let first = bytes.first { $0 > Ascii.space }
        guard first == Ascii.openBrace || first == Ascii.openBracket || first == Ascii.quote else {
            return self.text(text)
        }
        var scan = TextScan(bytes, by: self, isJson: true)
        return string(scan.run())
    }

    func url(_ text: String) -> String {
        string(url(Array(text.utf8)))
    }

    func form(_ text: String) -> String {
        string(form(Array(text.utf8)))
    }

    /// Any text, masked. Secrets that end at a certain line, not with the word, string or line, are masked first.
    func masked(_ text: [UInt8], boundary: [UInt8]? = nil) -> [UInt8] {
        var forms = MultipartScan(text, boundary: boundary, by: names)
        var scan = TextScan(PrivateKeyBlock.masked(forms.masked()), by: self, isJson: false)
        return scan.run()
    }

    /// The content of a string in another text, masked; nil when it holds no secret.
    func maskedInside(_ text: [UInt8]) -> [UInt8]? {
        guard level < SecretScanner.deepest else { return Ascii.mask }
        let masked = SecretScanner(names, level: level + 1).masked(text)
        return masked == text ? nil : masked
    }

    private func string(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
