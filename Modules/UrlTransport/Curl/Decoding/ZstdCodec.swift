#if os(Linux)
import CNetChainCompression

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
