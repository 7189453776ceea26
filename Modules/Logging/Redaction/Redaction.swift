/// Which values are secrets, and the masking of them with `***`.
///
/// Text is masked where it is made: each function takes one kind of field. Loggers, errors' descriptions, curl commands
/// and HAR files all use one value of this type.
///
/// - Headers: the value of a header whose name is listed, is a secret key, or ends with `-Key` or `-Sign`.
/// - URLs: the user info, and the values of secret keys in path, query and fragment.
/// - Forms, JSON and multipart bodies: the values of secret keys, and JSON that is nested deeper than 40.
/// - Any other text: what shows itself, see ``text(_:)``.
///
/// A key is cut into words at all characters that aren't letters, and at camel-case humps.
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
/// A field may be cut off or malformed; in doubt masking hides too much.
public struct Redaction: Sendable {
    /// The text that replaces a secret.
    package static let mask = String(decoding: Ascii.mask, as: UTF8.self)

    /// The listed names, URL user info and credentials.
    public static let standard = Redaction(names: SecretNames())

    /// Masks nothing: the output contains secrets.
    public static let none = Redaction(names: nil)

    /// Names the values that are masked, beside URL user info and credentials; nil for nothing.
    let names: SecretNames?

    package var isOff: Bool {
        names == nil
    }

    /// The same rules with further names. ``none`` stays as it is.
    ///
    /// - Parameters:
    ///   - headers: names of headers, in any case.
    ///   - keys: names of query, form and JSON keys, compared as described for ``Redaction``.
    public func adding(headers: [String] = [], keys: [String] = []) -> Redaction {
        Redaction(names: names.map { $0.adding(headers: headers, keys: keys) })
    }

    /// The same rules, but the values of exactly these headers and keys are shown: `ticket`, not `user_ticket`. ``none``
    /// stays as it is.
    ///
    /// Credentials that show themselves, such as a JSON Web Token, are still masked in them.
    ///
    /// - Parameters:
    ///   - headers: names of headers, in any case.
    ///   - keys: names of query, form and JSON keys, in any case and with any separators.
    public func removing(headers: [String] = [], keys: [String] = []) -> Redaction {
        Redaction(names: names.map { $0.removing(headers: headers, keys: keys) })
    }

    /// What tells which names are secrets besides the standard ones: the names that were added, headers and keys, and those
    /// that were removed. Empty if none was added or nothing is masked.
    package var addedNames: [[String]] { names?.added ?? [] }

    /// The same rules with the names that were added to `other`. ``none`` stays as it is.
    package func merging(_ other: Redaction) -> Redaction {
        guard let added = other.names, added !== names, !other.addedNames.isEmpty else { return self }
        return adding(headers: added.headers, keys: added.keys)
    }

    /// Whether the value of this header is masked completely.
    package func isSecret(header name: String) -> Bool {
        names?.isSecret(header: name) ?? false
    }

    /// Whether the value of this query parameter is masked. A number after a plural is a count.
    package func isSecret(parameter name: String, isNumber: Bool) -> Bool {
        names?.isSecret(key: name, isParameter: true, isNumber: isNumber) ?? false
    }

    /// A header's value: masked completely when the name is secret, otherwise as by ``text(_:)``, since it may contain
    /// a token too. `Location`, `Content-Location`, `Referer` and the targets of `Link` are URLs.
    public func header(_ name: String, _ value: String) -> String {
        masked(value) { $0.header(name, $1) }
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
        masked(text) { $0.url($1) }
    }

    /// A form (`application/x-www-form-urlencoded`, also a bare query) with the values of secret fields masked.
    public func form(_ text: String) -> String {
        masked(text) { $0.form($1) }
    }

    /// A JSON text with the values of secret keys masked, whatever their type except `null`, `true` and `false`; its
    /// format stays. Strings in it go through ``text(_:)``.
    ///
    /// The text may be cut off: where a member `name` may be missing, the string of a member `value` is masked. What
    /// follows a syntax error, or is nested deeper than 40, is masked whole.
    public func json(_ text: String) -> String {
        masked(text) { $0.json($1) }
    }

    /// A body, masked by the rules for its content type: a form, JSON, the parts of a `multipart` type, otherwise as by
    /// ``text(_:)``.
    package func body(_ body: [UInt8], contentType: String) -> [UInt8] {
        guard let names else { return body }
        return Masker(names).body(body, contentType: contentType)
    }

    /// A text of unknown type, such as an error's description.
    ///
    /// - A text that begins as JSON does (`{"`, `["`, `[{`) is masked by ``json(_:)``.
    /// - A text without blanks is masked as a URL or a form.
    /// - In any other text these are masked: URLs with a scheme, credentials after `Bearer`, `Basic`, `Negotiate` or
    ///   `NTLM`, JSON Web Tokens, private keys of PEM, and messages of PGP.
    ///
    /// In a sentence `password: …` stays: use the function for the field where the text is made.
    public func text(_ text: String) -> String {
        masked(text) { $0.text($1) }
    }

    private func masked(_ text: String, _ mask: (Masker, [UInt8]) -> [UInt8]) -> String {
        guard let names else { return text }
        return String(decoding: mask(Masker(names), Array(text.utf8)), as: UTF8.self)
    }
}
