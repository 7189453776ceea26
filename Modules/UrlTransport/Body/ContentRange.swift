/// A `Content-Range` in bytes (RFC 9110 §14.4): `bytes 5-9/10`, `bytes 5-9/*`, or, with the status 416, `bytes */10`.
struct ContentRange: Equatable {
    /// The positions of the first and the last byte of the part; nil with the status 416.
    var part: ClosedRange<Int64>?
    /// The size of the whole in bytes; nil when the server doesn't know it.
    var total: Int64?

    init?(_ text: String) {
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
