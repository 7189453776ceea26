#if os(Linux)
import FoundationEssentials
import HttpMessages

/// The destination of a response's body. Used by the event loop's thread alone.
enum ResponseSink {
    case memory(MemorySink)
    /// Writes it to a file, on the file's queue, unless the file is complete: then the bytes are the body of a 416.
    case file(FileWriter, isComplete: Bool)
    /// Passes it to the reader of a ``ByteStream``.
    case stream(ByteBuffer)

    func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
        switch self {
        case .memory(let sink): try sink.write(bytes)
        case .file(_, isComplete: true): break
        case .file(let writer, isComplete: false): writer.write(bytes)
        case .stream(let buffer): buffer.write(bytes)
        }
    }

    /// Whether more bytes should be written. After false, the transfer resumes when the disk or the reader has
    /// capacity again.
    func hasSpace() throws(TransferFailure) -> Bool {
        switch self {
        case .memory, .file(_, isComplete: true): return true
        case .file(let writer, isComplete: false):
            do throws(FileWriter.Failure) {
                return try writer.hasSpace()
            } catch {
                throw TransferFailure(.destinationFailed, error.description)
            }
        case .stream(let buffer): return buffer.hasSpace()
        }
    }

    /// The most bytes of the body; nil if memory doesn't grow with the body.
    var limit: Int? {
        if case .memory(let sink) = self { sink.limit } else { nil }
    }

    /// The body if it is in memory; otherwise no bytes.
    var data: Data {
        if case .memory(let sink) = self { sink.data } else { Data() }
    }
}
#endif
