#if os(Linux)
import CNetChainCompression
import HttpMessages

/// Decodes the content codings of one body (RFC 9110 §8.4) incrementally. Used by one thread at a time.
///
/// Memory doesn't grow with the body: each coding has one output buffer. The decoder is stricter than most clients: a
/// compressed stream without its end is an error, and so are bytes after its end.
final class ContentDecoder {
    /// The value of `Accept-Encoding`: all supported codings.
    static let accepted = "deflate, gzip, br, zstd"
    static let acceptedLine = "Accept-Encoding: \(accepted)"
    /// The most content codings of one body, the same as libcurl's limit.
    private static let mostCodings = 5
    /// The size of an output buffer in bytes.
    static let pieceSize = 64 << 10

    /// Bytes of output, of all codings together, after which decoding yields, so that other transfers, cancellations and
    /// timeouts are processed.
    static let mostAtOnce = 4 << 20

    /// One coding with its output buffer and its unread input.
    private final class Stage {
        let codec: any ContentCodec
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        var input = UnsafeRawBufferPointer(start: nil, count: 0)
        /// Whether the output buffer was filled. Then the codec may have more output without more input.
        var isFull = false

        init(_ codec: any ContentCodec) {
            self.codec = codec
        }

        deinit {
            output.deallocate()
        }
    }

    /// In the order of decoding.
    private let stages: [Stage]

    /// Creates a decoder for these codings, in the order in which they were applied.
    init(_ names: [String]) throws(TransferFailure) {
        guard names.count <= Self.mostCodings else {
            throw TransferFailure(
                .invalidContentEncoding, "the body is compressed more than \(Self.mostCodings) times")
        }
        var stages: [Stage] = []
        for name in names.reversed() { stages.append(Stage(try Self.codec(name))) }
        self.stages = stages
    }

    /// Returns the codings in these values of `Content-Encoding`, in lowercase and without `identity`.
    static func codings(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.trimmed.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    private static func codec(_ name: String) throws(TransferFailure) -> any ContentCodec {
        switch name {
        case "gzip", "x-gzip": InflateCodec(isGzip: true)
        case "deflate": InflateCodec(isGzip: false)
        case "br": try BrotliCodec()
        case "zstd": try ZstdCodec()
        default:
            throw TransferFailure(
                .invalidContentEncoding, "the body has an unknown content coding: \(name.prefix(40))")
        }
    }

    enum Step {
        /// A piece of the decoded body, never empty. It is valid until the next step.
        case piece(UnsafeRawBufferPointer)
        case needsInput
        /// ``mostAtOnce`` bytes were decoded since the last yield. Other transfers run before the next step.
        case yield
    }

    /// Bytes that all codings but the last have decoded. A small body can become gigabytes there, although its decoded
    /// size is zero.
    private(set) var intermediateBytes = 0
    private var bytesSinceYield = 0

    /// Decodes the next piece. Removes the consumed bytes from `input`.
    func next(from input: inout UnsafeRawBufferPointer) throws(TransferFailure) -> Step {
        try step(of: stages.count - 1, &input)
    }

    private func step(
        of index: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(TransferFailure) -> Step {
        let stage = stages[index]
        while true {
            guard bytesSinceYield < Self.mostAtOnce else {
                bytesSinceYield = 0
                return .yield
            }
            if index == 0 { stage.input = input }
            if stage.input.isEmpty, !stage.isFull {
                guard index > 0 else { return .needsInput }
                let below = try step(of: index - 1, &input)
                guard case .piece(let more) = below else { return below }
                intermediateBytes += more.count
                stage.input = more
            }
            let count = try stage.codec.decode(&stage.input, into: stage.output)
            stage.isFull = count == stage.output.count
            bytesSinceYield += count
            if index == 0 {
                input = stage.input
                stage.input = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            if count > 0 { return .piece(UnsafeRawBufferPointer(rebasing: stage.output[..<count])) }
        }
    }

    /// Whether the body is complete: each coding is at the end of a compressed stream.
    var isWhole: Bool {
        stages.allSatisfy(\.codec.isWhole)
    }
}

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
