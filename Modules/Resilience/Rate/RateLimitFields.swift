import HttpMessages

/// What the fields of draft-ietf-httpapi-ratelimit-headers say of the quotas that are used up.
struct RateLimitFields {
    /// The longest time until such a quota is reset; nil where something remains of all, or nothing is known.
    let pause: Duration?

    init(_ headers: HttpHeaders) {
        let limits = Self.members(of: "RateLimit", headers)
        guard !limits.isEmpty else {
            // Until draft 06 each number had a field.
            let remaining = headers["RateLimit-Remaining"].flatMap(WholeNumber.init)
            let reset = headers["RateLimit-Reset"].flatMap(WholeNumber.init)
            pause = remaining?.value == 0 ? reset.map { .seconds($0.value) } : nil
            return
        }
        if let remaining = limits.first(where: { $0.name == "remaining" })?.value {
            // Until draft 07 the field was a dictionary.
            let reset = limits.first { $0.name == "reset" }?.value
            pause = remaining == 0 ? reset.map { .seconds($0) } : nil
            return
        }
        let policies = Dictionary(Self.members(of: "RateLimit-Policy", headers).map { ($0.name, $0) }) { first, _ in
            first
        }
        let times = limits.filter { $0.parameters["r"] == 0 }.compactMap { limit in
            limit.parameters["t"] ?? policies[limit.name]?.parameters["w"]
        }
        pause = times.max().map { .seconds($0) }
    }

    private static func members(of name: String, _ headers: HttpHeaders) -> [FieldMember] {
        // Several fields of one name are one list (RFC 9651 §4.2).
        var parser = FieldParser(headers.values(of: name).joined(separator: ","))
        return parser.members() ?? []
    }
}

/// A member of a list or a dictionary of RFC 9651, as far as these fields need it: values are whole numbers, others are
/// read and left out.
struct FieldMember: Equatable {
    /// The string, token or key.
    var name: String
    /// The value of a member of a dictionary.
    var value: Int64?
    /// The parameters that are whole numbers.
    var parameters: [String: Int64] = [:]
}

/// Parses lists and dictionaries of RFC 9651, without inner lists. The input comes from a server.
struct FieldParser {
    private static let separators = Set("\"=;,() \t".utf8)
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    /// The members; nil where the text is malformed, since then the whole field is ignored (RFC 9651 §4.2).
    mutating func members() -> [FieldMember]? {
        var members: [FieldMember] = []
        skipBlanks()
        while !rest.isEmpty {
            guard let name = item() else { return nil }
            var member = FieldMember(name: name)
            if take("=") {
                guard let value = item() else { return nil }
                member.value = WholeNumber(value)?.value
            }
            while take(";") {
                skipBlanks()
                guard let key = token(), !key.isEmpty else { return nil }
                guard take("=") else { continue }
                guard let value = item() else { return nil }
                member.parameters[key] = WholeNumber(value)?.value
            }
            members.append(member)
            skipBlanks()
            if rest.isEmpty { break }
            guard take(",") else { return nil }
            skipBlanks()
            // A comma at the end is an error.
            guard !rest.isEmpty else { return nil }
        }
        return members
    }

    /// The text of a string, or of another bare item.
    private mutating func item() -> String? {
        if take("\"") { return string() }
        if take(":") { return byteSequence() }
        let text = token()
        return text?.isEmpty == true ? nil : text
    }

    /// The rest of a string (RFC 9651 §3.3.3).
    private mutating func string() -> String? {
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                bytes.append(escaped)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        return nil
    }

    /// The rest of a byte sequence (RFC 9651 §3.3.5), not decoded.
    private mutating func byteSequence() -> String? {
        guard let end = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return String(Substring(rest[..<end]))
    }

    /// What isn't a separator: a token, a key, a number, or the text of another item.
    private mutating func token() -> String? {
        let text = rest.prefix { !Self.separators.contains($0) }
        rest = rest[text.endIndex...]
        return String(Substring(text))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }
}
