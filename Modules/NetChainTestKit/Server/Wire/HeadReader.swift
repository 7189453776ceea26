import HttpMessages

/// Reads the head of a request and the framing of its body.
enum HeadReader {
    struct Head {
        var method: String
        var target: String
        var version: String
        var headers: HttpHeaders
    }

    enum Framing {
        case none
        case length(Int)
        case chunked
    }

    /// The request line and the header lines of `bytes`, which end before the empty line.
    static func read(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> Head {
        var rest = bytes
        let words = takeLine(&rest).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, let method = words.first, !method.isEmpty, method.allSatisfy(\.isTokenByte),
            !words[1].isEmpty
        else {
            throw Malformed(400, "the request line is not a method, a target and a version")
        }
        let version = String(decoding: words[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw Malformed(505, "the version is \(version), not HTTP/1.1")
        }
        guard words[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Malformed(400, "the target holds a control character")
        }
        var fields: [HttpHeaders.Field] = []
        while !rest.isEmpty {
            fields.append(try field(of: takeLine(&rest)))
        }
        return Head(
            method: String(decoding: method, as: UTF8.self), target: String(decoding: words[1], as: UTF8.self),
            version: version, headers: HttpHeaders(fields))
    }

    static func field(of line: ArraySlice<UInt8>) throws(Malformed) -> HttpHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenByte)
        else {
            throw Malformed(400, "a header line has no valid name before a colon")
        }
        var value = line[(colon + 1)...]
        while value.first?.isAsciiBlank == true { value = value.dropFirst() }
        while value.last?.isAsciiBlank == true { value = value.dropLast() }
        guard !value.contains(where: { $0 == 10 || $0 == 13 || $0 == 0 }) else {
            throw Malformed(400, "a header value holds a line break or a zero byte")
        }
        return .init(name: String(decoding: line[..<colon], as: UTF8.self), valueBytes: value)
    }

    /// How the body is framed (RFC 9112 §6).
    static func framing(of headers: HttpHeaders) throws(Malformed) -> Framing {
        let codings = headers.values(of: "Transfer-Encoding")
        let lengths = headers.values(of: "Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw Malformed(400, "both Transfer-Encoding and Content-Length") }
            guard codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
                throw Malformed(501, "the transfer coding is \(codings.joined(separator: ", ")), not chunked")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard Set(lengths).count == 1, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(length)
        else {
            throw Malformed(400, "Content-Length is \(lengths.joined(separator: ", "))")
        }
        return .length(count)
    }

    private static func takeLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var from = rest.startIndex
        while let end = rest[from...].firstIndex(of: 13) {
            if end + 1 < rest.endIndex, rest[end + 1] == 10 {
                defer { rest = rest[(end + 2)...] }
                return rest[..<end]
            }
            from = end + 1
        }
        defer { rest = rest[rest.endIndex...] }
        return rest
    }
}
