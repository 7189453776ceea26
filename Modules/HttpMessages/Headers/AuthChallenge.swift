public import NodeCore

/// A challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field: a scheme, and what it needs to know (RFC 9110
/// §11.6.1).
///
/// ```swift
/// for challenge in response.headers.challenges where challenge.scheme == "Bearer" {
///     print(challenge["realm"] ?? "", challenge["scope"] ?? "")
/// }
/// ```
///
/// An immutable value.
public struct AuthChallenge: Hashable, Sendable {
    /// The scheme. A registered one has its usual spelling, `Bearer` for `bearer`; any other is as the server wrote it.
    public let scheme: String
    /// The data of a scheme that has no parameters, such as `Negotiate` (RFC 9110 §11.2); nil without one.
    public let token68: String?
    /// The parameters by their names, which are in lower case here. The values are without quotes and escapes.
    public let parameters: [String: String]

    /// The value of a parameter, without quotes and escapes. The name is case-insensitive.
    public subscript(name: String) -> String? {
        parameters[name.lowercased()]
    }

    /// Parses the value of a field, which may have several challenges, in their order.
    ///
    /// Parsing ends at a syntax error: the challenge with the error, and those after it, are left out. A parameter that
    /// occurs twice is such an error. A value without quotes may have any character but white space, quotes and commas.
    /// Takes linear time.
    public static func challenges(in value: String) -> [AuthChallenge] {
        var parser = ChallengeParser(bytes: Array(value.utf8))
        return parser.all()
    }
}

extension HttpHeaders {
    /// The challenges of all `WWW-Authenticate` fields, in their order: how the server authenticates clients (RFC 9110
    /// §11.6.1). A syntax error leaves out the rest of its field.
    public var challenges: [AuthChallenge] {
        values(of: "WWW-Authenticate").flatMap { AuthChallenge.challenges(in: $0) }
    }
}

extension AuthChallenge: MaskedValue {
    /// The scheme and the names of the parameters, without values: a token68 or a nonce may be a part of a secret.
    public var description: String {
        let names = parameters.keys.sorted() + (token68 == nil ? [] : ["token68"])
        return names.isEmpty ? scheme : "\(scheme) with \(names.joined(separator: ", "))"
    }
}

/// A parser of the grammar of RFC 9110 §11.6.1. Each byte is visited at most four times.
private struct ChallengeParser {
    /// The schemes that are registered (IANA, HTTP Authentication Schemes), and two that aren't, by their lower case.
    private static let schemes = Dictionary(
        uniqueKeysWithValues: [
            "Basic", "Bearer", "Concealed", "Digest", "DPoP", "GNAP", "HOBA", "Mutual", "Negotiate", "NTLM", "OAuth",
            "PrivateToken", "SCRAM-SHA-1", "SCRAM-SHA-256", "vapid", "AWS4-HMAC-SHA256",
        ].map { ($0.lowercased(), $0) })

    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func all() -> [AuthChallenge] {
        var challenges: [AuthChallenge] = []
        skipSeparators()
        while next != nil, let challenge = self.challenge() { challenges.append(challenge) }
        return challenges
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }
    private var isAtElementsEnd: Bool { next == nil || next == UInt8(ascii: ",") }

    /// Reads a challenge and the separators after it; nil for a syntax error.
    private mutating func challenge() -> AuthChallenge? {
        let name = text(token())
        guard !name.isEmpty else { return nil }
        let scheme = Self.schemes[name.lowercased()] ?? name
        let start = index
        skipSpaces()
        var parameters: [String: String] = [:]
        if !isAtElementsEnd {
            guard index > start else { return nil }
            if let token68 = self.token68() {
                skipSeparators()
                return AuthChallenge(scheme: scheme, token68: token68, parameters: [:])
            }
            guard let name = parameterName(), add(name, to: &parameters) else { return nil }
        }
        while next != nil {
            guard isAtElementsEnd else { return nil }
            skipSeparators()
            guard next != nil else { break }
            // A name and `=` continue this challenge; a name without it begins the next one.
            guard let name = parameterName() else { break }
            guard add(name, to: &parameters) else { return nil }
        }
        return AuthChallenge(scheme: scheme, token68: nil, parameters: parameters)
    }

    /// Reads the value of a parameter and adds both; false for a syntax error.
    private mutating func add(_ name: String, to parameters: inout [String: String]) -> Bool {
        guard let value = next == UInt8(ascii: "\"") ? quotedString() : plainValue() else { return false }
        skipSpaces()
        return parameters.updateValue(value, forKey: name) == nil
    }

    /// Reads a name in lower case, and the `=` after it; reads nothing and returns nil where there is no such name.
    private mutating func parameterName() -> String? {
        let start = index
        let name = token()
        skipSpaces()
        guard !name.isEmpty, next == UInt8(ascii: "=") else {
            index = start
            return nil
        }
        index += 1
        skipSpaces()
        return String(decoding: name.map(\.lowercased), as: UTF8.self)
    }

    /// Reads the token68 that an element consists of; reads nothing and returns nil for other elements.
    private mutating func token68() -> String? {
        let start = index
        while let byte = next, byte.isToken68Character { index += 1 }
        guard index > start else { return nil }
        while next == UInt8(ascii: "=") { index += 1 }
        let read = bytes[start..<index]
        skipSpaces()
        guard isAtElementsEnd else {
            index = start
            return nil
        }
        return text(read)
    }

    private mutating func quotedString() -> String? {
        var value: [UInt8] = []
        index += 1
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { return text(value[...]) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = next else { return nil }
                index += 1
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private mutating func plainValue() -> String? {
        let start = index
        while let byte = next, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "\"") { index += 1 }
        return index > start ? text(bytes[start..<index]) : nil
    }

    private mutating func token() -> ArraySlice<UInt8> {
        let start = index
        while let byte = next, byte.isTokenCharacter { index += 1 }
        return bytes[start..<index]
    }

    private mutating func skipSpaces() {
        while next == 0x20 || next == 0x09 { index += 1 }
    }

    /// Skips white space and commas: a list may have empty elements (RFC 9110 §5.6.1.2).
    private mutating func skipSeparators() {
        while next == 0x20 || next == 0x09 || next == UInt8(ascii: ",") { index += 1 }
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
    /// Whether it may be a part of a token68, before its `=` (RFC 9110 §11.2).
    fileprivate var isToken68Character: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x5F, 0x7E: true
        default: false
        }
    }
}
