#if os(Linux)
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
#endif
