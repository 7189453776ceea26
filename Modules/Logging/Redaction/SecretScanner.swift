/// Masks secrets in texts, by the rules of ``Redaction``.
///
/// A text may hold another one in disguise: JSON in a JSON string, a URL in a query value. Each is looked at with
/// its disguise off, by a scanner one level deeper, and put in disguise again only when something in it was masked, so
/// that a text without secrets stays byte for byte.
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

    func text(_ text: String) -> String {
        string(masked(Array(text.utf8)))
    }

    func json(_ text: String) -> String {
        var scan = TextScan(Array(text.utf8), by: self, isJson: true)
        return string(scan.run())
    }

    func url(_ text: String) -> String {
        string(url(Array(text.utf8)))
    }

    func form(_ text: String) -> String {
        string(form(Array(text.utf8)))
    }

    func masked(_ text: [UInt8]) -> [UInt8] {
        var scan = TextScan(text, by: self, isJson: false)
        return scan.run()
    }

    /// What stands in a string of another text, masked; nil when it holds no secret.
    func maskedInside(_ text: [UInt8]) -> [UInt8]? {
        guard level < SecretScanner.deepest else { return Ascii.mask }
        let masked = SecretScanner(names, level: level + 1).masked(text)
        return masked == text ? nil : masked
    }

    private func string(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
