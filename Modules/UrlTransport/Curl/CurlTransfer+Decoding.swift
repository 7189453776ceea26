#if os(Linux)
import CNetChainCurl

/// The compressed body under way. libcurl could decompress by itself, but takes the end of the bytes for the end of the
/// compressed data (as of 7.88): half a body would pass for a whole one.
final class CurlDecoding {
    private let codings: [String]
    /// Made when a byte of a body came: an empty one is what it is, whatever its headers say (RFC 9110 §9.3.2, a HEAD).
    private var decoder: ContentDecoder?
    /// Bytes as they came on the wire.
    fileprivate var received = 0
    /// libcurl brings what it was told to keep once more from its start: so much of it was decoded already.
    fileprivate var taken = 0
    /// A piece that there was no room for: the decoder's own memory, which stays as it is until the next piece.
    fileprivate var kept: UnsafeRawBufferPointer?

    /// nil when there is nothing to undo.
    init?(_ values: [String]) {
        codings = ContentDecoder.codings(in: values)
        if codings.isEmpty { return nil }
    }

    fileprivate func piece(
        from input: inout UnsafeRawBufferPointer
    ) throws(ContentDecodingError) -> UnsafeRawBufferPointer? {
        if let kept {
            self.kept = nil
            return kept
        }
        if let decoder { return try decoder.next(from: &input) }
        let made = try ContentDecoder(codings)
        decoder = made
        return try made.next(from: &input)
    }

    /// Whether the body ended before its compressed data did.
    var isCut: Bool {
        decoder.map { !$0.isWhole } ?? false
    }
}

extension CurlTransfer {
    /// How many bytes may come out of one piece of a body before other transfers, cancels and time limits have their
    /// turn: a few bytes can become gigabytes.
    private static let mostAtOnce = 4 << 20

    /// Gets ready for the codings of the body that a whole head names.
    func openDecoding() {
        guard configuration.compression, let framing, framing.hasContentEncoding, framing.bodyEnd != .noBody else {
            return
        }
        let fields = headerBlock.fields.filter { $0.name.equalsIgnoringCase("Content-Encoding") }
        decoding = CurlDecoding(fields.map(\.value))
    }

    /// Takes a piece of a compressed body; what libcurl's write callback returns.
    func decode(_ bytes: UnsafeRawBufferPointer, by decoding: CurlDecoding) -> Int {
        var input = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(decoding.taken))
        let limit = configuration.limits.responseSize
        if sink == nil, decoding.received > limit - input.count {
            // Compressed data that becomes nothing, and never ends.
            failure = (.responseTooLarge, "the body is larger than limits.responseSize, \(limit) bytes")
            return 0
        }
        decoding.received += input.count
        var produced = 0
        do throws(ContentDecodingError) {
            while let piece = try decoding.piece(from: &input) {
                let isMuch = produced >= Self.mostAtOnce
                let result = isMuch ? Int(CURL_WRITEFUNC_PAUSE) : take(piece)
                if result == piece.count {
                    produced += piece.count
                    continue
                }
                decoding.kept = piece
                decoding.received -= input.count
                decoding.taken = max(decoding.taken, bytes.count - input.count)
                if isMuch { loop?.resume(self) }
                return result
            }
        } catch {
            failure = (.invalidContentEncoding, error.reason)
            return 0
        }
        decoding.taken = max(0, decoding.taken - bytes.count)
        return bytes.count
    }
}
#endif
