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
        let reading = Mutex<Task<Void, Never>?>(nil)
        // It isn't abandoned before the stream is returned.
        let buffer = ByteBuffer(onSpace: { space.yield() }, onAbandon: { reading.withLock { $0 }?.cancel() })
        let task = Task {
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
        reading.withLock { $0 = task }
        return ByteStream(buffer)
    }
}
