/// The part that a response has although its status says that it is whole.
package struct UndeclaredPart: Equatable, Sendable {
    /// The number of bytes; nil for a `Content-Range` that can't be read.
    package let size: Int64?
    /// Whether the part begins where the request says.
    package let isRequested: Bool

    /// What is wrong with a part that was not requested.
    package static let reason =
        "the status says that the body is whole, and its Content-Range is no part that was requested"
}

extension HttpRequest {
    /// The part that a 2xx response other than 206 has, if the request has a `Range` in bytes; nil for a whole body.
    ///
    /// Some servers and caches send 200 with the part. Taken for the whole, it would be a truncated body.
    ///
    /// - Parameter contentRange: the `Content-Range` of the response.
    package func undeclaredPart(_ contentRange: String?) -> UndeclaredPart? {
        guard let contentRange, contentRange.lowercased().hasPrefix("bytes"), let range = headers["Range"],
            range.lowercased().hasPrefix("bytes=")
        else { return nil }
        guard let sent = ContentRange(contentRange), let part = sent.part, part.upperBound < .max else {
            return UndeclaredPart(size: nil, isRequested: false)
        }
        if sent.isWhole { return nil }
        return UndeclaredPart(size: part.upperBound - part.lowerBound + 1, isRequested: sent.isRequested(by: range))
    }
}
