/// Identifies the resource that a partial file belongs to. What is saved of it is validated as strictly as a response.
struct PartialInfo: Equatable {
    /// The maximum length of what is saved in bytes. What is longer is ignored.
    static let longest = 2048

    /// Hash of the requested URL. The URL itself may hold secrets, which must not be stored on disk.
    let request: UInt64
    /// Hash of the origin that sent the response, also after a redirect. No other origin gets the validator.
    let origin: UInt64
    let validator: Validator
    /// The size of the whole in bytes; nil when the server didn't announce it.
    let total: Int64?

    /// Returns nil for a response that can't be resumed. Such a response is compressed, has no strong validator, or
    /// says `Accept-Ranges: none`.
    init?(_ headers: HttpHeaders, request: String, origin: Origin) {
        guard Self.isPlain(headers), headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = Validator(of: headers)
        else { return nil }
        self.validator = validator
        self.request = Self.hash(request)
        self.origin = Self.hash(of: origin)
        // A transfer coding overrides the length (RFC 9112 §6.3).
        total =
            headers["Transfer-Encoding"] == nil ? headers["Content-Length"].flatMap { ContentRange.number($0) } : nil
    }

    /// Parses ``bytes``. Returns nil for any others, and for another requested URL.
    init?(_ bytes: some Collection<UInt8>, request: String) {
        let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard bytes.count <= Self.longest, parts.count == 6, let validator = Validator(bytes: parts[4]) else {
            return nil
        }
        let lines = parts.map { String(decoding: $0, as: UTF8.self) }
        guard lines[0] == "netchain-partial 2", lines[1] == "\(Self.hash(request))", let origin = UInt64(lines[2]),
            lines[2] == "\(origin)", lines[5].isEmpty
        else { return nil }
        if lines[3] == "-" {
            total = nil
        } else {
            guard let number = ContentRange.number(lines[3]) else { return nil }
            total = number
        }
        self.request = Self.hash(request)
        self.origin = origin
        self.validator = validator
    }

    /// What is saved. The validator has the bytes that the server sent.
    var bytes: [UInt8] {
        let head = "netchain-partial 2\n\(request)\n\(origin)\n\(total.map { "\($0)" } ?? "-")\n"
        return Array(head.utf8) + validator.bytes + [0x0A]
    }

    func isFrom(_ origin: Origin) -> Bool {
        self.origin == Self.hash(of: origin)
    }

    /// Whether a response to a range request matches the kept part. A 206 repeats the validators of the resource (RFC
    /// 9110 §15.3.7). The check is for servers that ignore `If-Range` and would send a part of another version.
    func allows(_ headers: HttpHeaders, total: Int64?) -> Bool {
        guard Self.isPlain(headers) else { return false }
        if let total, let known = self.total, total != known { return false }
        return validator.matches(headers)
    }

    private static func isPlain(_ headers: HttpHeaders) -> Bool {
        headers["Content-Encoding"].map { $0.lowercased() == "identity" } ?? true
    }

    private static func hash(of origin: Origin) -> UInt64 {
        hash("\(origin.scheme)://\(origin.host):\(origin.port)")
    }

    /// FNV-1a with 64 bits.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
