#if os(Linux)
import CNetChainCompression

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
#endif
