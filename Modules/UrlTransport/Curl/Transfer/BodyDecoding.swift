#if os(Linux)
/// Undoes the content codings of one body, and passes the bytes on.
///
/// libcurl could decompress, but takes the end of the bytes for the end of the compressed data (7.88): half a body would
/// pass for a whole one.
final class BodyDecoding {
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
        kept != nil || decoder.map { !$0.isWhole } ?? false
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
        while true {
            switch try next(from: &input) {
            case .needsInput:
                taken = max(0, taken - bytes.count)
                return .taken
            case .yield:
                try checkIntermediateBytes(sink.limit)
                return pause(.yielded, in: bytes, before: input)
            case .piece(let piece):
                try checkIntermediateBytes(sink.limit)
                let isMuch = produced >= ContentDecoder.mostAtOnce
                if !isMuch, try sink.write(piece) {
                    produced += piece.count
                    continue
                }
                kept = piece
                return pause(isMuch ? .yielded : .paused, in: bytes, before: input)
            }
        }
    }

    /// libcurl delivers `bytes` again.
    private func pause(
        _ reception: ResponseBody.Reception, in bytes: UnsafeRawBufferPointer, before rest: UnsafeRawBufferPointer
    ) -> ResponseBody.Reception {
        received -= rest.count
        taken = max(taken, bytes.count - rest.count)
        return reception
    }

    private func checkIntermediateBytes(_ limit: Int?) throws(TransferFailure) {
        guard let limit, let decoder, decoder.intermediateBytes > limit else { return }
        throw TransferFailure(
            .responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes, between two codings")
    }

    private func next(from input: inout UnsafeRawBufferPointer) throws(TransferFailure) -> ContentDecoder.Step {
        if let kept {
            self.kept = nil
            return .piece(kept)
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
