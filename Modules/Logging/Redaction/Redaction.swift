/// Which parts of a text are secrets, and the masking of them with `***`.
///
/// Loggers, errors' descriptions, curl commands and HAR files all use one value of this type.
///
/// - Headers: the value of a header whose name is listed, is a secret key, or ends with `-Key` or `-Sign`.
/// - Keys: the value of a secret key, in a URL's query or fragment, a form, a JSON text at any depth, a line of text
///   (`password: …`, `token=…`).
/// - URLs: the user info, `https://***@host/`.
/// - Credentials that are recognizable: `Bearer …`, `Basic …`, JSON Web Tokens.
///
/// A key is cut into words at `_`, `-`, `.`, brackets, spaces and camel-case humps, whatever its case.
///
/// - It is secret when a listed name occurs in it as whole words, also followed by an `s`.
/// - A name of five letters or more may also end a longer word, one of eight or more may occur anywhere.
/// - A key isn't secret when its last word shows that the value only describes a secret (`token_type`,
///   `password_length`).
/// - A number after a plural isn't secret either (`max_tokens`).
///
/// `Docs/Logging.md` has the list.
///
/// ```swift
/// let redaction = Redaction.standard.adding(headers: ["X-Internal-Id"], keys: ["iban"])
/// redaction.url("https://bob:pw@host/?access_token=abc&page=2")  // https://***@host/?access_token=***&page=2
/// ```
///
/// Masking works on text, also on text that is cut off or malformed; in doubt it masks too much.
public struct Redaction: Sendable {
    /// The text that replaces a secret.
    package static let mask = String(decoding: Ascii.mask, as: UTF8.self)

    /// The listed names, URL user info and credentials.
    public static let standard = Redaction(rules: Rules(names: .standard, headers: [], keys: []))

    /// Masks nothing: the output contains secrets.
    public static let none = Redaction(rules: nil)

    /// One reference, since every request carries the rules.
    private final class Rules: Sendable {
        let names: SecretNames
        /// What was added to the standard names.
        let headers: [String]
        let keys: [String]

        init(names: SecretNames, headers: [String], keys: [String]) {
            self.names = names
            self.headers = headers
            self.keys = keys
        }
    }

    private let rules: Rules?

    /// Masks the values that `rules` names, URL user info and credentials; nothing when nil.
    private init(rules: Rules?) {
        self.rules = rules
    }

    var names: SecretNames? { rules?.names }

    /// Whether nothing is masked.
    package var isOff: Bool {
        rules == nil
    }

    /// The same rules with further names. ``none`` stays as it is.
    ///
    /// - Parameters:
    ///   - headers: names of headers, in any case.
    ///   - keys: names of query, form and JSON keys, compared as described for ``Redaction``.
    public func adding(headers: [String] = [], keys: [String] = []) -> Redaction {
        Redaction(
            rules: rules.map { rules in
                Rules(
                    names: rules.names.adding(headers: headers, keys: keys), headers: rules.headers + headers,
                    keys: rules.keys + keys)
            })
    }

    /// The names that were added to the standard ones, headers and keys; empty if there are none or nothing is masked.
    package var addedNames: [[String]] {
        rules.map { $0.headers.isEmpty && $0.keys.isEmpty ? [] : [$0.headers, $0.keys] } ?? []
    }

    /// The same rules with the names that were added to `other`. ``none`` stays as it is.
    package func merging(_ other: Redaction) -> Redaction {
        guard let added = other.rules, added !== rules, !added.headers.isEmpty || !added.keys.isEmpty else {
            return self
        }
        return adding(headers: added.headers, keys: added.keys)
    }

    /// Whether the value of this header is masked completely.
    package func isSecret(header name: String) -> Bool {
        names?.isSecret(header: name) ?? false
    }

    /// Whether the value of this query parameter is masked. A number after a plural is a count.
    package func isSecret(parameter name: String, isNumber: Bool) -> Bool {
        switch names?.verdict(onKey: name, isParameter: true) {
        case .secret: true
        case .plural: !isNumber
        case .harmless, nil: false
        }
    }

    /// A header's value: masked completely when the name is secret, otherwise as by ``text(_:)``, since a `Location`
    /// may contain a token too.
    public func header(_ name: String, _ value: String) -> String {
        guard let names else { return value }
        return names.isSecret(header: name) ? Redaction.mask : text(value)
    }

    /// Headers with the values of the secret ones masked, in the same order.
    public func headers(_ headers: [(String, String)]) -> [(String, String)] {
        headers.map { ($0.0, header($0.0, $0.1)) }
    }

    /// A URL, absolute or not, with user info and the values of secret parameters masked.
    ///
    /// Parameters are those of the query, of the fragment, and of the path after a `;`. In a query `code`, `key`,
    /// `sig` and `sign` are secrets too. In a path what follows a segment such as `token` is one, and so are the
    /// secrets of Slack's, Discord's and Telegram's hooks.
    public func url(_ text: String) -> String {
        guard let names else { return text }
        return SecretScanner(names).url(text)
    }

    /// A form (`application/x-www-form-urlencoded`, also a bare query) with the values of secret fields masked.
    public func form(_ text: String) -> String {
        guard let names else { return text }
        return SecretScanner(names).form(text)
    }

    /// A JSON text with the values of secret keys masked at any depth, whatever their type except `null`, `true` and
    /// `false`; its format stays. Strings in it go through ``text(_:)``. Truncated and invalid JSON is masked too.
    public func json(_ text: String) -> String {
        guard let names else { return text }
        return SecretScanner(names).json(text)
    }

    /// A body of a type `multipart/…; boundary=…`: the contents of fields with secret names are masked completely, all
    /// else as by ``text(_:)``.
    package func multipart(_ text: String, contentType: String) -> String {
        guard let names else { return text }
        let boundary = HeaderParameter("boundary", in: Array(contentType.utf8)[...]).values.first
        return SecretScanner(names).text(text, boundary: boundary)
    }

    /// Any text: header lines, URLs, JSON, forms and multipart bodies in it are masked as the other functions do.
    public func text(_ text: String) -> String {
        guard let names else { return text }
        return SecretScanner(names).text(text)
    }
}
