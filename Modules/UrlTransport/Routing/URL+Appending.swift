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
        var (stem, query, fragment) = base.absoluteString.splitAtQueryAndFragment()
        let (addedPath, addedQuery, addedFragment) = UrlText.escaped(afterHost: path).splitAtQueryAndFragment()
        if !addedPath.isEmpty {
            while stem.utf8.last == UInt8(ascii: "/") { stem.removeLast() }
            stem += "/" + addedPath.drop { $0 == "/" }
        }
        if let addedQuery {
            query = query.map { $0.isEmpty ? addedQuery : "\($0)&\(addedQuery)" } ?? addedQuery
        }
        fragment = addedFragment ?? fragment
        let text = stem + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
        guard let url = URL(escaped: text) ?? URL(parsing: text) else {
            throw RequestBuildingError(.invalidUrl, "\"\(Redaction.standard.url(path))\" can't be appended to a URL.")
        }
        return url
    }

    /// Returns the URL with the percent-encoded `query` after its existing query.
    func appending(encodedQuery query: String) throws -> URL {
        guard !query.isEmpty else { return self }
        let (stem, own, fragment) = absoluteString.splitAtQueryAndFragment()
        let joined = own.map { $0.isEmpty ? query : "\($0)&\(query)" } ?? query
        let text = "\(stem)?\(joined)" + (fragment.map { "#" + $0 } ?? "")
        guard let url = URL(escaped: text) ?? URL(parsing: text) else {
            throw RequestBuildingError(.invalidUrl, "A query can't be added to the URL.")
        }
        return url
    }
}

extension String {
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
