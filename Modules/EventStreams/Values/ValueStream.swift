/// Values that a server sends one after the other: events, lines, elements of an array, pages.
///
/// ```swift
/// for try await row in api.get("export").lines(of: Row.self) { sum += row.id }
/// ```
///
/// - The request is sent when the first value is asked for, in the task that asks. Nothing is requested that isn't
///   asked for: a slow reader slows the server down.
/// - All iterators read from the same stream. Concurrent calls are served in order, and each value is delivered once.
/// - Canceling the task that reads, or releasing the stream and its iterators, ends the transfer at once.
/// - After an error each further call throws it again.
public struct ValueStream<Element: Sendable>: AsyncSequence, Sendable {
    private let reader: ValueReader<Element>

    /// Creates a stream of the values of a source.
    package init(_ source: some ValueSource<Element>) {
        reader = SourceReader(source)
    }

    /// Returns an iterator. All iterators read from the same stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader)
    }

    /// Reads a ``ValueStream``.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let reader: ValueReader<Element>

        /// Returns the next value; nil after the last one.
        ///
        /// - Throws: the error that the stream failed with, or `CancellationError` when the task was canceled.
        public func next() async throws -> Element? {
            try await reader.next()
        }
    }
}

/// Supplies the values of a ``ValueStream``.
package protocol ValueSource<Element>: Sendable {
    associatedtype Element: Sendable

    /// Returns the next value; nil after the last one, and then it isn't called again. Nor is it called again after an
    /// error.
    mutating func next() async throws -> Element?
}

/// The base class hides the type of the source.
private class ValueReader<Element: Sendable>: @unchecked Sendable {  // immutable state
    func next() async throws -> Element? { nil }
}

private final class SourceReader<Source: ValueSource>: ValueReader<Source.Element>, @unchecked Sendable {
    // One call at a time has the turn, and only that one uses the two.
    private var source: Source?
    private var error: (any Error)?
    private let turns = TurnQueue()

    init(_ source: Source) {
        self.source = source
    }

    override func next() async throws -> Source.Element? {
        try await turns.wait()
        defer { turns.pass() }
        if let error { throw error }
        do {
            if let value = try await source?.next() { return value }
            source = nil
            return nil
        } catch {
            (source, self.error) = (nil, error)
            throw error
        }
    }
}
