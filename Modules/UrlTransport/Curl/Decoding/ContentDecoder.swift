#if os(Linux)
/// Undoes the codings of one body (RFC 9110 §8.4), piece by piece: however large the body becomes, no more than one
/// piece for each coding is in memory. Used by one thread at a time.
///
/// Stricter than the usual client: a stream without its end and bytes after its end are errors.
final class ContentDecoder {
    /// What is asked for: all that is understood.
    static let accepted = "deflate, gzip, br, zstd"
    /// Bytes of the largest piece.
    static let pieceSize = 64 << 10

    /// The most bytes that may be decoded before other transfers, cancellations and time limits are served.
    static let mostAtOnce = 4 << 20

    /// One coding, where its output goes, and what of its input is left.
    private final class Stage {
        let codec: any ContentCodec
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)
        var input = UnsafeRawBufferPointer(start: nil, count: 0)
        /// Whether the codec may give more without more input.
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
    init(_ names: [String]) throws(ContentDecodingError) {
        guard names.count <= ContentDecodingError.mostCodings else { throw .tooMany }
        var stages: [Stage] = []
        for name in names.reversed() { stages.append(Stage(try Self.codec(name))) }
        self.stages = stages
    }

    /// The codings that the values of these fields name, but for those that change nothing.
    static func codings(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }
            .map { $0.trimmed.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
    }

    private static func codec(_ name: String) throws(ContentDecodingError) -> any ContentCodec {
        switch name {
        case "gzip", "x-gzip": InflateCodec(isGzip: true)
        case "deflate": InflateCodec(isGzip: false)
        case "br": try BrotliCodec()
        case "zstd": try ZstdCodec()
        default: throw .unknown(String(name.prefix(40)))
        }
    }

    /// What a step of decoding gives.
    enum Step {
        /// A piece of the decoded body, never empty. It is valid until the next step.
        case piece(UnsafeRawBufferPointer)
        case needsInput
        /// So much was decoded between two codings that other transfers run first.
        case yield
    }

    /// Bytes that all codings but the last have given: a few bytes can become gigabytes on the way, and nothing at its end.
    private(set) var intermediateBytes = 0
    /// The same since the last yield.
    private var bytesSinceYield = 0

    /// Decodes the next piece; `input` is left with what was not taken.
    func next(from input: inout UnsafeRawBufferPointer) throws(ContentDecodingError) -> Step {
        try step(of: stages.count - 1, &input)
    }

    private func step(
        of index: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(ContentDecodingError) -> Step {
        let stage = stages[index]
        while true {
            if index == 0 { stage.input = input }
            if stage.input.isEmpty, !stage.isFull {
                guard index > 0 else { return .needsInput }
                guard bytesSinceYield < Self.mostAtOnce else {
                    bytesSinceYield = 0
                    return .yield
                }
                let below = try step(of: index - 1, &input)
                guard case .piece(let more) = below else { return below }
                intermediateBytes += more.count
                bytesSinceYield += more.count
                stage.input = more
            }
            let count = try stage.codec.decode(&stage.input, into: stage.output)
            stage.isFull = count == stage.output.count
            if index == 0 {
                input = stage.input
                stage.input = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            if count > 0 { return .piece(UnsafeRawBufferPointer(rebasing: stage.output[..<count])) }
        }
    }

    /// Whether the body may end here.
    var isWhole: Bool {
        stages.allSatisfy(\.codec.isWhole)
    }
}
#endif
