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

    static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(text) : nil
    }
}

extension ContentRange {
    /// Whether it is the whole, as some servers describe a response without a part.
    var isWhole: Bool {
        guard let part, let total else { return false }
        return part.lowerBound == 0 && part.upperBound == total - 1
    }

    /// Whether a `Range` in bytes requested this part, or the beginning of it (RFC 9110 §14.1.2).
    ///
    /// - Parameter range: as in `bytes=5-9,20-` and `bytes=-500`.
    func isRequested(by range: String) -> Bool {
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
