#if os(Linux)
/// One coding of a body, undone. Used by one thread at a time.
protocol ContentCodec: AnyObject {
    /// Whether all that came so far is whole: the end of a compressed stream was the last thing.
    var isWhole: Bool { get }

    /// Decodes into the buffer until it is full or there is no more input, and returns how many bytes it filled.
    /// `input` is left with what was not taken. May be called with no input for what is left inside.
    func decode(
        _ input: inout UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ContentDecodingError) -> Int
}

/// Why a body could not be decompressed.
enum ContentDecodingError: Error, Equatable {
    /// How many codings one upon the other are undone; libcurl takes as many.
    static let mostCodings = 5

    /// A coding that is not known.
    case unknown(String)
    /// More codings than anybody needs.
    case tooMany
    /// The bytes are not of that coding.
    case damaged(String)
    /// The body ended inside a compressed stream.
    case cut
    /// There is no memory to decompress with.
    case noMemory

    /// What is wrong, in words.
    var reason: String {
        switch self {
        case .unknown(let name): "the body is compressed in a form that is not known: \(name)"
        case .tooMany: "the body is compressed more than \(Self.mostCodings) times"
        case .damaged(let name): "the body is not \(name) as its headers say, or is damaged"
        case .cut: "the body ended inside its compressed data"
        case .noMemory: "there is no memory to decompress with"
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Leaves out what was taken from the front.
    mutating func take(_ count: Int) {
        self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
    }
}
#endif
