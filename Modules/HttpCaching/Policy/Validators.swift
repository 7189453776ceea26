import HttpMessages

/// The validators of a stored response, for conditional requests (RFC 9111 §4.3.1, RFC 9110 §13.1).
struct Validators: Equatable, Sendable {
    /// The `ETag`; nil where it is missing or could end its list.
    let tag: String?
    /// The `Last-Modified` as the server wrote it.
    let lastModified: String?

    init(_ entry: HttpCacheEntry) {
        self.init(entry.headers)
    }

    init(_ headers: HttpHeaders) {
        tag = headers["ETag"].flatMap { Self.isTag($0) ? $0 : nil }
        lastModified = headers["Last-Modified"].flatMap { $0.isEmpty ? nil : $0 }
    }

    var exist: Bool { tag != nil || lastModified != nil }

    var hasStrongTag: Bool { tag.map { !$0.hasPrefix("W/") } ?? false }

    /// Whether the tags are the same by weak comparison (RFC 9110 §8.8.3.2).
    static func areSame(_ left: String, _ right: String) -> Bool {
        opaque(left) == opaque(right)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : Substring(tag)
    }

    /// Whether it is an entity tag (RFC 9110 §8.8.3).
    private static func isTag(_ text: String) -> Bool {
        let bytes = opaque(text).utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 || $0 >= 0x80 }
    }
}

extension [HttpCacheEntry] {
    /// Makes a request conditional: with the tags of all entries, and with the date where there is one entry.
    func addValidators(to headers: inout HttpHeaders) {
        let tags = compactMap { Validators($0).tag }
        if !tags.isEmpty { headers["If-None-Match"] = tags.joined(separator: ", ") }
        if count == 1, let date = Validators(self[0]).lastModified { headers["If-Modified-Since"] = date }
    }

    /// The entry that a 304 confirms (§4.3.4); nil for none.
    func confirmed(by headers: HttpHeaders) -> HttpCacheEntry? {
        let new = Validators(headers)
        if let tag = new.tag {
            if let same = first(where: { Validators($0).tag == tag }) { return same }
            return first { Validators($0).tag.map { Validators.areSame($0, tag) } ?? false }
        }
        if let date = new.lastModified, let match = first(where: { Validators($0).lastModified == date }) {
            return match
        }
        return count == 1 && new.lastModified == nil ? first : nil
    }
}
