package import HttpMessages
package import NodeCore
internal import ResponseProcessing

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads the body of a response piece by piece, with a limit of the silence between two.
package struct PieceReader: Sendable {
    /// Describes the response, for errors.
    package let response: HttpResponse
    private let stream: ByteStream
    private let buffer: ByteBuffer
    private let silenceLimit: Duration?
    private let clock: any ChainClock

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - response: a response with a stream; the body of another one is empty.
    ///   - silenceLimit: how long the server may send nothing while the reader waits; nil for no limit.
    ///   - clock: the source of time.
    package init(_ response: HttpResponse, silenceLimit: Duration? = nil, clock: any ChainClock = .system) {
        let bytes = response.bytes ?? ByteStream(response.data)
        var head = response
        // The reader alone retains the transfer.
        head.bytes = nil
        self.response = head
        buffer = bytes.buffer
        stream = bytes.mapError { TechnicalError.mapping($0) }
        self.silenceLimit = silenceLimit
        self.clock = clock
    }

    /// Returns the next piece; nil after the last one.
    ///
    /// - Throws: the error that the body failed with; `TechnicalError.timeout` after the silence; `CancellationError`.
    package func next() async throws -> Data? {
        guard let silenceLimit else { return try await stream.makeAsyncIterator().next() }
        let timer = clock.wait(for: silenceLimit).onCompleted { [buffer, response] in
            buffer.abort(
                TransportError(
                    .stalled, of: response.request, reason: "the server sent nothing for \(silenceLimit)",
                    wasProcessed: .yes))
        }
        defer { timer.cancel() }
        return try await stream.makeAsyncIterator().next()
    }
}
