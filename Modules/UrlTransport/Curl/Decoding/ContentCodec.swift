#if os(Linux)
import CNetChainCompression
import HttpMessages

/// Decodes one content coding of a body. Used by one thread at a time.
protocol ContentCodec: AnyObject {
    /// Whether the input so far ends with the end of a compressed stream.
    var isWhole: Bool { get }

    /// Decodes into `output` until it is full or `input` is empty. Returns the number of bytes written.
    ///
    /// Removes the consumed bytes from `input`. With an empty `input`, it writes the output that the codec still holds.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Int
}

extension TransferFailure {
    /// The failure of bytes that are not valid data of a coding.
    static func damaged(_ coding: String) -> TransferFailure {
        TransferFailure(.invalidContentEncoding, "the body is not \(coding) as its headers say, or is damaged")
    }

    static var noDecoder: TransferFailure {
        TransferFailure(.invalidContentEncoding, "there is no memory to decompress with")
    }
}

extension UnsafeRawBufferPointer {
    mutating func take(_ count: Int) {
        self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
    }
}

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

/// Decodes `br` (RFC 7932), with windows of at most 16 MiB.
final class BrotliCodec: ContentCodec {
    private let state: OpaquePointer
    private(set) var isWhole = false

    init() throws(TransferFailure) {
        guard let state = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noDecoder }
        self.state = state
    }

    deinit {
        BrotliDecoderDestroyInstance(state)
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Int {
        guard !isWhole else {
            guard input.isEmpty else { throw .damaged("br") }
            return 0
        }
        var available = input.count
        var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var space = output.count
        var place = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let result = BrotliDecoderDecompressStream(state, &available, &next, &space, &place, nil)
        input.take(input.count - available)
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS: isWhole = true
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: break
        default: throw .damaged("br")
        }
        return output.count - space
    }
}

/// Decodes `zstd` (RFC 8878, also with several frames), with windows of at most 8 MiB (RFC 9659).
final class ZstdCodec: ContentCodec {
    private let context: OpaquePointer
    private(set) var isWhole = false

    init() throws(TransferFailure) {
        guard let context = ZSTD_createDCtx() else { throw .noDecoder }
        self.context = context
        // With the default of 27, a few bytes from a server can make the library allocate 128 MiB.
        _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23)
    }

    deinit {
        ZSTD_freeDCtx(context)
    }

    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Int {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        while target.pos < target.size {
            let before = source.pos + target.pos
            let result = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(result) == 0 else { throw .damaged("zstd") }
            // Without progress, the result is only a hint for the size of the next input.
            guard source.pos + target.pos > before else { break }
            isWhole = result == 0
            guard source.pos < source.size else { break }
        }
        input.take(source.pos)
        return target.pos
    }
}
#endif
