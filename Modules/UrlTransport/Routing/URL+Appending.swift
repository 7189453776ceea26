import HttpMessages
import Logging
import Models
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
    /// contain are percent-encoded. Existing escapes, `+`, dot segments and further slashes stay.
    ///
    /// - Throws: `RequestBuildingError` with `RequestBuildingError.Code.invalidUrl` when the base is nil or the
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
        var url = UrlParts(base.absoluteString)
        let added = UrlParts(UrlText.escaped(afterHost: path))
        url.append(added.stem)
        if let query = added.query { url.add(query: query) }
        url.fragment = added.fragment ?? url.fragment
        guard let joined = url.url else {
            throw RequestBuildingError(.invalidUrl, "\"\(Redaction.standard.url(path))\" can't be appended to a URL.")
        }
        return joined
    }

    /// Returns the URL with the percent-encoded `query` after its existing query.
    func appending(encodedQuery query: String) throws -> URL {
        guard !query.isEmpty else { return self }
        var url = UrlParts(absoluteString)
        url.add(query: Array(query.utf8))
        guard let joined = url.url else {
            throw RequestBuildingError(.invalidUrl, "A query can't be added to the URL.")
        }
        return joined
    }
}

/// An escaped URL, or the part of one after its host: what precedes the query, the query without its `?`, and the fragment
/// without its `#`.
private struct UrlParts {
    private(set) var stem: [UInt8]
    private(set) var query: [UInt8]?
    var fragment: [UInt8]?

    init(_ text: String) {
        stem = Array(text.utf8)
        fragment = cut(at: UInt8(ascii: "#"))
        query = cut(at: UInt8(ascii: "?"))
    }

    /// Shortens the stem to what precedes its first `sign`, and returns what follows that; nil without one.
    private mutating func cut(at sign: UInt8) -> [UInt8]? {
        guard let index = stem.firstIndex(of: sign) else { return nil }
        defer { stem.removeSubrange(index...) }
        return Array(stem[(index + 1)...])
    }

    /// Appends a path, with exactly one slash between the two.
    mutating func append(_ path: [UInt8]) {
        if path.isEmpty { return }
        let slash = UInt8(ascii: "/")
        while stem.last == slash { stem.removeLast() }
        stem.append(slash)
        stem += path.drop { $0 == slash }
    }

    mutating func add(query added: [UInt8]) {
        query = query.map { $0.isEmpty ? added : $0 + "&".utf8 + added } ?? added
    }

    /// nil if the parts are those of no URL.
    var url: URL? {
        var bytes = stem
        if let query { bytes += "?".utf8 + query }
        if let fragment { bytes += "#".utf8 + fragment }
        let text = String(decoding: bytes, as: UTF8.self)
        return URL(escaped: text) ?? URL(parsing: text)
    }
}
