import HttpMessages

/// Validates the head of a response line by line and determines where its body ends (RFC 9112 §6.3).
///
/// An ambiguous head is invalid, because two parsers could disagree about the end of the body. One of them would
/// truncate the body, or take bytes of the next response for it. libcurl accepts most of such heads.
struct ResponseFraming {
    /// What ends the body.
    enum BodyEnd: Equatable {
        case noBody
        /// The `Content-Length` in bytes.
        case length(Int64)
        case lastChunk
        /// The END_STREAM flag of HTTP/2 (RFC 9113 §8.1).
        case stream
        /// The close of the connection.
        case connection
    }

    /// Whether the request is a `HEAD`, whose response has no body.
    private let isHead: Bool
    private(set) var status = 0
    private(set) var isHttp1 = true
    /// Whether the response has a `Content-Encoding`. Without one, no header has to be parsed.
    private(set) var hasContentEncoding = false
    /// The length of the range in the `Content-Range` of a 206, in bytes; nil without one, as in
    /// `multipart/byteranges`.
    private(set) var partSize: Int64?
    /// The part of a response whose status says that it is whole; ``status`` is then 206. nil for any other response.
    private(set) var undeclaredPart: UndeclaredPart?
    /// The `Content-Range` of a 2xx response other than 206.
    private var undeclaredRange: String?
    /// The seconds of `Keep-Alive: timeout=5`, after which the server closes an idle connection; nil without it.
    private(set) var keepAliveSeconds: Int64?
    /// The `Content-Length` in bytes; nil without one. The body has that length only if ``bodyEnd`` says so.
    private(set) var contentLength: Int64?
    private var isChunked = false
    /// Whether `Transfer-Encoding` names no coding, or `identity`, which RFC 9112 no longer has: libcurl then waits for the end
    /// of the connection.
    private(set) var namesIdentity = false
    private var unknownCoding: String?
    /// The last field, which a folded line would continue (`obs-fold`, RFC 9112 §5.2).
    private var lastField: Field?

    /// Parses the status line.
    ///
    /// - Parameters:
    ///   - request: the request that the response is to.
    ///   - mayBeHttp2: whether the connection may speak HTTP/2.
    init(
        statusLine line: UnsafeRawBufferPointer, of request: HttpRequest, mayBeHttp2: Bool
    ) throws(TransferFailure) {
        isHead = request.method == .head
        guard let (version, status) = Self.read(line) else {
            throw .invalidResponse("the response does not start with a status line of HTTP")
        }
        isHttp1 = version == 1
        self.status = status
        if !isHttp1, !mayBeHttp2 { throw .invalidResponse("the status line names HTTP/\(version) over HTTP/1") }
        if status < 100 { throw .invalidResponse("the status \(status) does not exist") }
        if status == 101 { throw .invalidResponse("the server switches the protocol, and the request has no Upgrade") }
        if status == 206, request.headers["Range"] == nil {
            throw .invalidResponse("the server sent a part, and the request has no Range")
        }
    }

    static let foldedFirstLine = TransferFailure.invalidResponse("the first line of the headers continues nothing")

    /// Whether the head has a field so far.
    var hasFields: Bool { lastField != nil }

    /// Whether the response is an interim one (1xx), so that another head follows.
    var isInterim: Bool { status < 200 }

    /// What ends the body. Valid after the complete head.
    var bodyEnd: BodyEnd {
        if isHead || isInterim || status == 204 || status == 304 { return .noBody }
        if !isHttp1 { return .stream }
        if isChunked { return .lastChunk }
        return contentLength.map { .length($0) } ?? .connection
    }

