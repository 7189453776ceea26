import Foundation
import HttpMessages

/// Writes a body to a file or a stream. Used on the session's queue, except ``failStream(_:)``, which may be called
/// from any thread.
final class SessionSink: @unchecked Sendable {  // mutable state is used on the session's queue only
    private enum Target {
        case file(FileWriter)
        case stream(ByteBuffer)
    }

    private let target: Target

    private init(_ target: Target) {
        self.target = target
    }

    /// Creates a sink for a file that is moved into place when it is complete.
    convenience init(file: URL, onSpace: @escaping @Sendable () -> Void) {
        self.init(.file(FileWriter(TemporaryFile(for: file), onSpace: onSpace)))
    }

    /// Creates a sink for a stream, and the stream for the reader.
    static func stream(
        onSpace: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) -> (sink: SessionSink, stream: ByteStream) {
        let buffer = ByteBuffer(onSpace: onSpace, onAbandon: onAbandon)
        return (SessionSink(.stream(buffer)), ByteStream(buffer))
    }

    var isStream: Bool {
        if case .stream = target { true } else { false }
    }

    func write(_ data: Data) {
        data.withUnsafeBytes { bytes in
            switch target {
            case .stream(let buffer): buffer.write(bytes)
            case .file(let writer): writer.write(bytes)
            }
        }
    }

    /// Whether the session should deliver more. After false, the reader or the disk is too slow, and `onSpace` is called
    /// later.
    func hasSpace() throws(BodyFailure) -> Bool {
        switch target {
        case .stream(let buffer): buffer.hasSpace()
        case .file(let writer): try writer.hasSpace()
        }
    }

    /// Fails a stream. May be called from any thread.
    func failStream(_ error: TransportError) {
        if case .stream(let buffer) = target { buffer.finish(error) }
    }

    /// Completes the body. `then` is called with the failure, if there was one. A file is then in place or removed.
    func complete(
        _ result: Result<HttpResponse, TransportError>, isWanted: @escaping @Sendable () -> Bool,
        then: @escaping @Sendable (BodyFailure?) -> Void
    ) {
        switch (target, result) {
        case (.stream(let buffer), .failure(let error)):
            buffer.finish(error)
            then(nil)
        case (.stream(let buffer), .success(let response)):
            buffer.finish(nil, metrics: response.metrics)
            then(nil)
        case (.file(let writer), .failure): writer.abandon { then(nil) }
        case (.file(let writer), .success):
            writer.finish(isWanted: isWanted) { end in
                if case .failed(let failure) = end { then(failure) } else { then(nil) }
            }
        }
    }
}
