import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What lies between a transfer that writes and a ``ByteStream`` that is read: no more than a limit of bytes.
package final class ByteBuffer: Sendable {
    private struct State {
        var waiting: CheckedContinuation<Data?, any Error>?
        /// What was written and not read; given to the reader in one piece.
        var bytes = Data()
        var isFull = false
        var isAbandoned = false
        /// How it ended; the inner value is nil for a whole body.
        var end: (any Error)??
    }

    private let state = Mutex(State())
    private let limit: Int
    private let onRoom: @Sendable () -> Void
    private let onAbandon: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: how many bytes may lie unread before ``write(_:)`` refuses.
    ///   - onRoom: called when there is room after a refusal.
    ///   - onAbandon: called when the reader is released, unless the body has ended.
    package init(
        limit: Int = 1 << 20, onRoom: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) {
        self.limit = limit
        self.onRoom = onRoom
        self.onAbandon = onAbandon
    }

    /// Takes the bytes; false, and takes none, while too many lie unread.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Data?, any Error>?) in
            if state.isAbandoned || state.end != nil { return (true, nil) }
            if let waiting = state.waiting {
                state.waiting = nil
                return (true, waiting)
            }
            guard state.bytes.count < limit else {
                state.isFull = true
                return (false, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (true, nil)
        }
        waiting?.resume(returning: Data(bytes))
        return isTaken
    }

    /// Ends the body: with the error that broke it off, or whole. The first end counts.
    package func finish(_ error: (any Error)?) {
        let waiting = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
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
        let (result, hasRoom) = state.withLock { state -> (Result<Data?, any Error>?, Bool) in
            if state.isAbandoned { return (.failure(CancellationError()), false) }
            guard state.waiting == nil else { return (.failure(ByteStreamError()), false) }
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
        if hasRoom { onRoom() }
    }

    /// The reader is released.
    func abandon() {
        let (waiting, isFirst) = state.withLock { state -> (CheckedContinuation<Data?, any Error>?, Bool) in
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
