import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The bounded buffer between a transfer that writes and a ``ByteStream`` that is read.
package final class ByteBuffer: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Data?, any Error>?
        /// Bytes that were written and not read. The reader gets them as one piece.
        var bytes = Data()
        var isFull = false
        var isAbandoned = false
        /// The result; the inner value is nil for a complete body.
        var end: (any Error)??
    }

    private let state = Mutex(State())
    private let limit: Int
    private let onSpace: @Sendable () -> Void
    private let onAbandon: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the number of unread bytes at which ``hasSpace()`` returns false.
    ///   - onSpace: called by the reader's thread when there is space after ``hasSpace()`` returned false.
    ///   - onAbandon: called when the reader is released or its task canceled, unless the body was complete.
    package init(
        limit: Int = 1 << 20, onSpace: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.onSpace = onSpace
        self.onAbandon = onAbandon
    }

    /// Appends the bytes, however many are unread. Discards them after the body's completion and after the reader's
    /// release.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        let waiting = state.taking { state -> CheckedContinuation<Data?, any Error>? in
            if state.isAbandoned || state.end != nil { return nil }
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

    /// Completes the body, or fails it with an error. Only the first call has an effect.
    package func finish(_ error: (any Error)?) {
        let waiting = state.taking { state -> CheckedContinuation<Data?, any Error>? in
            guard state.end == nil else { return nil }
            state.end = .some(error)
            defer { state.waiting = nil }
            return state.waiting
        }
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume(returning: nil) }
    }

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
            guard state.waiting == nil else { return (.failure(ResponseBodyError.streamIsBusy), false) }
            if !state.bytes.isEmpty {
                defer {
                    state.bytes = Data()
                    state.isFull = false
                }
                return (.success(state.bytes), state.isFull)
            }
            switch state.end {
            case .some(.some(let error)): return (.failure(error), false)
            case .some(.none): return (.success(nil), false)
            case .none:
                state.waiting = continuation
                return (nil, false)
            }
        }
        if let result { continuation.resume(with: result) }
        if hasCapacity { onSpace() }
    }

    /// Called when the reader is released or its task is canceled.
    func abandon() {
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
