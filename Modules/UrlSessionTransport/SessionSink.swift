import Foundation
import UrlTransport

/// Writes a body to a file or a stream. Used on the session's queue, except ``failStream(_:)``, which may be called
/// from any thread.
final class SessionSink: @unchecked Sendable {  // mutable state is used on the session's queue only
    private enum Target {
        case file(FileWriter)
        case stream(ByteBuffer)
    }

    private let target: Target
    /// Pieces that arrived while the reader or the disk was slower: the session delivers what it has buffered.
    private var pending: [Data] = []
    /// Completes the body when nothing is pending.
    private var whenDrained: (() -> Void)?

    private init(_ target: Target) {
        self.target = target
    }

    /// Creates a sink for a file that is moved into place when it is complete.
    convenience init(file: URL, onRoom: @escaping @Sendable () -> Void) {
        self.init(.file(FileWriter(TemporaryFile(for: file), onRoom: onRoom)))
    }

    /// Creates a sink for a stream, and the stream for the reader.
    static func stream(
        onRoom: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) -> (sink: SessionSink, stream: ByteStream) {
        let buffer = ByteBuffer(onRoom: onRoom, onAbandon: onAbandon)
        return (SessionSink(.stream(buffer)), ByteStream(buffer))
    }

    var isStream: Bool {
        if case .stream = target { true } else { false }
    }

    /// Takes a piece. Returns false when the reader or the disk becomes too slow; `onRoom` is called later. While
    /// pieces are pending it returns true.
    func write(_ data: Data) throws(FileWriter.Failure) -> Bool {
        let wasBehind = !pending.isEmpty
        pending.append(data)
        return wasBehind ? true : try flush()
    }

    /// Passes pending pieces on. Returns whether none is left.
    func flush() throws(FileWriter.Failure) -> Bool {
        do throws(FileWriter.Failure) {
            var count = 0
            defer { pending.removeFirst(count) }
            while count < pending.count {
                guard try pass(pending[count]) else { return false }
                count += 1
            }
        } catch {
            pending = []
            // The writer reports the same failure when the body is completed.
            guard whenDrained != nil else { throw error }
        }
        whenDrained.take()?()
        return true
    }

    private func pass(_ data: Data) throws(FileWriter.Failure) -> Bool {
        switch target {
        case .stream(let buffer): return data.withUnsafeBytes { buffer.write($0) }
        case .file(let writer):
            var result = Result<Bool, FileWriter.Failure>.success(true)
            data.withUnsafeBytes { bytes in
                do throws(FileWriter.Failure) { result = .success(try writer.write(bytes)) } catch {
                    result = .failure(error)
                }
            }
            return try result.get()
        }
    }

    /// Fails a stream. May be called from any thread.
    func failStream(_ error: TransportError) {
        if case .stream(let buffer) = target { buffer.finish(error) }
    }

    /// Completes the body. `then` is called with the failure, if there was one. The file is then in place or removed,
    /// or no piece of the stream is pending.
    func complete(
        _ result: Result<HttpResponse, TransportError>, isWanted: @escaping @Sendable () -> Bool,
        then: @escaping @Sendable (FileWriter.Failure?) -> Void
    ) {
        switch (target, result) {
        case (.stream(let buffer), .failure(let error)):
            whenDrained = {
                buffer.finish(error)
                then(nil)
            }
        case (.stream(let buffer), .success):
            whenDrained = {
                buffer.finish(nil)
                then(nil)
            }
        case (.file(let writer), .failure):
            pending = []
            whenDrained = { writer.abandon { then(nil) } }
        case (.file(let writer), .success):
            whenDrained = {
                writer.finish(isWanted: isWanted) { end in
                    if case .failed(let failure) = end { then(failure) } else { then(nil) }
                }
            }
        }
        _ = try? flush()
    }
}