    /// Processes a field line, including its line end.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(TransferFailure) {
        guard let first = line.first else { return }
        if first.isBlank {
            switch lastField {
            case nil: throw Self.foldedFirstLine
            case .contentLength, .transferEncoding, .contentRange:
                throw .invalidResponse("a header that says where the body ends is folded")
            case .contentEncoding, .keepAlive, .other: return
            }
        }
        guard let colon = line.first(UInt8(ascii: ":"), in: line.indices) else {
            throw .invalidResponse("a line of the headers has no colon")
        }
        let name = line[..<colon].withoutBlanksAtEnd
        let field = Field(name)
        lastField = field
        switch field {
        case .other: return
        case .contentEncoding: hasContentEncoding = true
        case .keepAlive: keepAliveSeconds = Self.timeout(of: line[(colon + 1)...].text) ?? keepAliveSeconds
        case .contentLength, .transferEncoding, .contentRange:
            guard name.endIndex == colon else {
                throw .invalidResponse("a space precedes the colon of \(field.rawValue)")
            }
            let value = line[(colon + 1)...].withoutBlanks
            if field == .contentLength, contentLength == nil, let length = Self.number(value) {
                // Nearly every length is one number, which needs no text.
                contentLength = length
            } else {
                try take(field, String(decoding: value, as: UTF8.self))
            }
        }
    }

    /// Validates the complete head of a response to this request.
    mutating func end(of request: HttpRequest) throws(TransferFailure) {
        guard bodyEnd != .noBody else { return }
        if let undeclaredRange, let part = request.undeclaredPart(undeclaredRange) {
            undeclaredPart = part
            partSize = part.size
            status = 206
        }
        // RFC 9113 §8.2.2 forbids it. Over TLS, an HTTP/1 server may also write HTTP/2 into its status line.
        if !isHttp1, isChunked { throw .invalidResponse("a response of HTTP/2 has a transfer coding") }
        if let unknownCoding {
            throw TransferFailure(
                .invalidContentEncoding, "the body has an unsupported transfer coding: \(unknownCoding)")
        }
        if let partSize, case .length(let length) = bodyEnd, length != partSize {
            throw .invalidResponse("Content-Range says \(partSize) bytes and Content-Length \(length)")
        }
    }

    private mutating func take(_ field: Field, _ value: String) throws(TransferFailure) {
        switch field {
        case .contentLength:
            // The same value may be repeated, also within one line (RFC 9110 §8.6).
            for text in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let length = Self.number(text.trimmed.utf8) else {
                    throw .invalidResponse("the Content-Length is no number of bytes")
                }
                if let contentLength, contentLength != length {
                    throw .invalidResponse("the response has two lengths, \(contentLength) and \(length)")
                }
                contentLength = length
            }
        case .transferEncoding:
            for text in value.split(separator: ",", omittingEmptySubsequences: false) {
                switch text.trimmed.lowercased() {
                case "", "identity": namesIdentity = true
                case "chunked" where isChunked: throw .invalidResponse("the body is chunked twice")
                case "chunked": isChunked = true
                case let coding: unknownCoding = coding
                }
            }
        case .contentRange where status == 206:
            guard let part = ContentRange(value)?.part else { return }
            let size = part.upperBound - part.lowerBound
            guard size < .max else { throw .invalidResponse("the Content-Range is no range of bytes") }
            if let partSize, partSize != size + 1 { throw .invalidResponse("the response has two ranges") }
            partSize = size + 1
        case .contentRange where (200..<300).contains(status):
            // Two of them contradict each other, so the joined text is no range.
            undeclaredRange = undeclaredRange.map { $0 == value ? value : "\($0), \(value)" } ?? value
        case .contentRange, .contentEncoding, .keepAlive, .other: break
        }
    }

    /// The `timeout` of a `Keep-Alive` field, such as `timeout=5, max=100` (RFC 2068 §19.7.1); nil without a valid one.
    private static func timeout(of value: String) -> Int64? {
        for parameter in value.lowercased().split(separator: ",") {
            let parts = parameter.split(separator: "=", maxSplits: 1).map(\.trimmed)
            if parts.count == 2, parts[0] == "timeout" { return number(parts[1].utf8) }
        }
        return nil
    }

    /// Parses 1 to 19 digits; nil for other text and above `Int64.max`.
    private static func number(_ text: some Collection<UInt8>) -> Int64? {
        guard (1...19).contains(text.count), text.allSatisfy(\.isDigit) else { return nil }
        // 19 digits fit.
        return Int64(exactly: text.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) })
    }

    /// Parses the version and the status of `HTTP/1.1 200 OK`, or of `HTTP/2 200`, which libcurl writes for HTTP/2.
    ///
    /// It accepts fewer status lines than libcurl.
    private static func read(_ line: UnsafeRawBufferPointer) -> (version: Int, status: Int)? {
        guard line.count > 8, line.starts(with: "HTTP/".utf8), line[5].isDigit else { return nil }
        let version = Int(line[5] - UInt8(ascii: "0"))
        let hasMinor = line[6] == UInt8(ascii: ".") && line[7].isDigit
        guard version == 1 ? hasMinor : (2...3).contains(version) && !hasMinor else { return nil }
        var rest = line.dropFirst(hasMinor ? 8 : 6)
        guard rest.popFirst() == UInt8(ascii: " ") else { return nil }
        let digits = rest.prefix(3)
        guard digits.count == 3, digits.allSatisfy(\.isDigit) else { return nil }
        if let next = rest.dropFirst(3).first, !next.isBlank, !next.isLineEnd { return nil }
        return (version, digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
    }
}

/// A field that the body or the connection depends on.
private enum Field: String {
    case contentLength = "Content-Length"
    case transferEncoding = "Transfer-Encoding"
    case contentRange = "Content-Range"
    case contentEncoding = "Content-Encoding"
    case keepAlive = "Keep-Alive"
    case other

    init(_ name: Slice<UnsafeRawBufferPointer>) {
        switch name.count {
        case 14 where name.equalsIgnoringCase("content-length"): self = .contentLength
        case 17 where name.equalsIgnoringCase("transfer-encoding"): self = .transferEncoding
        case 13 where name.equalsIgnoringCase("content-range"): self = .contentRange
        case 10 where name.equalsIgnoringCase("keep-alive"): self = .keepAlive
        case 16 where name.equalsIgnoringCase("content-encoding"): self = .contentEncoding
        default: self = .other
        }
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// - Parameter text: lowercase letters and hyphens.
    fileprivate func equalsIgnoringCase(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in elementsEqual(text) { $0 == $1 || $0 | 0x20 == $1 && $1 != UInt8(ascii: "-") } }
    }

    fileprivate var withoutBlanksAtEnd: Self {
        self[..<(lastIndex { !$0.isBlank && !$0.isLineEnd }.map { $0 + 1 } ?? startIndex)]
    }

    /// Without the line end and the whitespace around the text.
    fileprivate var withoutBlanks: Self { drop(while: \.isBlank).withoutBlanksAtEnd }

    fileprivate var text: String { String(decoding: withoutBlanks, as: UTF8.self) }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    /// A space or a tab.
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isLineEnd: Bool { self == 0x0D || self == 0x0A }
}
