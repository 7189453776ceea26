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
        url.add(query: query[...])
        guard let joined = url.url else {
            throw RequestBuildingError(.invalidUrl, "A query can't be added to the URL.")
        }
        return joined
    }
}

/// An escaped URL, or the part of one after its host: what precedes the query, the query without its `?`, and the fragment
/// without its `#`.
private struct UrlParts {
    private(set) var stem: Substring
    private(set) var query: Substring?
    var fragment: Substring?

    init(_ text: String) {
        stem = text[...]
        fragment = cut(at: UInt8(ascii: "#"))
        query = cut(at: UInt8(ascii: "?"))
    }

    /// Shortens the stem to what precedes its first `sign`, and returns what follows that; nil without one.
    private mutating func cut(at sign: UInt8) -> Substring? {
        guard let index = stem.utf8.firstIndex(of: sign) else { return nil }
        defer { stem = stem[..<index] }
        return stem[stem.utf8.index(after: index)...]
    }

    /// Appends a path, with exactly one slash between the two.
    mutating func append(_ path: Substring) {
        if path.isEmpty { return }
        let slash = UInt8(ascii: "/")
        while stem.utf8.last == slash { stem.removeLast() }
        stem += "/"
        stem += Substring(path.utf8.drop { $0 == slash })
    }

    mutating func add(query added: Substring) {
        query = query.map { $0.isEmpty ? added : $0 + "&" + added } ?? added
    }

    /// nil if the parts are those of no URL.
    var url: URL? {
        var text = String(stem)
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return URL(escaped: text) ?? URL(parsing: text)
    }
}
