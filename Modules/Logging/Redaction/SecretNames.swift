import NodeCore

/// The names of secrets, and how a key is compared with them: ``Redaction`` has the rules.
struct SecretNames: Sendable {
    /// Whether a key names a secret.
    private enum Secrecy {
        case harmless
        case secret
        /// Secret unless the value is a number.
        case plural
    }

    static let standard = SecretNames(
        headers: [
            "authorization", "proxy-authorization", "authentication-info", "proxy-authentication-info", "cookie",
            "set-cookie", "cookie2", "set-cookie2", "apikey", "x-auth", "x-amz-security-token",
            "x-csrf-token", "x-xsrf-token", "x-vault-token", "private-token", "job-token", "dpop", "x-session",
            "x-ms-client-principal", "x-amzn-oidc-data",
        ],
        keys: [
            "token", "password", "passwd", "pwd", "passphrase", "passcode", "secret", "api key", "access key",
            "secret key", "private key", "signing key", "encryption key", "shared key", "subscription key",
            "account key", "credential", "authorization", "auth", "auth code", "bearer", "jwt", "cookie", "session id",
            "session key", "sessid", "sid", "csrf", "xsrf", "otp", "totp", "pin", "cvv", "cvc", "card number",
            "signature", "assertion", "saml response", "saml request", "saml art", "code verifier", "connection string",
            "hmac", "master key",
            "application key", "app key", "admin key", "auth key", "client key", "server key", "service key",
            "consumer key", "function key", "functions key", "storage key", "write key", "integration key",
            "instrumentation key", "license key", "customer key", "recovery key", "recovery phrase", "seed phrase",
            "device code", "mfa code", "verification code", "security code", "recovery code", "recovery codes",
            "backup code", "backup codes", "ssn", "social security", "pan number",
        ],
        last: ["pass", "passw", "pw", "session", "refresh", "ticket", "pan"],
        parameters: ["code", "key", "sig", "sign"])

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

    private var headers: Set<String>
    /// The words of each name, joined, by their first byte.
    private var keys: [UInt8: Set<String>] = [:]
    /// Names that are too common to be secret except at the end of a key: `user_session`, but not `session_state`.
    private let last: Set<String>
    private let parameters: Set<String>

    private init(headers: Set<String>, keys: [String], last: Set<String>, parameters: Set<String>) {
        self.headers = headers
        self.last = last
        self.parameters = parameters
        add(keys)
    }

    private mutating func add(_ keys: [String]) {
        for name in keys.map({ SecretNames.words($0).joined() }) {
            if let first = name.utf8.first { self.keys[first, default: []].insert(name) }
        }
    }

    func adding(headers: [String], keys: [String]) -> SecretNames {
        var copy = self
        copy.headers.formUnion(headers.map { $0.lowercased() })
        copy.add(keys)
        return copy
    }

    /// Whether the value of this header is a secret.
    func isSecret(header name: String) -> Bool {
        ["key", "sign"].contains(name.lowercased()) || isSecret(key: name)
    }

    /// Whether this header is a secret by its name alone: it is listed, or ends with `-Key` or `-Sign`, or contains
    /// the word `secret`, which in a header's name always means the value.
    private func isSecretAsHeader(_ name: String) -> Bool {
        let name = SecretNames.plain(name).lowercased()
        if headers.contains(name) { return true }
        let words = name.split(separator: "-")
        guard words.count > 1, !name.contains(" "), let last = words.last else { return false }
        if last == "key" { return !SecretNames.plainKeys.contains(String(words[words.count - 2])) }
        return last == "sign" || words.contains("secret")
    }

    /// Whether the value of this key is a secret.
    ///
    /// - Parameters:
    ///   - isParameter: whether the key is a field of a query or a form, where some short names are secrets too.
    ///   - isNumber: whether the value is a number. After a plural it is a count.
    func isSecret(key: String, isParameter: Bool = false, isNumber: @autoclosure () -> Bool = false) -> Bool {
        switch secrecy(of: key, isParameter: isParameter) {
        case .secret: true
        case .plural: !isNumber()
        case .harmless: isSecretAsHeader(key)
        }
    }

    private func secrecy(of key: String, isParameter: Bool) -> Secrecy {
        let words = SecretNames.words(SecretNames.plain(key))
        guard let last = words.last else { return .harmless }
        let joined = words.joined()
        if self.last.contains(last) || isParameter && parameters.contains(joined) { return .secret }
        if words.count > 1, SecretNames.descriptions.contains(last) { return .harmless }
        return secrecy(of: joined, ends: SecretNames.ends(of: words))
    }

    private func secrecy(of joined: String, ends: Set<Int>) -> Secrecy {
        let text = Array(joined.utf8)
        var secrecy = Secrecy.harmless
        for start in text.indices {
            for name in keys[text[start]] ?? [] {
                let end = start + name.utf8.count
                guard end <= text.count, text[start..<end].elementsEqual(name.utf8) else { continue }
                let isPlural = end < text.count && text[end] == UInt8(ascii: "s") && ends.contains(end + 1)
                let startsWell = name.utf8.count >= 5 || start == 0 || ends.contains(start)
                let endsWell = name.utf8.count >= 8 || isPlural || ends.contains(end)
                guard startsWell, endsWell else { continue }
                if !isPlural { return .secret }
                secrecy = .plural
            }
        }
        return secrecy
    }

    /// The key without percent encoding.
    private static func plain(_ key: String) -> String {
        guard key.utf8.contains(Ascii.percent) else { return key }
        return String(decoding: Percent.plain(Array(key.utf8)[...]), as: UTF8.self)
    }

    /// The offsets in the joined key at which a word ends.
    private static func ends(of words: [String]) -> Set<Int> {
        var ends: Set<Int> = []
        var offset = 0
        for word in words {
            offset += word.utf8.count
            ends.insert(offset)
        }
        return ends
    }

    /// The key's words in lower case. Digits are dropped, so that `password2` is `password`.
    static func words(_ key: String) -> [String] {
        var words: [String] = []
        var word = ""
        let characters = Array(key)
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            let previous = index > 0 ? characters[index - 1] : nil
            let startsHump =
                character.isUppercase && (previous?.isLowercase == true || next?.isLowercase == true)
            if startsHump || !character.isLetter, !word.isEmpty {
                words.append(word)
                word = ""
            }
            if character.isLetter { word += character.lowercased() }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }
}
