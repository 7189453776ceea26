import HttpMessages

/// A response of the server: a status, headers, a body, and the faults of its sending.
///
///     server.on(.get, "/users/:id") { request in .json(#"{"id": 1}"#) }
///     server.on(.get, "/cut") { _ in .text("a long text").closing(afterBytes: 60) }
///
/// The server adds `Content-Length` or `Transfer-Encoding` if the body needs one and neither is set. It adds
/// `Connection: close` if the client requested it. It adds nothing else.
public struct LoopbackResponse: Sendable {
    /// A body and how it is framed.
    package enum Body: Sendable {
        /// No body, and no `Content-Length` for 1xx, 204 and 304; `Content-Length: 0` for every other status.
        case none
        /// A body of known length.
        case bytes([UInt8])
        /// A body in chunked coding, each element one chunk. If `isTerminated` is false, the last, empty chunk is left
        /// out.
        case chunks([[UInt8]], trailers: HttpHeaders = [:], isTerminated: Bool = true)
        /// The block, repeated. With a `length`, that many bytes and a `Content-Length`. With nil, an endless body
        /// without one, until the client closes the connection. Memory use doesn't depend on the length.
        case repeating([UInt8], length: Int?)
        /// The block, repeated endlessly, each time as one chunk.
        case endlessChunks([UInt8])
        /// A body without `Content-Length`, which ends when the connection closes.
        case untilClose([UInt8])
    }

    /// The status code.
    public var status: Int
    /// The reason phrase; the status code's usual one unless set.
    package var reason: String
    /// The headers, sent in this order and spelling.
    public var headers: HttpHeaders
    package var body: Body

    var behavior = Behavior.respond
    var flow = Flow()

    /// What the server does with the request.
    enum Behavior: Sendable {
        case respond
        case raw([UInt8])
        case endlessHeaders([UInt8])
        case held
    }

    /// How a response is sent, and what the connection does after it.
    struct Flow: Sendable {
        enum End: Sendable { case keep, close, reset, stall }
        var delay: Duration?
        var pace: (bytes: Int, interval: Duration)?
        /// The pause between two chunks.
        var chunkInterval: Duration?
        var extra: [UInt8] = []
        var limit: Int?
        var isCutInHead = false
        var end = End.keep

        /// Whether the whole response is sent at once, and nothing else.
        var isPlain: Bool {
            delay == nil && pace == nil && chunkInterval == nil && extra.isEmpty && limit == nil && !isCutInHead
                && end == .keep
        }
    }

    /// Creates a response with this status, these headers and this body.
    package init(status: Int, reason: String? = nil, headers: HttpHeaders = [:], body: Body = .none) {
        self.status = status
        self.reason = reason ?? Self.usualReason(of: status)
        self.headers = headers
        self.body = body
    }

    private init(behavior: Behavior) {
        self.init(status: 200)
        self.behavior = behavior
    }

    /// Holds the request until the test takes it with ``LoopbackServer/nextRequest(_:method:within:)`` and responds
    /// through the ``LoopbackExchange``.
    public static let held = LoopbackResponse(behavior: .held)
    /// Never responds, and keeps the connection open until the client closes it or the server stops.
    public static let neverAnswer = LoopbackResponse(status: 200).stalling(afterBytes: 0)
    /// Closes the connection (FIN) without a response.
    public static let close = LoopbackResponse(status: 200).closing(afterBytes: 0)
    /// Resets the connection (RST) without a response.
    public static let reset = LoopbackResponse(status: 200).resetting(afterBytes: 0)

    /// Exactly these bytes on the wire. The connection stays open unless a modifier or the client's `Connection: close`
    /// ends it.
    public static func raw(_ bytes: [UInt8]) -> LoopbackResponse {
        LoopbackResponse(behavior: .raw(bytes))
    }

    /// Exactly this text, as UTF-8, on the wire. The connection stays open as after raw bytes.
    public static func raw(_ text: String) -> LoopbackResponse {
        raw(Array(text.utf8))
    }

    /// A status line, and then `line` as a header, repeated until the client closes the connection.
    public static func endlessHeaders(_ line: String = "X-Filler: 0123456789abcdef") -> LoopbackResponse {
        LoopbackResponse(behavior: .endlessHeaders(Array("\(line)\r\n".utf8)))
    }

    private static func usualReason(of status: Int) -> String {
        let reasons = [
            200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 205: "Reset Content", 206: "Partial Content",
            301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
            308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
            405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 413: "Content Too Large",
            416: "Range Not Satisfiable", 417: "Expectation Failed", 422: "Unprocessable Content",
            429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
            501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        return reasons[status] ?? "Status"
    }
}

extension LoopbackResponse {
    /// The body of a response without faults; nil for all others, which need a connection.
    var wholeBody: [UInt8]? {
        guard case .respond = behavior, flow.isPlain else { return nil }
        switch body {
        case .none: return []
        case .bytes(let bytes), .untilClose(let bytes): return bytes
        case .chunks(let chunks, _, isTerminated: true): return chunks.flatMap { $0 }
        case .repeating(let block, let length?) where !block.isEmpty:
            return (0..<length).map { block[$0 % block.count] }
        case .chunks, .repeating, .endlessChunks: return nil
        }
    }
}

extension LoopbackResponse: CustomStringConvertible {
    /// The status line, or what happens instead of a response.
    public var description: String {
        switch behavior {
        case .respond where flow.limit == 0: flow.end == .stall ? "no answer" : "\(flow.end)"
        case .respond: "\(status) \(reason)"
        case .raw(let bytes): "\(bytes.count) raw bytes"
        case .endlessHeaders: "endless headers"
        case .held: "held"
        }
    }
}
