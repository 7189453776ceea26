package import HttpMessages
package import NodeCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How long a server may send nothing while its body is read.
package struct SilenceLimit: Sendable {
    let time: Duration
    let clock: any ChainClock
    /// The request, for the error.
    let request: HttpRequest

    /// Returns nil for no limit, which zero means, too.
    package init?(_ time: Duration?, clock: any ChainClock, of request: HttpRequest) {
        guard let time, time > .zero else { return nil }
        (self.time, self.clock, self.request) = (time, clock, request)
    }
}

/// Reads a body piece by piece, with a limit of the silence between two. Releasing it cancels the transfer.
package struct PieceReader: Sendable {
    private let stream: ByteStream
    private let limit: SilenceLimit?

    /// Creates a reader.
    package init(_ stream: ByteStream, limit: SilenceLimit? = nil) {
        self.stream = stream
        self.limit = limit
    }

    /// Returns the next piece; nil after the last one.
    ///
    /// - Throws: the error that the body failed with; `TransportError` with `stalled` after the silence, mapped as the
    ///   stream maps its errors; `CancellationError`.
    package func next() async throws -> Data? {
        guard let limit else { return try await stream.makeAsyncIterator().next() }
        let timer = limit.clock.wait(for: limit.time).onCompleted { [buffer = stream.buffer] in
            buffer.abort(
                TransportError(
                    .stalled, of: limit.request, reason: "the server sent nothing for \(limit.time)",
                    wasProcessed: .yes))
        }
        defer { timer.cancel() }
        return try await stream.makeAsyncIterator().next()
    }
}
