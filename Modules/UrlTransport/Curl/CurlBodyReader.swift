#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Glibc
import Logging

/// Reads a request's body piece by piece, from memory, from files or from a stream, as libcurl asks for it.
///
/// libcurl asks for as many bytes as were announced and not once more, so a file is looked at when it is opened and
/// again with its last byte: one that is not what was announced must not pass as a whole body.
struct CurlBodyReader {
    private let segments: [RequestBody.Segment]
    private var index = 0
    /// Bytes of the current segment that have been read.
    private var position: Int64 = 0
    private var file: OpenFile?
    private let stream: BodyStream?
    private var streamReader: BodyStream.Reader?
    /// How many bytes of a stream were read.
    private(set) var streamed: Int64 = 0

    init(_ body: RequestBody) {
        stream = body.stream
        segments = stream == nil ? body.segments : []
    }

    /// Reads on in a stream; nil when it has nothing yet, and then `onReady` is called when it has.
    mutating func readStream(
        into buffer: UnsafeMutableRawBufferPointer, onReady: @autoclosure () -> @Sendable () -> Void
    ) throws(CurlBodyError) -> Int? {
        if streamReader == nil { streamReader = stream?.reader(onReady: onReady()) }
        guard let streamReader else {
            throw CurlBodyError(message: "the body is a stream that somebody else reads", code: .bodyAlreadySent)
        }
        do throws(BodyStream.Failure) {
            switch try streamReader.read(into: buffer) {
            case .bytes(let count):
                streamed += Int64(count)
                return count
            case .end: return 0
            case .wait: return nil
            }
        } catch {
            throw CurlBodyError(error, length: stream?.length ?? 0)
        }
    }

    var isStream: Bool {
        stream != nil
    }

    /// Lets go of files and streams.
    mutating func letGo() {
        file = nil
        streamReader = nil
    }

    /// Looks at what libcurl will never ask for: files of no bytes, as long as nothing else comes before them.
    ///
    /// - Throws: what is wrong with a file, in words.
    mutating func skipEmptySegments() throws(CurlBodyError) {
        while index < segments.count, position == segments[index].size {
            if case .file(let url, let size) = segments[index] { try opened(url, size).check() }
            index += 1
            position = 0
            file = nil
        }
    }

    /// Fills the buffer as far as the body goes; 0 at its end.
    ///
    /// - Throws: what is wrong with a file, in words.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CurlBodyError) -> Int {
        var filled = 0
        try skipEmptySegments()
        while filled < buffer.count, index < segments.count {
            let segment = segments[index]
            let wanted = Int(min(Int64(buffer.count - filled), (segment.size ?? 0) - position))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
            switch segment {
            case .data(let data):
                let start = data.startIndex + Int(position)
                data.copyBytes(to: part, from: start..<start + wanted)
            case .file(let url, let size):
                try opened(url, size).read(at: position, into: part)
            case .stream: return filled
            }
            filled += wanted
            position += Int64(wanted)
            try skipEmptySegments()
        }
        return filled
    }

    /// Goes to a place counted from the start of the body; false when that is not possible.
    mutating func seek(to offset: Int64) -> Bool {
        if isStream { return streamReader == nil && offset == 0 }
        index = 0
        position = offset
        file = nil
        while index < segments.count, let size = segments[index].size, position >= size {
            position -= size
            index += 1
        }
        return true
    }

    private mutating func opened(_ url: URL, _ size: Int64) throws(CurlBodyError) -> OpenFile {
        if let file { return file }
        let opened = try OpenFile(path: url.path, size: size)
        file = opened
        return opened
    }

    private final class OpenFile {
        private let path: String
        private let size: Int64
        private let descriptor: Int32

        init(path: String, size: Int64) throws(CurlBodyError) {
            self.path = path
            self.size = size
            // Not blocking: a pipe that took the file's place would keep the thread waiting for its writer.
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw CurlBodyError(message: "\(path) can't be opened: \(String(cString: strerror(errno))).")
            }
            try check()
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// Fails for a file that is not of the announced size.
        func check() throws(CurlBodyError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw CurlBodyError(message: "\(path) is no regular file any more.")
            }
            guard Int64(status.st_size) == size else {
                throw CurlBodyError(
                    message: "\(path) changed its size, \(status.st_size) bytes now, \(size) before.")
            }
        }

        func read(at position: Int64, into part: UnsafeMutableRawBufferPointer) throws(CurlBodyError) {
            var done = 0
            while done < part.count {
                let count = pread(
                    descriptor, part.baseAddress?.advanced(by: done), part.count - done,
                    off_t(position) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw CurlBodyError(
                        message: count == 0
                            ? "\(path) became shorter while it was sent."
                            : "\(path) can't be read: \(String(cString: strerror(errno))).")
                }
                done += count
            }
        }
    }
}

/// Why a body could not be read.
struct CurlBodyError: Error, CustomStringConvertible {
    let message: String
    var code = TransportError.Code.uploadFailed
    /// What a stream threw.
    var cause: (any Error)?

    var description: String { message }
}

extension CurlBodyError {
    fileprivate init(_ failure: BodyStream.Failure, length: Int64) {
        switch failure {
        case .thrown(let error):
            self.init(message: "the body's sequence threw: \(Redaction.standard.text("\(error)"))", cause: error)
        case .tooShort(let count):
            self.init(
                message: "the body's sequence ended after \(count) bytes, \(length) were announced",
                code: .bodyLengthMismatch)
        case .tooLong:
            self.init(
                message: "the body's sequence brought more than the \(length) bytes that were announced",
                code: .bodyLengthMismatch)
        }
    }
}
#endif
