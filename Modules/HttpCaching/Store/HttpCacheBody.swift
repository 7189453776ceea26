#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of a stored response: bytes in memory, or a source that is read piece by piece.
public struct HttpCacheBody: Sendable {
    package enum Source: Sendable {
        case data(Data)
        case pieces(@Sendable () async throws -> Data?)
    }

    package let source: Source
    /// The number of bytes.
    public let length: Int64

    /// Creates a body that is in memory.
    public init(_ data: Data) {
        source = .data(data)
        length = Int64(data.count)
    }

    /// Creates a body that is read piece by piece.
    ///
    /// - Parameters:
    ///   - length: the number of bytes of all pieces.
    ///   - next: returns the next piece, nil after the last one. One task at a time calls it. It throws where the rest
    ///     can't be read or is damaged. Its captures are released when the body isn't wanted any more.
    public init(length: Int64, next: @escaping @Sendable () async throws -> Data?) {
        source = .pieces(next)
        self.length = length
    }
}
