#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Glibc

/// Reads a request's body piece by piece, from memory and from files, as libcurl asks for it.
///
/// libcurl asks for as many bytes as were announced and not once more, so a file is looked at when it is opened and
/// again with its last byte: one that is not what was announced must not pass as a whole body.
struct CurlBodyReader {
    private let segments: [RequestBody.Segment]
    private var index = 0
    /// Bytes of the current segment that have been read.
    private var position: Int64 = 0
    private var file: OpenFile?

    init(_ body: RequestBody) {
        segments = body.segments
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
            let wanted = Int(min(Int64(buffer.count - filled), segment.size - position))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
            switch segment {
            case .data(let data):
                let start = data.startIndex + Int(position)
                data.copyBytes(to: part, from: start..<start + wanted)
            case .file(let url, let size):
                try opened(url, size).read(at: position, into: part)
            }
            filled += wanted
            position += Int64(wanted)
            try skipEmptySegments()
        }
        return filled
    }

    /// Goes to a place counted from the start of the body.
    mutating func seek(to offset: Int64) {
        index = 0
        position = offset
        file = nil
        while index < segments.count, position >= segments[index].size {
            position -= segments[index].size
            index += 1
        }
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

    var description: String { message }
}
#endif
