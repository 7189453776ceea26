#if os(Linux)
import FoundationEssentials
import HttpMessages

/// Passes a response's body from libcurl to its sink. Decodes the chunked transfer coding of HTTP/1.1 (RFC 9112 §7.1)
/// and the content codings. Used by the event loop's thread alone.
///
/// `limits.responseSize` limits a body in memory. ``MemorySink`` checks the decoded bytes. This type checks the received
/// bytes of a compressed body, and those between two content codings. Files and streams have no limit: the transfer
/// pauses.
///
/// A piece from libcurl is taken wholly or rejected. Bytes that can't be decoded yet are kept, and pieces are rejected
/// until they are decoded. Only pieces that libcurl delivers when a pause ends are always taken.
final class ResponseBody {
    private let framing: ResponseFraming
    let sink: ResponseSink
    private var chunks: ChunkedBody?
    /// The content codings to undo.
    private let codings: [String]
    /// Created with the first byte of a body: an empty body is valid with any header, as for HEAD (RFC 9110 §9.3.2).
    private var decoder: ContentDecoder?
    /// Taken bytes that are not decoded yet: the sink has no space, or other transfers run first. Empty if only the
    /// decoder holds bytes; nil if nothing is left to decode.
    @exclusivity(unchecked) private var undecoded: ArraySlice<UInt8>?
    /// Bytes of the body that were taken, without chunk framing, before content decoding.
    @exclusivity(unchecked) private(set) var size: Int64 = 0
    /// Whether the last piece was rejected, so that libcurl keeps it.
    @exclusivity(unchecked) private var isPaused = false
    /// Whether libcurl delivers what it keeps after a pause. All of it is taken, whether there is space or not
    /// (``LibcurlWorkarounds``).
    var isResuming = false
    /// The most bytes between two content codings beyond those that were decoded, for a file or a stream.
    private let excessLimit: Int
    /// Bytes that were decoded.
    private var decodedSize = 0
    private let onYield: (() -> Void)?

    /// - Parameters:
    ///   - framing: determines where the body ends.
    ///   - contentCodings: the values of `Content-Encoding` to decode.
    ///   - overheadLimit: the limit of chunk extensions and trailers in bytes; see ``ChunkedBody``.
    ///   - excessLimit: the most bytes between two content codings that become nothing, where the sink has no limit.
    ///   - onYield: called when so much was decoded that other transfers run before ``decodeRest()``;
    ///     nil without codings.
    init(
        _ framing: ResponseFraming, to sink: ResponseSink, contentCodings: [String], overheadLimit: Int,
        excessLimit: Int, onYield: (() -> Void)?
    ) {
        self.framing = framing
        self.sink = sink
        self.excessLimit = excessLimit
        self.onYield = onYield
        if framing.bodyEnd == .lastChunk { chunks = ChunkedBody(overheadLimit: overheadLimit) }
        codings = framing.bodyEnd == .noBody ? [] : ContentDecoder.codings(in: contentCodings)
    }

    /// Whether the sink has the whole body, as far as the head or the last chunk says where it ends.
    var isWhole: Bool {
        guard isDecoded else { return false }
        return switch framing.bodyEnd {
        case .noBody: true
        case .length, .stream: framing.contentLength == size
        case .lastChunk: chunks?.isWhole == true
        case .connection: false
        }
    }

    /// Whether nothing is left to decode of what was taken.
    var isDecoded: Bool { undecoded == nil }

    /// Whether the sink or the decoder makes the server wait.
    var isWaiting: Bool { isPaused || !isDecoded }

