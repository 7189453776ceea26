import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The bounded buffer between a transfer that writes and a ``ByteStream`` that is read.
package final class ByteBuffer: Sendable {
    /// How the body ended.
    package struct End: Sendable {
        /// A body whose reader was released, or its task canceled, is canceled.
        package let outcome: Outcome<Void>
        /// The metrics of the transfer; nil where the sender doesn't know them.
        package let metrics: TransferMetrics?
        /// The bytes that were written, as the reader gets them.
        package let bytes: Int64
        /// Whether a reader has asked for a piece.
        package let wasRead: Bool

        /// The metrics of the whole transfer, whose head arrived at `start`.
        package func metrics(after head: TransferMetrics, at start: ContinuousClock.Instant) -> TransferMetrics {
            if let metrics { return metrics }
            var metrics = head
            metrics.total += .now - start
            metrics.bytesReceived = bytes
            return metrics
        }
    }

    private struct State {
        var waiting: CheckedContinuation<Data?, any Error>?
        /// Bytes that were written and not read. The reader gets them as one piece.
        var bytes = Data()
        var written: Int64 = 0
        var isFull = false
        var isAbandoned = false
        var wasRead = false
        var end: End?
        var listeners: [@Sendable (End) -> Void] = []
        /// The number of holds. The reader gets the end when there is none.
        var holds = 0

        /// What the reader gets after the last piece; nil before the end.
        var last: Result<Data?, any Error>? {
            guard let end, holds == 0 else { return nil }
            return switch end.outcome {
            case .completed: .success(nil)
            case .failed(let error): .failure(error)
            case .canceled: .failure(CancellationError())
            }
        }

        /// Removes the reader that waits, if it gets the end.
        mutating func takeReader() -> (CheckedContinuation<Data?, any Error>, Result<Data?, any Error>)? {
            guard let last, let reader = waiting.take() else { return nil }
            return (reader, last)
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let onSpace: @Sendable () -> Void
    private let onAbandon: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the number of unread bytes at which ``hasSpace()`` returns false.
    ///   - onSpace: called by the reader's thread when there is space after ``hasSpace()`` returned false.
    ///   - onAbandon: called when the reader is released, its task canceled, or the body aborted, unless the body was
    ///     complete. The sender ends the transfer and calls ``finish(_:metrics:)``.
    package init(
        limit: Int = 1 << 20, onSpace: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.onSpace = onSpace
        self.onAbandon = onAbandon
    }

    deinit {
        finish(CancellationError())
    }

    /// Appends the bytes, however many are unread. Discards them after the body's completion and after the reader's
    /// release.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        let waiting = state.taking { state -> CheckedContinuation<Data?, any Error>? in
            if state.isAbandoned || state.end != nil { return nil }
            state.written += Int64(bytes.count)
            if let waiting = state.waiting.take() { return waiting }
            state.bytes.append(contentsOf: bytes)
            return nil
        }
        waiting?.resume(returning: Data(bytes))
    }

    /// Whether more bytes should be written. After false, `onSpace` is called once the reader has read.
    package func hasSpace() -> Bool {
        state.withLock { state in
            state.isFull = state.bytes.count >= limit
            return !state.isFull
        }
    }

    /// Whether the reader was released, or its task canceled.
    package var isAbandoned: Bool {
        state.withLock { $0.isAbandoned }
    }

    // MARK: The end

    /// How the body ended; nil before that.
    package var end: End? { state.withLock { $0.end } }

    /// Completes the body, or fails it with an error. Only the first call has an effect.
    package func finish(_ error: (any Error)?, metrics: TransferMetrics? = nil) {
        finish(error, metrics, isAborted: false)
    }

    /// Fails the body with an error, and makes the sender end the transfer, unless the body was complete. The reader gets
    /// the pieces that have arrived before the error.
    package func abort(_ error: any Error) {
        if finish(error, nil, isAborted: true) { onAbandon() }
    }

    @discardableResult
    private func finish(_ error: (any Error)?, _ metrics: TransferMetrics?, isAborted: Bool) -> Bool {
        let taken = state.taking { state -> (end: End, listeners: [@Sendable (End) -> Void])? in
            guard state.end == nil, !isAborted || !state.isAbandoned else { return nil }
            let outcome: Outcome<Void> =
                switch error {
                case nil: .completed(())
                case _? where state.isAbandoned: .canceled
                case is CancellationError: .canceled
                case let error?: .failed(error)
                }
            let end = End(outcome: outcome, metrics: metrics, bytes: state.written, wasRead: state.wasRead)
            state.end = end
            // The reader gets the end after the listeners.
            state.holds += 1
            defer { state.listeners = [] }
            return (end, state.listeners)
        }
        guard let taken else { return false }
        for listener in taken.listeners { listener(taken.end) }
        release()
        return true
    }

    /// Calls `listener` once, with the end and before the reader gets it, on the thread that ends the body; at once after
    /// the end.
    package func onEnd(_ listener: @escaping @Sendable (End) -> Void) {
        let end = state.taking { state in
            if state.end == nil { state.listeners.append(listener) }
            return state.end
        }
        if let end { listener(end) }
    }

    /// Makes the reader wait for the end until ``release()`` is called.
    package func hold() {
        state.withLock { $0.holds += 1 }
    }

    /// Ends what ``hold()`` began.
    package func release() {
        let reader = state.taking { state in
            state.holds -= 1
            return state.takeReader()
        }
        if let (reader, last) = reader { reader.resume(with: last) }
    }

    // MARK: Reading

    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
            abandon()
        }
    }

    private func wait(_ continuation: CheckedContinuation<Data?, any Error>) {
        let (result, hasCapacity) = state.taking { state -> (Result<Data?, any Error>?, Bool) in
            if state.isAbandoned { return (.failure(CancellationError()), false) }
            state.wasRead = true
            guard state.waiting == nil else { return (.failure(ResponseBodyError.streamIsBusy), false) }
            if !state.bytes.isEmpty {
                defer {
                    state.bytes = Data()
                    state.isFull = false
                }
                return (.success(state.bytes), state.isFull)
            }
            if let last = state.last { return (last, false) }
            state.waiting = continuation
            return (nil, false)
        }
        if let result { continuation.resume(with: result) }
        if hasCapacity { onSpace() }
    }

    /// Ends the transfer. Called when the reader is released, its task is canceled, or the response is rejected.
    package func abandon() {
        let (waiting, isFirst) = state.taking { state -> (CheckedContinuation<Data?, any Error>?, Bool) in
            let isFirst = !state.isAbandoned && state.end == nil
            state.isAbandoned = true
            state.bytes = Data()
            defer { state.waiting = nil }
            return (state.waiting, isFirst)
        }
        waiting?.resume(throwing: CancellationError())
        if isFirst { onAbandon() }
    }
}
