/// Values that a server sends one after the other: events, lines, elements of an array, pages.
///
/// ```swift
/// for try await row in api.get("export").lines(of: Row.self) { sum += row.id }
/// ```
///
/// - The request is sent when the first value is asked for, in the task that asks. Nothing is requested that isn't
///   asked for: a slow reader slows the server down.
/// - All iterators read from the same stream. Concurrent calls are served in order, and each value is delivered once.
/// - Canceling a task that reads, or releasing the stream and its iterators, ends the transfer at once, for all readers. A
///   task that waits for another reader only ends its own call.
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

    /// Unavailable: names the function.
    @available(*, unavailable, message: "write try await values.reduce(into: []) { $0.append($1) }")
    public func collect() async throws -> [Element] { [] }

    /// Reads a ``ValueStream``.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let reader: ValueReader<Element>

        /// Returns the next value; nil after the last one.
        ///
        /// - Throws: the error that the stream failed with, or `CancellationError` when the task was canceled.
        public func next() async throws -> Element? {
            try await reader.next(isolation: nil)
        }

        /// Returns the next value, as ``next()`` does. A loop on an actor calls this one, and leaves the actor only where no
        /// value is at hand. Values are decoded off the actor, up to 32 at once.
        public func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await reader.next(isolation: actor)
        }
    }
}

/// Supplies the values of a ``ValueStream``.
package protocol ValueSource<Element>: Sendable {
    associatedtype Element: Sendable

    /// Returns the next value; nil after the last one, and then it isn't called again. Nor is it called again after an
    /// error.
    mutating func next() async throws -> Element?

    /// Returns the next value if it is there, without waiting; nil where ``next()`` has to wait or to end. By default nil.
    mutating func ready() throws -> Element?
}

extension ValueSource {
    /// nil: each value is waited for.
    package mutating func ready() throws -> Element? { nil }
}

/// The base class hides the type of the source.
private class ValueReader<Element: Sendable>: @unchecked Sendable {  // immutable state
    func next(isolation: isolated (any Actor)?) async throws -> Element? { nil }
}

private final class SourceReader<Source: ValueSource>: ValueReader<Source.Element>, @unchecked Sendable {
    /// How many values are taken at once. Of a million lines that a loop on the main actor reads, each would otherwise cost
    /// two switches of threads: 10 µs and not 1 µs (Linux, two cores).
    private static var batchSize: Int { 32 }

    // One call at a time has the turn, and only that one uses these.
    private var source: Source?
    /// Values that have been taken from the source, the last one first.
    private var values: [Source.Element] = []
    /// Follows the values.
    private var error: (any Error)?
    private let turns = TurnQueue()

    init(_ source: Source) {
        self.source = source
    }

    override func next(isolation: isolated (any Actor)?) async throws -> Source.Element? {
        if !turns.take() { try await turns.wait() }
        defer { turns.pass() }
        // A canceled reader gets no values that have arrived before, so that the transfer ends at once.
        if Task.isCancelled, source != nil || !values.isEmpty { cancel() }
        if values.isEmpty, error == nil { await takeValues() }
        if let value = values.popLast() { return value }
        if let error { throw error }
        return nil
    }

    /// Takes what the source has, at least one value, off the caller's actor.
    private func takeValues() async {
        do {
            guard let value = try await source?.next() else {
                source = nil
                return
            }
            values.append(value)
            while values.count < Self.batchSize, let value = try source?.ready() { values.append(value) }
            values.reverse()
        } catch {
            values.reverse()
            (source, self.error) = (nil, error)
        }
    }

    private func cancel() {
        (source, error) = (nil, CancellationError())
        values = []
    }
}
