#if os(Linux)
/// Undoes the content codings of one body, and passes the bytes on.
///
/// libcurl could decompress, but takes the end of the bytes for the end of the compressed data (7.88): half a body would
/// pass for a whole one.
final class BodyDecoding {
    /// The most bytes that may come out of one piece before other transfers, cancellations and time limits are served: a
    /// few bytes can become gigabytes.
    private static let mostAtOnce = 4 << 20

    private let codings: [String]
    /// Created with the first byte of a body: an empty one is valid, whatever its headers say (RFC 9110 §9.3.2, HEAD).
    private var decoder: ContentDecoder?
    /// Compressed bytes.
    private var received = 0
    /// libcurl delivers a piece that was paused once more from its start: so much of it was decoded already.
    private var taken = 0
    /// A decoded piece that the sink had no space for. It is the decoder's memory, unchanged until the next piece.
    private var kept: UnsafeRawBufferPointer?

    /// nil when there is nothing to undo.
    init?(_ values: [String]) {
        codings = ContentDecoder.codings(in: values)
        if codings.isEmpty { return nil }
    }

    /// Whether the body ended before its compressed data did.
    var isCut: Bool {
        decoder.map { !$0.isWhole } ?? false
    }

    /// Decodes a piece into `sink`.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: ResponseSink
    ) throws(TransferFailure) -> ResponseBody.Reception {
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
        if let limit = sink.limit, received > limit - input.count {
            // Compressed data of any length can become nothing.
            throw TransferFailure(.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
        }
        received += input.count
        var produced = 0
        while let piece = try next(from: &input) {
            let isMuch = produced >= Self.mostAtOnce
            if !isMuch, try sink.write(piece) {
                produced += piece.count
                continue
            }
            kept = piece
            received -= input.count
            taken = max(taken, bytes.count - input.count)
            return isMuch ? .yielded : .paused
        }
        taken = max(0, taken - bytes.count)
        return .taken
    }

    private func next(from input: inout UnsafeRawBufferPointer) throws(TransferFailure) -> UnsafeRawBufferPointer? {
        if let kept {
            self.kept = nil
            return kept
        }
        do throws(ContentDecodingError) {
            if let decoder { return try decoder.next(from: &input) }
            let created = try ContentDecoder(codings)
            decoder = created
            return try created.next(from: &input)
        } catch {
            throw TransferFailure(.invalidContentEncoding, error.reason)
        }
    }
}
#endif
