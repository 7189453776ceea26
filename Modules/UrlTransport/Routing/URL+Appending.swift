#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Optional where Wrapped == URL {
    /// Appends a path to a base URL, with exactly one slash between the two.
    ///
    /// The path may bring a query and a fragment of its own; a query of the base stays and the path's follows it.
    /// Characters that a URL can't hold are percent-encoded, escapes that are there stay, and `+` stays `+`.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/invalidUrl`` when the base is nil or the
    ///   result is no URL.
    public static func + (base: URL?, path: String) throws -> URL {
        guard let base else {
            throw RequestBuildingError(.invalidUrl, "The base URL that \"\(path)\" should be appended to is nil.")
        }
        return try base + path
    }
}

extension URL {
    /// Appends a path to a base URL; see the operator for an optional base.
    public static func + (base: URL, path: String) throws -> URL {
        var (stem, query, fragment) = base.absoluteString.splitAtQueryAndFragment()
        let (addedPath, addedQuery, addedFragment) = path.splitAtQueryAndFragment()
        if !addedPath.isEmpty {
            while stem.hasSuffix("/") { stem.removeLast() }
            stem += "/" + addedPath.drop { $0 == "/" }
        }
        if let addedQuery {
            query = query.map { $0.isEmpty ? addedQuery : "\($0)&\(addedQuery)" } ?? addedQuery
        }
        fragment = addedFragment ?? fragment
        let text = stem + (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "")
        guard let url = URL(string: text) else {
            throw RequestBuildingError(.invalidUrl, "\"\(path)\" can't be appended to a URL.")
        }
        return url
    }

    /// The URL with `query`, which is percent-encoded already, after the query that it has.
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
    /// The text before the first `?` or `#`, the query without its `?`, the fragment without its `#`.
    fileprivate func splitAtQueryAndFragment() -> (stem: String, query: String?, fragment: String?) {
        let fragmentStart = firstIndex(of: "#")
        let beforeFragment = self[..<(fragmentStart ?? endIndex)]
        let fragment = fragmentStart.map { String(self[index(after: $0)...]) }
        guard let queryStart = beforeFragment.firstIndex(of: "?") else {
            return (String(beforeFragment), nil, fragment)
        }
        let query = String(beforeFragment[beforeFragment.index(after: queryStart)...])
        return (String(beforeFragment[..<queryStart]), query, fragment)
    }
}
