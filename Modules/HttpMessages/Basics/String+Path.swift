import NodeCore

extension DefaultStringInterpolation {
    /// Puts a value into a path as one segment of it: `api.get("files/\(pathSegment: name)")`.
    ///
    /// All but letters, digits, `-`, `.`, `_` and `~` are escaped, `/` and `%` included. A segment `.` or `..` becomes `%2E`
    /// or `%2E%2E`; a server may still read it as a folder, so reject such values where they come from outside.
    ///
    /// Source: RFC 3986, sections 2.3 and 3.3.
    public mutating func appendInterpolation(pathSegment value: some CustomStringConvertible) {
        appendLiteral(UrlText.segments(value.description, keepsSlashes: false))
    }

    /// Puts a value into a path as segments that `/` separates, as the keys of object stores: like `pathSegment`, but `/`
    /// stays.
    ///
    /// Source: RFC 3986, sections 2.3 and 3.3.
    public mutating func appendInterpolation(pathSegments value: some CustomStringConvertible) {
        appendLiteral(UrlText.segments(value.description, keepsSlashes: true))
    }
}
