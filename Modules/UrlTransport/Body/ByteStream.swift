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
/// - A body that breaks off throws the ``TransportError``; pieces that came before are given first.
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

    /// The iterator: all of them read from the same body.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader)
    }

    /// Reads a ``ByteStream``.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: Reader

        fileprivate init(reader: Reader) {
            self.reader = reader
        }

        /// The next piece, nil after the last one.
        ///
        /// - Throws: the ``TransportError`` that ended the body, `CancellationError` when the task was canceled.
        public func next() async throws -> Data? {
            try await reader.buffer.next()
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
