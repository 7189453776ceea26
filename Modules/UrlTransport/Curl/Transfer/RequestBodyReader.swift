#if os(Linux)
import HttpMessages
import NodeCore

/// Reads a request's body piece by piece, from memory, from files or from a stream. It never blocks.
struct RequestBodyReader {
    private enum Source {
        case memory(SegmentReader)
        case files(FileInput)
        case stream(BodyStream, BodyStream.Reader?)
    }

    private let body: RequestBody
    /// The task-local values that a stream sees.
    private let values: CallersValues?
    private var source: Source
    /// Bytes of a stream that were read.
    private(set) var streamed: Int64 = 0
    /// Whether libcurl has asked for the body.
    private(set) var hasBegun = false
    /// Whether the last read found no bytes yet.
    var isWaiting = false

    init(_ body: RequestBody, values: CallersValues?) {
        self.body = body
        self.values = values
        source = Self.source(body, from: 0)
    }

    private static func source(_ body: RequestBody, from offset: Int64) -> Source {
        if let stream = body.stream { return .stream(stream, nil) }
        return body.hasFiles
            ? .files(FileInput(body.segments, from: offset))
            : .memory(SegmentReader(body.segments, from: offset))
    }

    /// The files of the body that must be checked before anything is sent; nil if there are none or they were checked.
    var uncheckedFiles: FileInput? {
        if case .files(let input) = source, !input.hasBegun { input } else { nil }
    }

    /// Fills the buffer with the available bytes and returns their number: 0 at the end of the body.
    ///
    /// Returns nil while no bytes are available. Then `onReady` is called when they are, on any thread.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, onReady: @autoclosure () -> @Sendable () -> Void
    ) throws(BodyFailure) -> Int? {
        hasBegun = true
        switch source {
        case .memory(var reader):
            let count = try reader.read(into: buffer)
            source = .memory(reader)
            return count
        case .files(let input): return try input.read(into: buffer, onReady: onReady()).count
        case .stream(let stream, let opened):
            guard let reader = opened ?? stream.reader(values, onReady: onReady()) else {
                throw BodyFailure(message: "the body is a stream that another request reads", kind: .alreadySent)
            }
            source = .stream(stream, reader)
            let count = try reader.read(into: buffer).count
            streamed += Int64(count ?? 0)
            return count
        }
    }

    /// Releases files and streams.
    mutating func close() {
        source = .memory(SegmentReader([]))
    }

    /// Continues at an offset in bytes from the start of the body. Returns false if a stream can't continue there.
    mutating func seek(to offset: Int64) -> Bool {
        if case .stream(_, let opened) = source { return opened == nil && offset == 0 }
        source = Self.source(body, from: offset)
        return true
    }
}

extension BodyStream.Reading {
    /// Bytes that were read: 0 at the end, nil while there are none.
    fileprivate var count: Int? {
        switch self {
        case .bytes(let count): count
        case .end: 0
        case .wait: nil
        }
    }
}
#endif
