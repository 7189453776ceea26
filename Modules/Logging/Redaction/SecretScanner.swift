/// Finds secrets in text.
struct SecretScanner {
    let names: SecretNames

    init(_ names: SecretNames) {
        self.names = names
    }

    func url(_ text: String) -> String { form(text) }

    func form(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { field in
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, names.verdict(onKey: String(parts[0]), isParameter: true) != .harmless else {
                return String(field)
            }
            return "\(parts[0])=\(Redaction.mask)"
        }.joined(separator: "&")
    }

    func json(_ text: String) -> String { form(text) }

    func text(_ text: String) -> String { form(text) }
}
