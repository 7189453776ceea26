import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Moves pieces from a source to the reader of a ``ByteStream``, no faster than it reads.
enum BodyPump {
    /// The stream of the pieces. Releasing it cancels the task that reads the source.
    ///
    /// - Parameters:
    ///   - metrics: the metrics of the transfer, called after the last piece.
    ///   - next: the next piece; nil after the last one. Called in a dedicated task.
    static func stream(
        metrics: @escaping @Sendable () -> TransferMetrics? = { nil },
        _ next: @escaping @Sendable () async throws -> Data?
    ) -> ByteStream {
        let (spaces, space) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let reading = Reading()
        let buffer = ByteBuffer(onSpace: { space.yield() }, onAbandon: { reading.cancel() })
        reading.start {
            do {
                var spaces = spaces.makeAsyncIterator()
                while let piece = try await next() {
                    piece.withUnsafeBytes { buffer.write($0) }
                    // The iterator ends when the task is canceled.
                    while !buffer.hasSpace(), await spaces.next() != nil {}
                    try Task.checkCancellation()
                }
                buffer.finish(nil, metrics: metrics())
            } catch {
                buffer.finish(error, metrics: metrics())
            }
        }
        return ByteStream(buffer)
    }

    /// Keeps the task for a cancel, which may come before it has begun.
    private final class Reading: Sendable {
        private struct State {
            var task: Task<Void, Never>?
            var isCanceled = false
        }

        private let state = Mutex(State())

        func start(_ body: @escaping @Sendable () async -> Void) {
            let task = Task { await body() }
            let isCanceled = state.withLock { state in
                state.task = task
                return state.isCanceled
            }
            if isCanceled { task.cancel() }
        }

        func cancel() {
            let task = state.taking { state in
                state.isCanceled = true
                return state.task
            }
            task?.cancel()
        }
    }
}
