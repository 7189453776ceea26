#if os(Linux)
/// Decodes one content coding of a body. Used by one thread at a time.
protocol ContentCodec: AnyObject {
    /// Whether the input so far ends with the end of a compressed stream.
    var isWhole: Bool { get }

    /// Decodes into `output` until it is full or `input` is empty. Returns the number of bytes written.
    ///
    /// Removes the consumed bytes from `input`. With an empty `input`, it writes the output that the codec still holds.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) -> Int
}

/// Why a body could not be decompressed.
enum ContentDecodingError: Error, Equatable {
    /// The most content codings of one body, the same as libcurl's limit. A body with more fails with ``tooMany``.
    static let mostCodings = 5

    /// An unsupported coding.
    case unknown(String)
    /// More codings than ``mostCodings``.
    case tooMany
    /// The bytes are not valid data of this coding.
    case damaged(String)
    /// The body ended inside a compressed stream.
    case cut
    /// Allocating a decoder failed.
    case noMemory

    /// The reason for a ``TransportError``.
    var reason: String {
        switch self {
        case .unknown(let name): "the body has an unknown content coding: \(name)"
        case .tooMany: "the body is compressed more than \(Self.mostCodings) times"
        case .damaged(let name): "the body is not \(name) as its headers say, or is damaged"
        case .cut: "the body ended inside its compressed data"
        case .noMemory: "there is no memory to decompress with"
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Removes the first `count` bytes.
    mutating func take(_ count: Int) {
        self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
    }
}
#endif
