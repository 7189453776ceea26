#if os(Linux)
/// Decodes the content codings of one body and passes the bytes to a sink.
///
/// libcurl 7.88 accepts a truncated compressed body as complete, so the sender decompresses bodies itself.
final class BodyDecoding {
    private let codings: [String]
    /// Created with the first byte of a body: an empty body is valid with any header, as for HEAD (RFC 9110 §9.3.2).
    private var decoder: ContentDecoder?
    /// Compressed bytes that were received.
    private var received = 0
    /// Bytes of the paused piece that were decoded. libcurl delivers a paused piece again from its start.
    private var taken = 0
    /// A decoded piece that the sink has not received. It is in the decoder's buffer, unchanged until the next piece.
    private var kept: UnsafeRawBufferPointer?

    /// Returns nil if the values of `Content-Encoding` name no coding.
    init?(_ values: [String]) {
        codings = ContentDecoder.codings(in: values)
        if codings.isEmpty { return nil }
    }

    /// Whether the body ended inside its compressed data.
    var isCut: Bool {
        kept != nil || decoder.map { !$0.isWhole } ?? false
    }

    /// Decodes a piece into `sink`.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: ResponseSink
    ) throws(TransferFailure) -> ResponseBody.Reception {
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(taken))
        if let limit = sink.limit, received > limit - input.count {
            // Compressed data of any length can decode to nothing, so its length is limited, too.
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

    /// Records how much of `bytes` was decoded. libcurl delivers `bytes` again.
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
        if decoder == nil { decoder = try ContentDecoder(codings) }
        return try decoder?.next(from: &input) ?? .needsInput
    }
}
#endif
