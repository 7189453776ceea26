/// A `Content-Range` in bytes (RFC 9110 §14.4): `bytes 5-9/10`, `bytes 5-9/*`, or, with the status 416, `bytes */10`.
package struct ContentRange: Equatable {
    /// The positions of the first and the last byte of the part; nil with the status 416.
    package var part: ClosedRange<Int64>?
    /// The size of the whole in bytes; nil when the server doesn't know it.
    package var total: Int64?

    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] != "*" {
            guard let total = Self.number(sides[1]) else { return nil }
            self.total = total
        }
        if sides[0] == "*" {
            if total == nil { return nil }
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        part = first...last
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
    }
}

extension ContentRange {
    /// Whether it is the whole, as some servers describe a response without a part.
    fileprivate var isWhole: Bool {
        guard let part, let total else { return false }
        return part.lowerBound == 0 && part.upperBound == total - 1
    }

    /// Whether a `Range` in bytes requested this part, or the beginning of it (RFC 9110 §14.1.2).
    ///
    /// - Parameter range: as in `bytes=5-9,20-` and `bytes=-500`.
    fileprivate func isRequested(by range: String) -> Bool {
        guard let part else { return false }
        return range.dropFirst(6).split(separator: ",").contains { text in
            let ends = text.trimmed.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else { return false }
            let last = Self.number(ends[1])
            if !ends[0].isEmpty {
                return Self.number(ends[0]) == part.lowerBound && last.map { part.upperBound <= $0 } ?? true
            }
            guard let last, let total else { return false }
            return part.upperBound == total - 1 && part.lowerBound >= total - last
        }
    }
}

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
