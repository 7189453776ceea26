#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of an answer, piece by piece as it comes.
///
/// ```swift
/// for try await chunk in stream { size += chunk.count }
/// ```
///
/// - For one reader. A second one that asks while the first waits gets a ``ByteStreamError``.
/// - Without a reader about 1 MiB is kept; then the transfer pauses, and so does the server. A pause is no stall.
/// - A body that breaks off throws the sender's ``TransportError``, in a chain of the builder its ``TechnicalError`` if
///   it is one. Pieces that came before are given first.
/// - Releasing the stream and its iterator, or canceling the task that reads, ends the transfer at once.
public struct ByteStream: AsyncSequence, Sendable {
    /// A piece of the body, never empty.
    public typealias Element = Data

    /// Ends the transfer with its last reference.
    fileprivate final class Reader: Sendable {
        let buffer: ByteBuffer

        init(_ buffer: ByteBuffer) {
            self.buffer = buffer
        }

        deinit {
            buffer.abandon()
        }
    }

    private let reader: Reader
    private var errorMap: @Sendable (any Error) -> any Error = { $0 }

    package init(_ buffer: ByteBuffer) {
        reader = Reader(buffer)
    }

    /// A stream of these bytes in one piece.
    public init(_ data: Data) {
        let buffer = ByteBuffer(onRoom: {}, onAbandon: {})
        if !data.isEmpty { _ = data.withUnsafeBytes { buffer.write($0) } }
        buffer.finish(nil)
        self.init(buffer)
    }

    /// The same body, which fails with the errors that `transform` makes of the sender's.
    package func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> ByteStream {
        var stream = self
        stream.errorMap = transform
        return stream
    }

    /// The iterator: all of them read from the same body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, errorMap: errorMap)
    }

    /// Reads a ``ByteStream``.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader
        private let errorMap: @Sendable (any Error) -> any Error

        fileprivate init(reader: Reader, errorMap: @escaping @Sendable (any Error) -> any Error) {
            self.reader = reader
            self.errorMap = errorMap
        }

        /// The next piece, nil after the last one.
        ///
        /// - Throws: the error that ended the body, `CancellationError` when the task was canceled.
        public func next() async throws -> Data? {
            do {
                return try await reader.buffer.next()
            } catch {
                throw errorMap(error)
            }
        }
    }
}

/// A ``ByteStream`` was read by two tasks at once.
public struct ByteStreamError: Error, CustomStringConvertible {
    /// What is wrong.
    public var description: String {
        "The stream is read by another task at this moment; a body can be read once."
    }
}
