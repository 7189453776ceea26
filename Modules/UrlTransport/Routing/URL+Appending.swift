import Logging
import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Optional where Wrapped == URL {
    /// Appends a path to a base URL, with exactly one slash between the two.
    ///
    /// The path may have a query and a fragment. Its query follows that of the base. Characters that a URL can't
    /// contain are percent-encoded; existing escapes and `+` stay.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/invalidUrl`` when the base is nil or the
    ///   result is no URL.
    public static func + (base: URL?, path: String) throws -> URL {
        guard let base else {
            throw RequestBuildingError(
                .invalidUrl,
                "The base URL that \"\(Redaction.standard.url(path))\" should be appended to is empty or no URL. Is \"http://\" missing in front of it?"
            )
        }
        return try base + path
    }
}

extension URL {
    /// Appends a path to a base URL, like the operator for an optional base.
    package static func + (base: URL, path: String) throws -> URL {
        var (stem, query, fragment) = base.absoluteString.splitAtQueryAndFragment()
        let (addedPath, addedQuery, addedFragment) = path.escapedForUrl().splitAtQueryAndFragment()
        if !addedPath.isEmpty {
            while stem.utf8.last == UInt8(ascii: "/") { stem.removeLast() }
            stem += "/" + addedPath.drop { $0 == "/" }
        }
        if let addedQuery {
            query = query.map { $0.isEmpty ? addedQuery : "\($0)&\(addedQuery)" } ?? addedQuery
        }
        fragment = addedFragment ?? fragment
        let text = stem + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
        guard let url = URL(string: text) else {
            throw RequestBuildingError(.invalidUrl, "\"\(Redaction.standard.url(path))\" can't be appended to a URL.")
        }
        return url
    }

    /// Returns the URL with the percent-encoded `query` after its existing query.
    func appending(encodedQuery query: String) throws -> URL {
        guard !query.isEmpty else { return self }
        let (stem, own, fragment) = absoluteString.splitAtQueryAndFragment()
        let joined = own.map { $0.isEmpty ? query : "\($0)&\(query)" } ?? query
        guard let url = URL(string: "\(stem)?\(joined)" + (fragment.map { "#" + $0 } ?? "")) else {
            throw RequestBuildingError(.invalidUrl, "A query can't be added to the URL.")
        }
        return url
    }
}

extension String {
    /// Percent-encodes the characters that may not follow the host of a URL (RFC 3986 §3.3–3.5). Existing escapes stay;
    /// `URL(string:)` would encode them again as soon as another character needs it.
    fileprivate func escapedForUrl() -> String {
        let bytes = Array(utf8)
        var escaped: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == 0x25 && Percent.escaped(in: bytes[...], at: index) != nil
            if isEscape || byte.mayStandInUrl { escaped.append(byte) } else { Percent.append(byte, to: &escaped) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The text before the first `?` or `#`, the query without its `?`, and the fragment without its `#`.
    fileprivate func splitAtQueryAndFragment() -> (stem: String, query: String?, fragment: String?) {
        let fragmentStart = utf8.firstIndex(of: UInt8(ascii: "#"))
        let beforeFragment = self[..<(fragmentStart ?? endIndex)]
        let fragment = fragmentStart.map { String(self[index(after: $0)...]) }
        guard let queryStart = beforeFragment.utf8.firstIndex(of: UInt8(ascii: "?")) else {
            return (String(beforeFragment), nil, fragment)
        }
        let query = String(beforeFragment[beforeFragment.index(after: queryStart)...])
        return (String(beforeFragment[..<queryStart]), query, fragment)
    }
}

extension UInt8 {
    /// Whether it is allowed in a path, a query or a fragment. Includes the delimiters `?` and `#`.
    fileprivate var mayStandInUrl: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x26...0x2F, 0x3A, 0x3B, 0x3D, 0x3F, 0x40, 0x5F, 0x7E: true
        default: false
        }
    }
}
