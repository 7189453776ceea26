/// Reads a body in chunks (RFC 9112 §7.1), as much of it at a time as was received.
///
/// libcurl takes `0x5` for the last chunk and skips extensions without an end, so the sender reads chunks itself.
struct ChunkedBody {
    /// Where the next byte belongs.
    private enum State {
        /// In the size, which has so many digits.
        case size(digits: Int)
        /// After the size, before an extension or the end of the line.
        case sizeEnd
        case chunkExtension
        case data
        case dataEnd
        /// In a trailer, or at the start of one.
        case trailer(isEmpty: Bool)
        case done
    }

    private var state = State.size(digits: 0)
    /// Whether the last byte was a CR, which an LF has to follow.
    private var hasCarriageReturn = false
    /// Bytes of the chunk that were not received yet.
    private var remaining: Int64 = 0
    /// Bytes of extensions and trailers beyond those of the data.
    private var overhead = 0
    private let overheadLimit: Int

    /// - Parameter overheadLimit: how many bytes more than the data extensions and trailers may have.
    init(overheadLimit: Int) {
        self.overheadLimit = overheadLimit
    }

    /// Whether the body is complete.
    var isWhole: Bool {
        if case .done = state { true } else { false }
    }

    /// Takes the next piece of data off `input`; nil when there is none in it. What follows the body is dropped.
    mutating func next(
        from input: inout UnsafeRawBufferPointer
    ) throws(ResponseFraming.Violation) -> UnsafeRawBufferPointer? {
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

    /// Takes a byte that is no data.
    private mutating func take(_ byte: UInt8) throws(ResponseFraming.Violation) {
        if hasCarriageReturn, byte != 0x0A { throw .init("a line of the chunks has a CR without an LF") }
        hasCarriageReturn = byte == 0x0D
        if hasCarriageReturn { return }
        switch (state, byte) {
        case (.size(let digits), _):
            if let digit = byte.hexDigit {
                guard digits < 16, remaining <= Int64.max >> 4 else { throw .init("a chunk is too large") }
                remaining = remaining << 4 | digit
                state = .size(digits: digits + 1)
            } else {
                guard digits > 0 else { throw .init("a chunk has no size") }
                state = .sizeEnd
                try take(byte)
            }
        case (.sizeEnd, 0x0A), (.chunkExtension, 0x0A): state = afterSize
        case (.sizeEnd, 0x20), (.sizeEnd, 0x09): try countOverhead()
        case (.sizeEnd, UInt8(ascii: ";")): state = .chunkExtension
        case (.sizeEnd, _): throw .init("the size of a chunk is no number")
        case (.chunkExtension, 0), (.trailer, 0): throw .init("there is a NUL between chunks")
        case (.chunkExtension, _): try countOverhead()
        case (.dataEnd, 0x0A): state = .size(digits: 0)
        case (.dataEnd, _): throw .init("a chunk is larger than its size")
        case (.trailer(let isEmpty), 0x0A): state = isEmpty ? .done : .trailer(isEmpty: true)
        case (.trailer, _):
            try countOverhead()
            state = .trailer(isEmpty: false)
        case (.data, _), (.done, _): break
        }
    }

    private var afterSize: State {
        remaining == 0 ? .trailer(isEmpty: true) : .data
    }

    private mutating func countOverhead() throws(ResponseFraming.Violation) {
        overhead += 1
        guard overhead <= overheadLimit else {
            throw .init(
                "extensions and trailers of the chunks are larger than maxHeaderSize allows", code: .headersTooLarge
            )
        }
    }
}

extension UInt8 {
    fileprivate var hexDigit: Int64? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int64(self - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int64(self - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
