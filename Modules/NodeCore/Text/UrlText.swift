/// Text from outside as a URL or a relative reference (RFC 3986): the one place where foreign text becomes a URL.
///
/// - Blanks, line ends and other control characters around the text are cut.
/// - Escapes stay as they are. A `%` that begins none becomes `%25`.
/// - What RFC 3986 doesn't allow in a component is escaped there, as UTF-8.
/// - The host of http, https, ws and wss, and of a reference without a scheme, is written in ASCII (``HostName``).
///
/// The text that it writes is read without a change.
package struct UrlText: Hashable, Sendable {
    package var scheme: [UInt8]?
    package var authority: Authority?
    package var path: [UInt8]
    package var query: [UInt8]?
    package var fragment: [UInt8]?

    /// Reads a text. nil for an empty text, for a host or port that can't be one, and for a `:` in the first segment of a
    /// relative path (RFC 3986 §4.2).
    package init?(_ text: some Collection<UInt8>) {
        var rest = Array(text).trimmed
        guard !rest.isEmpty else { return nil }
        if let sign = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = Self.escaped(rest[(sign + 1)...], \.isOfQuery)
            rest = rest[..<sign]
        }
        if let sign = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = Self.escaped(rest[(sign + 1)...], \.isOfQuery)
            rest = rest[..<sign]
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest[..<colon].isScheme {
            scheme = Array(rest[..<colon])
            rest = rest[(colon + 1)...]
        }
        if rest.starts(with: "//".utf8) {
            let start = rest.startIndex + 2
            let end = rest[start...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let authority = Authority(rest[start..<end], isDomain: Self.hasDomain(scheme)) else { return nil }
            self.authority = authority
            rest = rest[end...]
        } else if scheme == nil, rest.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":")) {
            return nil
        }
        path = Self.escaped(rest, \.isOfPath)
    }

    /// The normalized text.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        if let scheme { bytes += scheme + [UInt8(ascii: ":")] }
        if let authority {
            bytes += "//".utf8
            bytes += authority.bytes
        } else if path.starts(with: "//".utf8) {
            // Otherwise the path would be read as an authority (RFC 3986 §3.3).
            bytes += "/.".utf8
        }
        bytes += path
        if let query { bytes += [UInt8(ascii: "?")] + query }
        if let fragment { bytes += [UInt8(ascii: "#")] + fragment }
        return bytes
    }

    /// Whether a text begins like a whole http or https URL. Schemes have no case.
    package static func isWeb(_ text: String) -> Bool {
        let start = text.utf8.drop { $0 <= 0x20 }
        return start.starts(with: "http://".utf8) { $0.lowercased == $1 }
            || start.starts(with: "https://".utf8) { $0.lowercased == $1 }
    }

    /// Escapes a text that follows the host of a URL: a path, which may have a query and a fragment. Nothing is cut.
    package static func escaped(afterHost text: String) -> String {
        if text.utf8.allSatisfy(\.isOfQuery) { return text }
        let bytes = Array(text.utf8)
        let sign = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        // A path may have the same characters as a query, but for its delimiter.
        var escaped = escaped(bytes[..<sign], \.isOfQuery)
        if sign < bytes.endIndex { escaped += [UInt8(ascii: "#")] + Self.escaped(bytes[(sign + 1)...], \.isOfQuery) }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// A text of which a server reads the same text back from a segment of a path: all but unreserved characters are
    /// escaped, and so are the dots of `.` and `..`, which mean other folders.
    ///
    /// - Parameter keepsSlashes: whether `/` separates segments, or is escaped, too.
    package static func segments(_ text: String, keepsSlashes: Bool) -> String {
        let slash = UInt8(ascii: "/")
        var escaped: [UInt8] = []
        for (index, segment) in text.utf8.split(
            omittingEmptySubsequences: false, whereSeparator: { keepsSlashes && $0 == slash }
        ).enumerated() {
            if index > 0 { escaped.append(slash) }
            let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
            for byte in segment {
                if byte.isUnreserved, !isDots { escaped.append(byte) } else { Percent.append(byte, to: &escaped) }
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    static func escaped(_ bytes: ArraySlice<UInt8>, _ isAllowed: (UInt8) -> Bool) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for index in bytes.indices {
            let byte = bytes[index]
            if isAllowed(byte) || byte == UInt8(ascii: "%") && Percent.escaped(in: bytes, at: index) != nil {
                escaped.append(byte)
            } else {
                Percent.append(byte, to: &escaped)
            }
        }
        return escaped
    }

    /// Whether the host of this scheme is a domain name; of a relative reference it is, because it is read below http.
    private static func hasDomain(_ scheme: [UInt8]?) -> Bool {
        guard let scheme else { return true }
        let name = String(decoding: scheme.map(\.lowercased), as: UTF8.self)
        return ["http", "https", "ws", "wss"].contains(name)
    }
}

extension UrlText {
    /// Resolves a reference against this text as its base (RFC 3986 §5.2.2).
    package func resolving(_ reference: UrlText) -> UrlText {
        var target = merging(reference)
        // §4.2: without an authority, such a path would be read as one.
        if target.authority == nil, target.path.starts(with: "//".utf8) { target.path = "/.".utf8 + target.path }
        return target
    }

    private func merging(_ reference: UrlText) -> UrlText {
        var target = reference
        if reference.scheme != nil || reference.authority != nil {
            target.scheme = reference.scheme ?? scheme
            target.path = Self.withoutDotSegments(reference.path)
            return target
        }
        target.scheme = scheme
        target.authority = authority
        if reference.path.isEmpty {
            target.path = path
            target.query = reference.query ?? query
        } else if reference.path.first == UInt8(ascii: "/") {
            target.path = Self.withoutDotSegments(reference.path)
        } else {
            // §5.2.3
            let folder = path.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? []
            let isBelowHost = authority != nil && path.isEmpty
            target.path = Self.withoutDotSegments(
                (isBelowHost ? [UInt8(ascii: "/")] : Array(folder)) + reference.path)
        }
        return target
    }

    /// RFC 3986 §5.2.4.
    private static func withoutDotSegments(_ path: [UInt8]) -> [UInt8] {
        let isAbsolute = path.first == UInt8(ascii: "/")
        let segments = path.dropFirst(isAbsolute ? 1 : 0)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let isUp = segment.elementsEqual("..".utf8)
            guard isUp || segment.elementsEqual(".".utf8) else {
                kept.append(segment)
                continue
            }
            if isUp { _ = kept.popLast() }
            // A last segment of dots names a folder.
            if index == segments.count - 1 { kept.append([]) }
        }
        return (isAbsolute ? [UInt8(ascii: "/")] : []) + Array(kept.joined(separator: [UInt8(ascii: "/")]))
    }
}

extension Array<UInt8> {
    /// Without blanks and control characters at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let start: Int = firstIndex(where: { $0 > 0x20 }) ?? endIndex
        let last: Int? = lastIndex(where: { $0 > 0x20 })
        return self[start..<(last.map { $0 + 1 } ?? start)]
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isScheme: Bool {
        guard let first, first.isLetter else { return false }
        return allSatisfy {
            $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
    }
}

// The characters of RFC 3986 §2 and §3.
extension UInt8 {
    var isLetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    var isDigit: Bool { (0x30...0x39).contains(self) }

    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self + 0x20 : self }

    var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: isLetter || isDigit
        }
    }

    /// `unreserved` or `sub-delims`.
    var isOfName: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","): true
        case UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: isUnreserved
        }
    }

    /// Of a path; `/` included.
    fileprivate var isOfPath: Bool {
        isOfName || self == UInt8(ascii: ":") || self == UInt8(ascii: "@") || self == UInt8(ascii: "/")
    }

    /// Of a query or a fragment.
    fileprivate var isOfQuery: Bool { isOfPath || self == UInt8(ascii: "?") }
}
