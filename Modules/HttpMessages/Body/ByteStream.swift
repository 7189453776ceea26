#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of a response, delivered in pieces as they arrive.
///
/// ```swift
/// for try await chunk in stream { size += chunk.count }
/// ```
///
/// - It has one reader. A second one that asks while the first one waits gets a ``ResponseBodyError``.
/// - About 1 MiB is buffered without a reader. Then the transfer pauses, and flow control pauses the server: over HTTP/2
///   after up to 32 MB more. A pause doesn't count as a stall.
/// - An incomplete body throws the sender's ``TransportError``. In a chain of the builder it throws the matching
///   ``TechnicalError``, if there is one. Pieces that arrived before are delivered first.
/// - Releasing the stream and its iterators, or canceling the task that reads, cancels the transfer at once.
public struct ByteStream: AsyncSequence, Sendable {
    /// Abandons the buffer when the last reference is released.
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

    /// The buffer. Retaining it doesn't keep the transfer of a stream without readers.
    package var buffer: ByteBuffer { reader.buffer }

    /// Creates a stream that delivers these bytes in one piece.
    public init(_ data: Data) {
        let buffer = ByteBuffer(onSpace: {}, onAbandon: {})
        if !data.isEmpty { data.withUnsafeBytes { buffer.write($0) } }
        buffer.finish(nil)
        self.init(buffer)
    }

    /// Returns the same body, whose errors are mapped by `transform`.
    package func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> ByteStream {
        var stream = self
        stream.errorMap = transform
        return stream
    }

    /// Returns an iterator. All iterators read from the same body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, errorMap: errorMap)
    }

    /// Reads a ``ByteStream``.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader
        fileprivate let errorMap: @Sendable (any Error) -> any Error

        /// Returns the next piece; nil after the last one.
        ///
        /// - Throws: the error that the body failed with, or `CancellationError` when the task was canceled.
        public func next() async throws -> Data? {
            do {
                return try await reader.buffer.next()
            } catch {
                throw errorMap(error)
            }
        }
    }
}
