#if os(Linux)
/// Passes a response's body from libcurl to its sink. Decodes the chunked transfer coding of HTTP/1.1 (RFC 9112 §7.1)
/// and the content codings.
///
/// `limits.responseSize` limits a body in memory: ``MemorySink`` checks it for the decoded bytes, this type for those of
/// a compressed body before and between its codings. Files and streams have no limit; the transfer pauses.
///
/// After a pause, libcurl delivers the piece again, from its start and maybe in smaller parts. Of 100 bytes of which 60
/// were taken, the first 60 are skipped then.
struct ResponseBody {
    /// The result of receiving a piece.
    enum Reception {
        case taken
        /// The sink has no buffer space. libcurl delivers the piece again when the transfer is resumed.
        case paused
        /// So many bytes were decoded that other transfers run first. The event loop resumes the transfer.
        case yielded
    }

    private let framing: ResponseFraming
    let sink: ResponseSink
    private var chunks: ChunkedBody?
    /// The content codings to undo.
    private let codings: [String]
    /// Created with the first byte of a body: an empty body is valid with any header, as for HEAD (RFC 9110 §9.3.2).
    private var decoder: ContentDecoder?
    /// A decoded piece that the sink has not received. It is in the decoder's buffer, unchanged until the next piece.
    private var kept: UnsafeRawBufferPointer?
    /// Bytes of the body without chunk framing, before content decoding.
    private(set) var size: Int64 = 0
    /// Bytes of the piece that the transfer is paused in that were processed.
    private var taken = 0
    /// Whether the last piece was not taken wholly: the transfer is paused in it, or has failed.
    private var isInsidePiece = false
    /// Whether libcurl delivers what it holds after a pause. Once the sink has taken a piece of that, it takes the rest,
    /// unless it is compressed: decoded, it may be of any size.
    var isResuming = false { didSet { takesRest = false } }
    private var takesRest = false

    /// - Parameters:
    ///   - framing: determines where the body ends.
    ///   - contentCodings: the values of `Content-Encoding` to decode.
    ///   - overheadLimit: the limit of chunk extensions and trailers in bytes; see ``ChunkedBody``.
    init(_ framing: ResponseFraming, to sink: ResponseSink, contentCodings: [String], overheadLimit: Int) {
        self.framing = framing
        self.sink = sink
        if framing.bodyEnd == .lastChunk { chunks = ChunkedBody(overheadLimit: overheadLimit) }
        codings = framing.bodyEnd == .noBody ? [] : ContentDecoder.codings(in: contentCodings)
    }

    var isChunked: Bool { chunks != nil }

    /// Whether the sink has the whole body, as far as the head or the last chunk says where it ends.
    var isWhole: Bool {
        switch framing.bodyEnd {
        case .noBody: true
        case .length, .stream: framing.contentLength == size && !isInsidePiece
        case .lastChunk: chunks?.isWhole == true && !isInsidePiece
        case .connection: false
        }
    }

    /// Processes a piece that libcurl delivers.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Reception {
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
        // What the decoder holds of the input before the pause.
        var noInput = UnsafeRawBufferPointer(rebasing: bytes.prefix(0))
        let hasRest = isInsidePiece && decoder != nil
        isInsidePiece = true
        var reception = hasRest ? try decode(&noInput) : .taken
        while case .taken = reception, !input.isEmpty {
            guard chunks != nil else {
                reception = try take(&input)
                continue
            }
            guard var data = try chunks?.next(from: &input) else { break }
            reception = try take(&data)
            chunks?.putBack(data.count)
            input = UnsafeRawBufferPointer(rebasing: bytes.suffix(data.count + input.count))
        }
        if case .taken = reception {
            isInsidePiece = false
            taken = max(0, taken - bytes.count)
        } else {
            taken = max(taken, bytes.count - input.count)
        }
        return reception
    }

    /// Passes bytes without chunk framing on. Removes those that were taken.
    private mutating func take(_ data: inout UnsafeRawBufferPointer) throws(TransferFailure) -> Reception {
        if let partSize = framing.partSize, size + Int64(data.count) > partSize {
            throw TransferFailure(.invalidResponse, "the body is larger than its Content-Range, \(partSize) bytes")
        }
        if !codings.isEmpty { return try decode(&data) }
        guard try sink.write(data, always: takesRest) else { return .paused }
        takesRest = isResuming
        size += Int64(data.count)
        data.take(data.count)
        return .taken
    }

    /// Decodes `data` into the sink. Removes what was decoded.
    private mutating func decode(_ data: inout UnsafeRawBufferPointer) throws(TransferFailure) -> Reception {
        // Compressed data of any length can decode to nothing, so its length is limited, too.
        try checkLimit(Int(size) + data.count)
        if decoder == nil { decoder = try ContentDecoder(codings) }
        while let decoder {
            let before = data.count
            let step: ContentDecoder.Step =
                if let piece = kept.take() { .piece(piece) } else { try decoder.next(from: &data) }
            size += Int64(before - data.count)
            try checkLimit(decoder.intermediateBytes)
            switch step {
            case .needsInput: return .taken
            case .yield: return .yielded
            case .piece(let piece):
                if try sink.write(piece, always: false) { continue }
                kept = piece
                return .paused
            }
        }
        return .taken
    }

    private func checkLimit(_ count: Int) throws(TransferFailure) {
        guard let limit = sink.limit, count > limit else { return }
        throw .responseTooLarge(limit)
    }

    /// Returns what is missing of a body that libcurl has completed; nil for a complete body.
    ///
    /// - Parameter hasCloseNotify: whether TLS has announced the end of the connection; nil where that is not required.
    func incompleteness(hasCloseNotify: Bool?) -> TransferFailure? {
        if let chunks, !chunks.isWhole {
            return TransferFailure(.truncatedResponse, "the connection ended before the last chunk")
        }
        let isShort = if case .length(let length) = framing.bodyEnd { size != length } else { false }
        if isShort || isInsidePiece {
            return TransferFailure(.truncatedResponse, "the connection ended within the body")
        }
        if hasCloseNotify == false {
            return TransferFailure(
                .truncatedResponse,
                "the connection ended without a close_notify of TLS, so more may be missing; "
                    + "tls.requiresCloseNotify = false accepts such a body")
        }
        if decoder?.isWhole == false {
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
