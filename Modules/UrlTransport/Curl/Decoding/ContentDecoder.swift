#if os(Linux)
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
#endif
