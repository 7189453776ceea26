import NodeCore

/// The names of secrets, and how a key is compared with them: ``Redaction`` has the rules. One reference, since every
/// request carries it.
final class SecretNames: Sendable {
    private static let listed = byFirstByte(
        [
            "token", "password", "passwd", "pwd", "passphrase", "passcode", "secret", "api key", "access key",
            "secret key", "private key", "signing key", "encryption key", "shared key", "subscription key",
            "account key", "credential", "authorization", "auth", "auth code", "bearer", "jwt", "cookie", "session id",
            "session key", "sessid", "sid", "csrf", "xsrf", "otp", "totp", "pin", "cvv", "cvc", "card number",
            "signature", "assertion", "saml response", "saml request", "saml art", "code verifier", "connection string",
            "hmac", "master key", "authentication info", "dpop", "client principal", "oidc data",
            "application key", "app key", "admin key", "auth key", "client key", "server key", "service key",
            "consumer key", "function key", "functions key", "storage key", "write key", "integration key",
            "instrumentation key", "license key", "customer key", "recovery key", "recovery phrase", "seed phrase",
            "device code", "mfa code", "verification code", "security code", "recovery code", "recovery codes",
            "backup code", "backup codes", "ssn", "social security", "pan number",
        ])
    /// Names that are too common to be secret except at the end of a key: `user_session`, but not `session_state`.
    private static let last: Set<String> = ["pass", "passw", "pw", "session", "refresh", "ticket", "pan"]
    private static let parameters: Set<String> = ["code", "key", "sig", "sign"]

    /// Last words of keys whose values describe a secret and are none.
    private static let descriptions: Set<String> = [
        "type", "types", "count", "counts", "used", "usage", "remaining", "total", "limit", "limits", "budget",
        "length", "size", "expires", "expiry", "expiration", "expired", "in", "at", "ttl", "age", "lifetime", "url",
        "uri", "endpoint", "policy", "required", "enabled", "strength", "method", "methods", "supported", "details",
        "hint", "status", "name", "names", "provider", "level", "scheme", "error", "errors",
    ]

    /// Words before `-Key` at the end of a header's name that show that the key is no secret.
    private static let plainKeys: Set<String> = [
        "websocket", "idempotency", "cache", "surrogate", "public", "partition", "partitioning", "sort", "primary",
        "foreign", "object", "group", "grouping", "row", "lookup", "dedup", "deduplication", "message", "translation",
    ]

    /// The names that were added to the listed ones.
    let headers: [String]
    let keys: [String]
    /// The headers, in lower case, and the words of the keys, joined, that are no secrets whatever is listed.
    private let shownHeaders: Set<String>
    private let shownKeys: Set<String>
    /// ``Redaction/addedNames``.
    let added: [[String]]
    /// The words of each name, joined, by their first byte.
    private let names: [UInt8: [[UInt8]]]

    init(
        headers: [String] = [], keys: [String] = [], shownHeaders: Set<String> = [], shownKeys: Set<String> = []
    ) {
        self.headers = headers
        self.keys = keys
        self.shownHeaders = shownHeaders
        self.shownKeys = shownKeys
        added =
            headers.isEmpty && keys.isEmpty ? [] : [headers, keys, shownHeaders.sorted(), shownKeys.sorted()]
        names = Self.listed.merging(Self.byFirstByte(keys), uniquingKeysWith: +)
    }

    func adding(headers: [String], keys: [String]) -> SecretNames {
        SecretNames(
            headers: self.headers + headers, keys: self.keys + keys,
            shownHeaders: shownHeaders.subtracting(headers.map { $0.lowercased() }),
            shownKeys: shownKeys.subtracting(keys.map(Self.joined)))
    }

    func removing(headers: [String], keys: [String]) -> SecretNames {
        SecretNames(
            headers: self.headers, keys: self.keys,
            shownHeaders: shownHeaders.union(headers.map { $0.lowercased() }),
            shownKeys: shownKeys.union(keys.map(Self.joined)))
    }

    private static func byFirstByte(_ keys: [String]) -> [UInt8: [[UInt8]]] {
        Dictionary(grouping: keys.map { Array(joined($0).utf8) }) { $0.first ?? 0 }
    }

    private static func joined(_ key: String) -> String { words(key).joined() }

    /// Whether the value of this header is a secret.
    func isSecret(header name: String) -> Bool {
        let lowercased = name.lowercased()
        if shownHeaders.contains(lowercased) { return false }
        return ["key", "sign"].contains(lowercased) || isSecret(words: Self.words(name), of: name)
    }

    /// Whether the value of this key is a secret.
    ///
    /// - Parameters:
    ///   - isParameter: whether the key is a field of a query or a form, where some short names are secrets too.
    ///   - isNumber: whether the value is a number. After a plural it is a count.
    func isSecret(key: String, isParameter: Bool = false, isNumber: Bool = false) -> Bool {
        let isEscaped = key.utf8.contains(UInt8(ascii: "%"))
        let plain = isEscaped ? String(decoding: Percent.plain(Array(key.utf8)[...]), as: UTF8.self) : key
        let words = Self.words(plain)
        if !shownKeys.isEmpty, shownKeys.contains(words.joined()) { return false }
        return isSecret(words: words, of: plain, isParameter: isParameter, isNumber: isNumber)
    }

    private func isSecret(
        words: [String], of plain: String, isParameter: Bool = false, isNumber: Bool = false
    ) -> Bool {
        if let last = words.last {
            if Self.last.contains(last) || isParameter && Self.parameters.contains(words.joined()) { return true }
            let isDescription = words.count > 1 && Self.descriptions.contains(last)
            if !isDescription, hasName(words, isNumber: isNumber) { return true }
        }
        return isSecretAsHeader(plain.lowercased())
    }

    /// Whether this header is a secret by its name alone: it was added, or ends with `-Key` or `-Sign`, or contains
    /// the word `secret`, which in a header's name always means the value.
    private func isSecretAsHeader(_ name: String) -> Bool {
        if headers.contains(where: { $0.lowercased() == name }) { return true }
        let words = name.split(separator: "-")
        guard words.count > 1, !name.contains(" "), let last = words.last else { return false }
        if last == "key" { return !Self.plainKeys.contains(String(words[words.count - 2])) }
        return last == "sign" || words.contains("secret")
    }

    /// Whether one of the names occurs in these words.
    private func hasName(_ words: [String], isNumber: Bool) -> Bool {
        var text: [UInt8] = []
        var ends: Set = [0]
        for word in words {
            text += word.utf8
            ends.insert(text.count)
        }
        for start in text.indices {
            for name in names[text[start]] ?? [] where text[start...].starts(with: name) {
                let end = start + name.count
                let isPlural = text[end...].first == "s" && ends.contains(end + 1)
                let startsWell = name.count >= 5 || ends.contains(start)
                let endsWell = isPlural ? !isNumber : name.count >= 8 || ends.contains(end)
                if startsWell, endsWell { return true }
            }
        }
        return false
    }

    /// The key's words in lower case. Digits are dropped, so that `password2` is `password`.
    static func words(_ key: String) -> [String] {
        let characters = Array(key)
        var text = ""
        for (index, character) in characters.enumerated() {
            let neighbors = characters[max(index - 1, 0)...min(index + 1, characters.count - 1)]
            let startsHump = character.isUppercase && neighbors.contains(where: \.isLowercase)
            if startsHump || !character.isLetter { text += " " }
            if character.isLetter { text += character.lowercased() }
        }
        return text.split(separator: " ").map(String.init)
    }
}
