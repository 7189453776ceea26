import HttpMessages
import NodeCore

/// Decodes the chunked transfer coding (RFC 9112 §7.1) incrementally.
///
/// libcurl accepts `0x5` as the last chunk and doesn't limit chunk extensions, so the sender decodes chunks itself.
struct ChunkedBody {
    /// The element of the coding that the next byte belongs to.
    private enum State {
        /// In `chunk-size`, after this many digits.
        case size(digits: Int)
        /// After `chunk-size`, before an extension or the line end.
        case sizeEnd
        case chunkExtension
        case data
        case dataEnd
        /// In the trailer section; `isEmpty` at the start of a line.
        case trailer(isEmpty: Bool)
        case done
    }

    private var state = State.size(digits: 0)
    /// Whether the last byte was a CR, which an LF must follow.
    private var hasCarriageReturn = false
    /// Bytes of the chunk that were not received yet.
    private var remaining: Int64 = 0
    /// Bytes of whitespace, extensions and trailers. Each byte of data subtracts one, down to 0.
    private var overhead = 0
    private let overheadLimit: Int

    /// - Parameter overheadLimit: the most bytes by which extensions and trailers may exceed the data. A body with more
    ///   fails.
    init(overheadLimit: Int) {
        self.overheadLimit = overheadLimit
    }

    var isWhole: Bool {
        if case .done = state { true } else { false }
    }

    /// Removes the next piece of data from `input` and returns it; nil if `input` has none. Drops bytes after the body.
    mutating func next(
        from input: inout UnsafeRawBufferPointer
    ) throws(TransferFailure) -> UnsafeRawBufferPointer? {
        while let byte = input.first {
            switch state {
            case .data:
                let piece = UnsafeRawBufferPointer(rebasing: input.prefix(Int(min(remaining, Int64(input.count)))))
                input = UnsafeRawBufferPointer(rebasing: input.dropFirst(piece.count))
                remaining -= Int64(piece.count)
                overhead = max(0, overhead - piece.count)
                if remaining == 0 { state = .dataEnd }
                return piece
            case .done: input = UnsafeRawBufferPointer(rebasing: input.suffix(0))
            default:
                try take(byte)
                input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) throws(TransferFailure) {
        if hasCarriageReturn, byte != 0x0A { throw .invalidResponse("a line of the chunks has a CR without an LF") }
        hasCarriageReturn = byte == 0x0D
        if hasCarriageReturn { return }
        switch (state, byte) {
        case (.size(let digits), _):
            if let digit = Percent.hexValue(byte) {
                guard digits < 16, remaining <= Int64.max >> 4 else { throw .invalidResponse("a chunk is too large") }
                remaining = remaining << 4 | Int64(digit)
                state = .size(digits: digits + 1)
            } else {
                guard digits > 0 else { throw .invalidResponse("a chunk has no size") }
                state = .sizeEnd
                try take(byte)
            }
        case (.sizeEnd, 0x0A), (.chunkExtension, 0x0A): state = remaining == 0 ? .trailer(isEmpty: true) : .data
        case (.sizeEnd, 0x20), (.sizeEnd, 0x09): try countOverhead()
        case (.sizeEnd, UInt8(ascii: ";")): state = .chunkExtension
        case (.sizeEnd, _): throw .invalidResponse("the size of a chunk is no number")
        case (.chunkExtension, 0), (.trailer, 0): throw .invalidResponse("there is a NUL between chunks")
        case (.chunkExtension, _): try countOverhead()
        case (.dataEnd, 0x0A): state = .size(digits: 0)
        case (.dataEnd, _): throw .invalidResponse("a chunk is larger than its size")
        case (.trailer(let isEmpty), 0x0A): state = isEmpty ? .done : .trailer(isEmpty: true)
        case (.trailer, _):
            try countOverhead()
            state = .trailer(isEmpty: false)
        case (.data, _), (.done, _): break
        }
    }

    private mutating func countOverhead() throws(TransferFailure) {
        overhead += 1
        guard overhead <= overheadLimit else {
            throw TransferFailure(
                .headersTooLarge, "extensions and trailers of the chunks are larger than maxHeaderSize allows")
        }
    }
}
