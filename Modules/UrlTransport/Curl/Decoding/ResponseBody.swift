#if os(Linux)
/// Passes a response's body from libcurl to its sink. Decodes the chunked transfer coding of HTTP/1.1 (RFC 9112 §7.1)
/// and the content codings.
///
/// ``MemorySink`` and ``BodyDecoding`` enforce `limits.responseSize`. Files and streams have no limit; the transfer pauses.
struct ResponseBody {
    /// The result of receiving a piece.
    enum Reception {
        case taken
        /// The sink has no buffer space. libcurl delivers the piece again when the transfer is resumed.
        case paused
        /// The piece was decoded to so many bytes that other transfers run first. The event loop resumes the transfer.
        case yielded
    }

    private var chunks: ChunkedBody?
    private var decoding: BodyDecoding?
    let sink: ResponseSink
    private let framing: ResponseFraming
    /// Bytes of the body without chunk framing, before content decoding.
    private(set) var size: Int64 = 0
    /// Bytes of the current piece that were processed before the transfer was paused in it.
    private var chunkBytesTaken = 0

    /// - Parameters:
    ///   - framing: determines where the body ends.
    ///   - contentCodings: the values of `Content-Encoding` to decode.
    ///   - overheadLimit: the limit of chunk extensions and trailers in bytes; see ``ChunkedBody``.
    init(_ framing: ResponseFraming, to sink: ResponseSink, contentCodings: [String], overheadLimit: Int) {
        self.framing = framing
        self.sink = sink
        if framing.bodyEnd == .lastChunk { chunks = ChunkedBody(overheadLimit: overheadLimit) }
        if framing.bodyEnd != .noBody { decoding = BodyDecoding(contentCodings) }
    }

    var isChunked: Bool { chunks != nil }

    /// Whether the sink has the whole body, as far as the head or the last chunk says where it ends.
    var isWhole: Bool {
        switch framing.bodyEnd {
        case .noBody: true
        case .length, .stream: framing.contentLength == size
        case .lastChunk: chunks?.isWhole ?? false
        case .connection: false
        }
    }

    /// Processes a piece that libcurl delivers.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Reception {
        guard var chunks else { return try receiveData(bytes) }
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(chunkBytesTaken))
        while true {
            let (before, left) = (chunks, input.count)
            guard let data = try chunks.next(from: &input) else { break }
            let reception = try receiveData(data)
            if case .taken = reception { continue }
            self.chunks = before
            chunkBytesTaken = max(chunkBytesTaken, bytes.count - left)
            return reception
        }
        self.chunks = chunks
        chunkBytesTaken = max(0, chunkBytesTaken - bytes.count)
        return .taken
    }

    /// Processes a piece without chunk framing.
    private mutating func receiveData(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Reception {
        if let partSize = framing.partSize, size + Int64(bytes.count) > partSize {
            throw TransferFailure(.invalidResponse, "the body is larger than its Content-Range, \(partSize) bytes")
        }
        let reception: Reception
        if let decoding {
            reception = try decoding.decode(bytes, into: sink)
        } else {
            reception = try sink.write(bytes) ? .taken : .paused
        }
        if case .taken = reception { size += Int64(bytes.count) }
        return reception
    }

    /// Returns what is missing of a body that libcurl has completed; nil for a complete body.
    ///
    /// - Parameter hasCloseNotify: whether TLS has announced the end of the connection; nil where that is not required.
    func incompleteness(hasCloseNotify: Bool?) -> TransferFailure? {
        if let chunks, !chunks.isWhole {
            return TransferFailure(.truncatedResponse, "the connection ended before the last chunk")
        }
        if case .length(let length) = framing.bodyEnd, size != length {
            return TransferFailure(
                .truncatedResponse, "the connection ended after \(size) of the \(length) bytes of the body")
        }
        if hasCloseNotify == false {
            return TransferFailure(
                .truncatedResponse,
                "the connection ended without a close_notify of TLS, so more may be missing; "
                    + "tls.requiresCloseNotify = false accepts such a body")
        }
        if let decoding, decoding.isCut {
            return TransferFailure(.truncatedResponse, "the body ended inside its compressed data")
        }
        if let partSize = framing.partSize, framing.bodyEnd != .noBody, size != partSize {
            return TransferFailure(
                framing.bodyEnd == .connection ? .truncatedResponse : .invalidResponse,
                "the body has \(size) bytes, and its Content-Range says \(partSize)")
        }
        return nil
    }
}
#endif
