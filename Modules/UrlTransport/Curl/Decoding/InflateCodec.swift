#if os(Linux)
import CNetChainCompression

/// `gzip` (RFC 1952, several members too) and `deflate`, which servers send with zlib's frame (RFC 1950, as RFC 9110
/// §8.4.1.2 wants it) and without (RFC 1951).
final class InflateCodec: ContentCodec {
    private let isGzip: Bool
    // zlib keeps its address.
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
    ) throws(ContentDecodingError) -> Int {
        var filled = 0
        while filled < output.count {
            if let first = input.first { try prepare(for: first) }
            guard hasBegun, !isWhole else { return filled }
            let taking = UInt32(clamping: input.count)
            let room = UInt32(clamping: output.count - filled)
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = taking
            stream.pointee.next_out = output.baseAddress?.advanced(by: filled).assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = room
            let result = inflate(stream, Z_NO_FLUSH)
            input.take(Int(taking - stream.pointee.avail_in))
            filled += Int(room - stream.pointee.avail_out)
            switch result {
            case Z_OK: if input.isEmpty, stream.pointee.avail_out > 0 { return filled }
            case Z_STREAM_END: isWhole = true
            case Z_BUF_ERROR: return filled
            case Z_MEM_ERROR: throw .noMemory
            default: throw .damaged(name)
            }
        }
        return filled
    }

    private var name: String { isGzip ? "gzip" : "deflate" }

    /// Before each piece of input: begins, or goes on with another member after the end of one.
    private func prepare(for first: UInt8) throws(ContentDecodingError) {
        if !hasBegun {
            // The method's number of zlib's frame; in what has no frame these bits would be of an odd, unused kind.
            let hasFrame = first & 0x0F == 8
            let windowBits = isGzip ? 15 + 32 : hasFrame ? 15 : -15
            guard netchain_inflate_start(stream, Int32(windowBits)) == Z_OK else { throw .noMemory }
            hasBegun = true
        } else if isWhole {
            guard isGzip, first == 0x1F, inflateReset(stream) == Z_OK else { throw .damaged(name) }
            isWhole = false
        }
    }
}
#endif
