import HttpMessages

/// Parses the requests of one connection incrementally (RFC 9112).
///
/// It is strict, because the client is what is tested. A request is malformed if it has bare line feeds, folded
/// headers, white space before a colon, or a body with two framings.
struct RequestParser {
    enum Event {
        case needsMore
        /// The head of a request is complete; its body follows, if `hasBody`.
        case head(LoopbackRequest, hasBody: Bool)
        case complete(LoopbackRequest)
        /// The bytes are not a valid request: the status of the error response, and the reason.
        case malformed(status: Int, reason: String)
    }

    private enum Expected {
        case head
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case end
    }

    /// The maximum length of a head or a line in bytes. Without an end within it, a request is malformed (431).
    static let headLimit = 4 << 20

    /// Whether bodies are kept, or only counted and added to the checksum. Read while a body is parsed.
    var keepsBody = true
    /// The number of body bytes after which parsing stops, even at the body's end.
    var bodyLimit: Int?
    /// The request that is being parsed, once its head is complete.
    private(set) var current: LoopbackRequest?
    private let connectionID: Int
    private let remotePort: Int
    private var nextIndex = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0
    private var expected = Expected.head
    private var checksum = Hasher()

    init(connectionID: Int, remotePort: Int) {
        self.connectionID = connectionID
        self.remotePort = remotePort
    }

    /// The number of bytes that are not parsed yet.
    var waiting: Int { buffer.count - start }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            searched = 0
            start = 0
        } else if start > 65_536 {
            buffer.removeSubrange(..<start)
            searched = max(0, searched - start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Parses on. The caller repeats it until it returns `needsMore`.
    mutating func next() -> Event {
        do throws(Malformed) {
            while true {
                if let bodyLimit, let current, current.bodyLength >= bodyLimit { return .needsMore }
                switch expected {
                case .head:
                    guard let event = try readHead() else { return .needsMore }
                    return event
                case .length(let rest):
                    let left = rest - takeBody(atMost: rest)
                    expected = left == 0 ? .end : .length(left)
                    if left > 0 { return .needsMore }
                case .chunkSize:
                    guard let size = try readChunkSize() else { return .needsMore }
                    expected = size == 0 ? .trailers : .chunk(size)
                case .chunk(let rest):
                    let left = rest - takeBody(atMost: rest)
                    expected = left == 0 ? .chunkEnd : .chunk(left)
                    if left > 0 { return .needsMore }
                case .chunkEnd:
                    guard waiting >= 2 else { return .needsMore }
                    guard buffer[start] == 13, buffer[start + 1] == 10 else {
                        throw Malformed(400, "a chunk is longer than its size says")
                    }
                    start += 2
                    expected = .chunkSize
                case .trailers:
                    guard let line = try readLine() else { return .needsMore }
                    if line.isEmpty {
                        expected = .end
                    } else {
                        let field = try HeadReader.field(of: line[...])
                        current?.trailers.add(name: field.name, value: field.value)
                    }
                case .end:
                    return finish()
                }
            }
        } catch {
            return .malformed(status: error.status, reason: error.reason)
        }
    }

    private mutating func readHead() throws(Malformed) -> Event? {
        while waiting >= 2, searched <= start, buffer[start] == 13, buffer[start + 1] == 10 { start += 2 }
        // The first byte of a handshake (RFC 8446 §5.1): a client waits for an answer to it.
        if waiting > 0, buffer[start] == 0x16 { throw Malformed(400, "the client speaks TLS, and the server does not") }
        let from = max(start, searched - 3)
        guard let end = ByteSearch.first([13, 10, 13, 10], in: buffer, from: from) else {
            searched = buffer.count
            if waiting > Self.headLimit { throw Malformed(431, "the head is longer than \(Self.headLimit) bytes") }
            return nil
        }
        let head = try HeadReader.read(buffer[start..<end])
        start = end + 4
        searched = start
        let request = LoopbackRequest(
            method: HttpMethod(rawValue: head.method), target: head.target, version: head.version,
            headers: head.headers,
            connectionID: connectionID, indexOnConnection: nextIndex, remotePort: remotePort)
        nextIndex += 1
        current = request
        checksum = Hasher()
        keepsBody = true
        bodyLimit = nil
        switch try HeadReader.framing(of: head.headers) {
        case .none, .length(0):
            expected = .end
            return .head(request, hasBody: false)
        case .length(let length):
            expected = .length(length)
            current?.body.reserveCapacity(min(length, 1 << 24))
        case .chunked:
            expected = .chunkSize
        }
        return .head(request, hasBody: true)
    }

    private mutating func readLine() throws(Malformed) -> [UInt8]? {
        guard let end = ByteSearch.first([13, 10], in: buffer, from: start) else {
            if waiting > Self.headLimit { throw Malformed(431, "a line is longer than \(Self.headLimit) bytes") }
            return nil
        }
        defer { start = end + 2 }
        return Array(buffer[start..<end])
    }

    private mutating func readChunkSize() throws(Malformed) -> Int? {
        guard let line = try readLine() else { return nil }
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard !digits.isEmpty, digits.count < 16, digits.allSatisfy({ $0.hexDigitValue != nil }) else {
            throw Malformed(400, "a chunk size is not a hexadecimal number")
        }
        return digits.reduce(0) { $0 << 4 | Int($1.hexDigitValue ?? 0) }
    }

    private mutating func takeBody(atMost limit: Int) -> Int {
        let count = min(limit, waiting, (bodyLimit ?? Int.max) - (current?.bodyLength ?? 0))
        guard count > 0 else { return 0 }
        let bytes = buffer[start..<(start + count)]
        if keepsBody {
            current?.body.append(contentsOf: bytes)
        } else {
            bytes.withUnsafeBytes { checksum.combine(bytes: $0) }
        }
        current?.bodyLength += count
        start += count
        return count
    }

    private mutating func finish() -> Event {
        guard var request = current else { return .needsMore }
        current = nil
        expected = .head
        searched = start
        request.isComplete = true
        if !keepsBody { request.bodyChecksum = checksum.finalize() }
        return .complete(request)
    }
}

/// Why bytes are not a valid request, and the status of the error response.
struct Malformed: Error {
    let status: Int
    let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}
