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
        var url = UrlParts(Array(base.absoluteString.utf8))
        let added = UrlParts(UrlText.escaped(afterHost: path))
        if !added.stem.isEmpty {
            let slash = UInt8(ascii: "/")
            while url.stem.last == slash { url.stem.removeLast() }
            url.stem.append(slash)
            url.stem += added.stem.drop { $0 == slash }
        }
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
        var url = UrlParts(Array(absoluteString.utf8))
        url.add(query: Array(query.utf8)[...])
        guard let joined = url.url else {
            throw RequestBuildingError(.invalidUrl, "A query can't be added to the URL.")
        }
        return joined
    }
}

/// An escaped URL, or the part of one after its host: what precedes the query, the query without its `?`, and the fragment
/// without its `#`.
private struct UrlParts {
    var stem: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?
    var fragment: ArraySlice<UInt8>?

    init(_ text: [UInt8]) {
        stem = text[...]
        if let sign = stem.firstIndex(of: UInt8(ascii: "#")) {
            fragment = stem[(sign + 1)...]
            stem = stem[..<sign]
        }
        if let sign = stem.firstIndex(of: UInt8(ascii: "?")) {
            query = stem[(sign + 1)...]
            stem = stem[..<sign]
        }
    }

    mutating func add(query added: ArraySlice<UInt8>) {
        query = query.map { $0.isEmpty ? added : $0 + [UInt8(ascii: "&")] + added } ?? added
    }

    /// nil if the parts are those of no URL.
    var url: URL? {
        var bytes = stem
        if let query { bytes += [UInt8(ascii: "?")] + query }
        if let fragment { bytes += [UInt8(ascii: "#")] + fragment }
        let text = String(decoding: bytes, as: UTF8.self)
        return URL(escaped: text) ?? URL(parsing: text)
    }
}
