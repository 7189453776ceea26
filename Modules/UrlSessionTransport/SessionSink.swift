import Foundation
import UrlTransport

/// Where a body goes that doesn't stay in memory. Only ``failStream(_:)`` may be called on any thread.
final class SessionSink: @unchecked Sendable {  // everything that changes is used on the session's queue alone
    private enum Target {
        case file(FileWriter)
        case stream(ByteBuffer)
    }

    private let target: Target
    /// What came while the reader or the disk was behind: the session delivers what it has read ahead.
    private var pending: [Data] = []
    /// Completes the body when nothing is pending any more.
    private var whenDrained: (() -> Void)?

    private init(_ target: Target) {
        self.target = target
    }

    /// A file that is moved to its place when it is whole.
    convenience init(file: URL, onRoom: @escaping @Sendable () -> Void) {
        self.init(.file(FileWriter(TemporaryFile(for: file), onRoom: onRoom)))
    }

    /// A stream, and what its reader gets.
    static func stream(
        onRoom: @escaping @Sendable () -> Void, onAbandon: @escaping @Sendable () -> Void
    ) -> (sink: SessionSink, stream: ByteStream) {
        let buffer = ByteBuffer(onRoom: onRoom, onAbandon: onAbandon)
        return (SessionSink(.stream(buffer)), ByteStream(buffer))
    }

    var isStream: Bool {
        if case .stream = target { true } else { false }
    }

    /// Takes a piece. Returns false when the reader or the disk has fallen behind with it; `onRoom` is called later.
    func write(_ data: Data) throws(FileWriter.Failure) -> Bool {
        let wasBehind = !pending.isEmpty
        pending.append(data)
        return wasBehind ? true : try flush()
    }

    /// Passes on what is pending. Returns whether that was all.
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
            // The writer reports the same failure to what completes the body.
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

    /// Ends a stream with an error, on any thread.
    func failStream(_ error: TransportError) {
        if case .stream(let buffer) = target { buffer.finish(error) }
    }

    /// Completes the body; `then` is called, with what went wrong, when the file is in its place or removed, or the
    /// stream was read so far that nothing is pending.
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
