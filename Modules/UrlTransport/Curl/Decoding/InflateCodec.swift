#if os(Linux)
import CNetChainCompression

/// Decodes `gzip` (RFC 1952, also with several members) and `deflate`.
///
/// Servers send `deflate` with zlib's header (RFC 1950), as RFC 9110 §8.4.1.2 requires, or as a raw stream (RFC 1951).
final class InflateCodec: ContentCodec {
    private let isGzip: Bool
    // zlib stores its address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var hasBegun = false
    private(set) var isWhole = false

    init(isGzip: Bool) {
        self.isGzip = isGzip
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deallocate()
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Int {
        var filled = 0
        while filled < output.count {
            if let first = input.first { try prepare(for: first) }
            guard hasBegun, !isWhole else { return filled }
            let taking = UInt32(clamping: input.count)
            let space = UInt32(clamping: output.count - filled)
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = taking
            stream.pointee.next_out = output.baseAddress?.advanced(by: filled).assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = space
            let result = inflate(stream, Z_NO_FLUSH)
            input.take(Int(taking - stream.pointee.avail_in))
            filled += Int(space - stream.pointee.avail_out)
            switch result {
            case Z_OK: if input.isEmpty, stream.pointee.avail_out > 0 { return filled }
            case Z_STREAM_END: isWhole = true
            case Z_BUF_ERROR: return filled
            case Z_MEM_ERROR: throw .noDecoder
            default: throw .damaged(name)
            }
        }
        return filled
    }

    private var name: String { isGzip ? "gzip" : "deflate" }

    /// Starts the stream with the first byte of the body, and resets it for another gzip member.
    private func prepare(for first: UInt8) throws(TransferFailure) {
        if !hasBegun {
            // The compression method of zlib's header (RFC 1950 §2.2). In a raw stream, these bits would be a stored
            // block with nonzero padding, which encoders don't write. Adding 32 makes zlib detect its own header and
            // gzip's.
            let hasFrame = first & 0x0F == 8
            let windowBits = isGzip ? 15 + 32 : hasFrame ? 15 : -15
            guard netchain_inflate_start(stream, Int32(windowBits)) == Z_OK else { throw .noDecoder }
            hasBegun = true
        } else if isWhole {
            guard isGzip, first == 0x1F, inflateReset(stream) == Z_OK else { throw .damaged(name) }
            isWhole = false
        }
    }
}
#endif
