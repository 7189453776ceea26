#if os(Linux)
import Glibc

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads a request body from memory and from files, synchronously. Waits for the disk.
///
/// A file that doesn't match the announced size must not pass as a complete body. So the size is checked when the file
/// is opened and again after its last byte.
package struct SegmentReader: Sendable {
    private let segments: [RequestBody.Segment]
    private var index = 0
    /// The number of bytes of the current segment that were read.
    private var position: Int64
    private var file: OpenFile?

    /// - Parameter offset: the position to begin at, in bytes from the start of the body.
    package init(_ segments: [RequestBody.Segment], from offset: Int64 = 0) {
        self.segments = segments
        position = offset
        while index < segments.count, let size = segments[index].size, position > 0, position >= size {
            position -= size
            index += 1
        }
    }

    /// Fails for the first file that can't be opened or doesn't have the announced size.
    static func check(_ segments: [RequestBody.Segment]) throws(BodyFailure) {
        for case .file(let slice) in segments { _ = try OpenFile(slice) }
    }

    /// Fills the buffer as far as the body allows. Returns the number of bytes; 0 when the body is complete.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(BodyFailure) -> Int {
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
            case .file(let slice):
                try opened(slice).read(at: slice.range.lowerBound + position, into: part)
            case .stream: return filled
            }
            filled += wanted
            position += Int64(wanted)
            try skipEmptySegments()
        }
        return filled
    }

    /// Advances after a segment that was read, and checks the size of its file again, also of an empty one.
    private mutating func skipEmptySegments() throws(BodyFailure) {
        while index < segments.count, position == segments[index].size {
            if case .file(let slice) = segments[index] { try opened(slice).check() }
            index += 1
            position = 0
            file = nil
        }
    }

    private mutating func opened(_ slice: RequestBody.FileSlice) throws(BodyFailure) -> OpenFile {
        if let file { return file }
        let opened = try OpenFile(slice)
        file = opened
        return opened
    }

    private final class OpenFile: Sendable {
        private let path: String
        private let size: Int64
        private let descriptor: Int32

        init(_ slice: RequestBody.FileSlice) throws(BodyFailure) {
            path = slice.url.path
            size = slice.fileSize
            descriptor = Self.open(path)
            guard descriptor >= 0 else {
                throw BodyFailure(message: "\(path) can't be opened: \(String(cString: strerror(errno))).")
            }
            try check()
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// Opens without blocking: opening a FIFO in the file's place would block the thread until a writer opens it.
        /// It waits for a regular file on which another process holds a lease (fcntl(2), `F_SETLEASE`).
        private static func open(_ path: String) -> Int32 {
            let flags = O_RDONLY | O_CLOEXEC
            let descriptor = Glibc.open(path, flags | O_NONBLOCK)
            var status = stat()
            guard descriptor < 0, errno == EWOULDBLOCK, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG
            else {
                return descriptor
            }
            return Glibc.open(path, flags)
        }

        /// Fails for a file that doesn't have the announced size.
        func check() throws(BodyFailure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw BodyFailure(message: "\(path) is no regular file any more.")
            }
            guard Int64(status.st_size) == size else {
                throw BodyFailure(message: "\(path) changed its size, \(status.st_size) bytes now, \(size) before.")
            }
        }

        func read(at position: Int64, into part: UnsafeMutableRawBufferPointer) throws(BodyFailure) {
            var done = 0
            while done < part.count {
                let count = pread(
                    descriptor, part.baseAddress?.advanced(by: done), part.count - done,
                    off_t(position) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw BodyFailure(
                        message: count == 0
                            ? "\(path) became shorter while it was sent."
                            : "\(path) can't be read: \(String(cString: strerror(errno))).")
                }
                done += count
            }
        }
    }
}
#endif
