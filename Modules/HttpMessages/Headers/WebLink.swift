import Logging
public import NodeCore

/// A link of a `Link` field: a URL that the resource is related to, and how (RFC 8288).
///
/// ```swift
/// for link in response.headers.links where link.hasRelation("alternate") {
///     print(link.target, link["type"] ?? "", link["title"] ?? "")
/// }
/// ```
///
/// `ApiResponse.link(_:)` returns a target as a whole URL. An immutable value.
public struct WebLink: Hashable, Sendable {
    /// The target as the server wrote it: a URL, or a reference relative to that of the response. In a field that is not
    /// UTF-8 its bytes beyond ASCII are escaped.
    public let target: String
    /// The relation types as the server wrote them, at least one.
    public let relations: [String]
    /// The resource that the link is of, as the server wrote it; nil for that of the response.
    public let anchor: String?
    /// The first value of each parameter, by its name in lower case.
    let parameters: [String: String]

    /// Creates a link; nil without a relation type.
    fileprivate init?(target: String, anchor: String?, parameters: [String: String]) {
        let relations = (parameters["rel"] ?? "").split { $0 == " " || $0 == "\t" }.map(String.init)
        guard !relations.isEmpty else { return nil }
        self.target = target
        self.relations = relations
        self.anchor = anchor
        self.parameters = parameters
    }

    /// The value of a parameter such as `title`, without quotes and escapes; empty for one without a value.
    ///
    /// The name is case-insensitive. Of several parameters of one name the first counts. A `title*` in UTF-8 (RFC 8187)
    /// replaces `title`, and so for other names.
    public subscript(name: String) -> String? {
        parameters[String(decoding: name.utf8.map(\.lowercased), as: UTF8.self)]
    }

    /// Whether the link has this relation type. The comparison is case-insensitive.
    public func hasRelation(_ relation: String) -> Bool {
        relations.contains { $0.equalsIgnoringCase(relation) }
    }

    /// Parses the value of a field.
    ///
    /// - Parameter reference: returns a part of the value as a reference to a URL.
    static func links(in value: String, reference: @escaping (String) -> String = { $0 }) -> [WebLink] {
        var parser = LinkParser(bytes: Array(value.utf8), reference: reference)
        return parser.all()
    }
}

extension WebLink {
    /// Unavailable: a link may have several relations.
    @available(*, unavailable, renamed: "relations")
    public var rel: String { relations[0] }

    /// Unavailable: a link may have several relations.
    @available(*, unavailable, renamed: "relations")
    public var relation: String { relations[0] }
}

extension HttpHeaders {
    /// The links of all `Link` fields, in their order (RFC 8288).
    ///
    /// Links without a relation type are left out, and so is malformed text up to the next comma. Takes linear time.
    public var links: [WebLink] {
        fields.filter { $0.name.equalsIgnoringCase("Link") }
            .flatMap { WebLink.links(in: $0.value, reference: $0.reference) }
    }
}

extension WebLink: MaskedValue {
    /// The relation types and the target, with secrets masked.
    public var description: String {
        "\(relations.joined(separator: " ")): \(Redaction.standard.url(target))"
    }
}

/// A parser of the algorithm of RFC 8288 Appendix B.2, which resumes after the next comma where that gives up.
///
/// Each byte is visited at most three times.
private struct LinkParser {
    /// Parameters that have no form in other character sets.
    private static let plainNames = ["rel", "anchor"]

    let bytes: [UInt8]
    let reference: (String) -> String
    private var index = 0

    init(bytes: [UInt8], reference: @escaping (String) -> String) {
        self.bytes = bytes
        self.reference = reference
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func all() -> [WebLink] {
        var links: [WebLink] = []
        while true {
            skip { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard next != nil else { return links }
            if let link = self.link() { links.append(link) }
            skipToComma()
        }
    }

    /// Reads a link; nil where there is none, or one without a relation type.
    private mutating func link() -> WebLink? {
        guard next == UInt8(ascii: "<") else { return nil }
        index += 1
        let target = text(skip { $0 != UInt8(ascii: ">") })
        guard next != nil else { return nil }
        index += 1
        let parameters = self.parameters()
        return WebLink(
            target: reference(target), anchor: parameters["anchor"].map(reference), parameters: parameters)
    }

    /// Reads the parameters after a target (B.3).
    private mutating func parameters() -> [String: String] {
        var values: [String: String] = [:]
        // nil for a value that can't be decoded. It is the first of its name nevertheless.
        var extended: [String: String?] = [:]
        while true {
            skip(\.isBlank)
            guard next == UInt8(ascii: ";") else { break }
            index += 1
            skip(\.isBlank)
            let name = skip { !$0.isBlank && !$0.isDelimiter && $0 != UInt8(ascii: "=") }
            skip(\.isBlank)
            var value: ArraySlice<UInt8> = []
            if next == UInt8(ascii: "=") {
                index += 1
                skip(\.isBlank)
                value = next == UInt8(ascii: "\"") ? quotedString()[...] : plainValue()
            }
            let key = text(name.map(\.lowercased)[...])
            if name.last == UInt8(ascii: "*") {
                let base = String(key.dropLast())
                if extended[base] == nil { extended[base] = .some(Self.extendedValue(value)) }
            } else if values[key] == nil, !key.isEmpty {
                values[key] = text(value)
            }
        }
        for (name, value) in extended where !name.isEmpty && !name.hasSuffix("*") && !Self.plainNames.contains(name) {
            if let value { values[name] = value }
        }
        return values
    }

    /// Reads a quoted string (B.4). Without a closing quote it extends to the end of the field.
    private mutating func quotedString() -> [UInt8] {
        var value: [UInt8] = []
        index += 1
        while let byte = next {
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte != UInt8(ascii: "\\") {
                value.append(byte)
            } else if let escaped = next {
                index += 1
                value.append(escaped)
            }
        }
        return value
    }

    private mutating func plainValue() -> ArraySlice<UInt8> {
        var value = skip { !$0.isDelimiter }
        while value.last?.isBlank == true { value.removeLast() }
        return value
    }

    /// Decodes a value of RFC 8187 in UTF-8; nil for a syntax error, and for another character set.
    private static func extendedValue(_ value: ArraySlice<UInt8>) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].map(\.lowercased).elementsEqual("utf-8".utf8) else { return nil }
        let text = parts[2]
        var decoded: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if let byte = Percent.escaped(in: text, at: index) {
                decoded.append(byte)
                index += 3
            } else {
                guard text[index].isAttributeCharacter else { return nil }
                decoded.append(text[index])
                index += 1
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Skips to the comma before the next link, except those in quoted strings.
    private mutating func skipToComma() {
        while let byte = next, byte != UInt8(ascii: ",") {
            if byte == UInt8(ascii: "\"") { _ = quotedString() } else { index += 1 }
        }
    }

    @discardableResult
    private mutating func skip(_ isSkipped: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while let byte = next, isSkipped(byte) { index += 1 }
        return bytes[start..<index]
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether it ends a parameter.
    fileprivate var isDelimiter: Bool { self == UInt8(ascii: ";") || self == UInt8(ascii: ",") }

    /// Whether it is an `attr-char` (RFC 8187 §3.2.1).
    package var isAttributeCharacter: Bool {
        isTokenCharacter && self != UInt8(ascii: "*") && self != UInt8(ascii: "'") && self != UInt8(ascii: "%")
    }
}