    /// Takes a piece that libcurl delivers. Returns false if libcurl must keep it and pause the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> Bool {
        if !isResuming {
            guard isDecoded, try sink.hasSpace() else {
                isPaused = true
                return false
            }
        }
        isPaused = false
        guard chunks != nil else {
            try take(bytes)
            return true
        }
        var input = bytes
        while let data = try chunks?.next(from: &input) { try take(data) }
        return true
    }

    /// Takes bytes without chunk framing.
    private func take(_ data: UnsafeRawBufferPointer) throws(TransferFailure) {
        let total = size + Int64(data.count)
        if let partSize = framing.partSize, total > partSize {
            throw TransferFailure(.invalidResponse, "the body is larger than its Content-Range, \(partSize) bytes")
        }
        if framing.status == 205 {
            // It has no content (RFC 9110 §15.3.6). What a server sends is read to its end and dropped.
            try checkLimit(Int(total))
        } else if codings.isEmpty {
            try sink.write(data)
        } else {
            // Compressed data of any length can decode to nothing, so its length is limited, too.
            try checkLimit(Int(total))
            if isDecoded {
                var rest = data
                if try !decode(&rest) { undecoded = ArraySlice(rest) }
            } else {
                undecoded?.append(contentsOf: data)
            }
        }
        size = total
    }

    /// Decodes what is left. Returns whether all of it is decoded and the sink has space.
    func decodeRest() throws(TransferFailure) -> Bool {
        if let left = undecoded {
            // A result, because the function of a slice throws no typed errors in Swift 6.0.
            let count = left.withUnsafeBufferPointer { bytes -> Result<Int?, TransferFailure> in
                var rest = UnsafeRawBufferPointer(bytes)
                do throws(TransferFailure) {
                    return .success(try decode(&rest) ? nil : rest.count)
                } catch {
                    return .failure(error)
                }
            }
            undecoded = try count.get().map { left.suffix($0) }
        }
        guard isDecoded else { return false }
        return try sink.hasSpace()
    }

    /// Decodes `input` into the sink. Removes what was decoded. Returns whether nothing is left, also in the decoder.
    private func decode(_ input: inout UnsafeRawBufferPointer) throws(TransferFailure) -> Bool {
        if decoder == nil { decoder = try ContentDecoder(codings) }
        while let decoder, try sink.hasSpace() {
            let step = try decoder.next(from: &input)
            try checkLimit(decoder.intermediateBytes)
            if decoder.intermediateBytes - decodedSize > excessLimit, sink.limit == nil {
                throw TransferFailure(
                    .invalidContentEncoding, "more than \(excessLimit) bytes between its codings become nothing")
            }
            switch step {
            case .piece(let piece):
                decodedSize += piece.count
                try sink.write(piece)
            case .needsInput: return true
            case .yield:
                onYield?()
                return false
            }
        }
        return false
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
        let isShort =
            switch framing.bodyEnd {
            case .length, .stream: framing.contentLength.map { $0 != size } ?? false
            case .noBody, .lastChunk, .connection: false
            }
        if isShort || isPaused {
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

/// The destination of a response's body. Used by the event loop's thread alone.
enum ResponseSink {
    case memory(MemorySink)
    /// Writes it to a file, on the file's queue, unless the file is complete: then the bytes are the body of a 416.
    case file(FileWriter, isComplete: Bool)
    /// Passes it to the reader of a ``ByteStream``.
    case stream(ByteBuffer)

    func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        switch self {
        case .memory(let sink): try sink.write(bytes)
        case .file(_, isComplete: true): break
        case .file(let writer, isComplete: false): writer.write(bytes)
        case .stream(let buffer): buffer.write(bytes)
        }
    }

    /// Whether more bytes should be written. After false, the transfer resumes when the disk or the reader has
    /// capacity again.
    func hasSpace() throws(TransferFailure) -> Bool {
        switch self {
        case .memory, .file(_, isComplete: true): return true
        case .file(let writer, isComplete: false):
            do throws(BodyFailure) {
                return try writer.hasSpace()
            } catch {
                throw TransferFailure(error)
            }
        case .stream(let buffer): return buffer.hasSpace()
        }
    }

    /// The most bytes of the body; nil if memory doesn't grow with the body.
    var limit: Int? {
        if case .memory(let sink) = self { sink.limit } else { nil }
    }

    /// The body if it is in memory; otherwise no bytes.
    var data: Data {
        if case .memory(let sink) = self { sink.data } else { Data() }
    }
}
#endif
