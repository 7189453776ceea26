#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Glibc

/// Reads a request's body piece by piece, from memory and from files, as libcurl asks for it.
struct CurlBodyReader {
    private let segments: [RequestBody.Segment]
    private var index = 0
    /// Bytes of the current segment that have been read.
    private var position: Int64 = 0
    private var file: OpenFile?

    init(_ body: RequestBody) {
        segments = body.segments
    }

    /// Fills the buffer as far as the body goes; 0 at its end.
    ///
    /// - Throws: what is wrong with a file, in words.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CurlBodyError) -> Int {
        var filled = 0
        while filled < buffer.count, index < segments.count {
            let segment = segments[index]
            let wanted = min(buffer.count - filled, Int(segment.size - position))
            guard wanted > 0 else {
                try checkEnd(of: segment)
                next()
                continue
            }
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
            switch segment {
            case .data(let data):
                let start = data.startIndex + Int(position)
                data.copyBytes(to: part, from: start..<start + wanted)
            case .file(let url, _):
                try read(url, into: part)
            }
            filled += wanted
            position += Int64(wanted)
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

    private mutating func next() {
        index += 1
        position = 0
        file = nil
    }

    private mutating func read(_ url: URL, into part: UnsafeMutableRawBufferPointer) throws(CurlBodyError) {
        let file = try opened(url)
        var done = 0
        while done < part.count {
            let count = pread(
                file.descriptor, part.baseAddress?.advanced(by: done), part.count - done,
                off_t(position) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw CurlBodyError(
                    message: count == 0
                        ? "\(url.path) became shorter while it was sent."
                        : "\(url.path) can't be read: \(String(cString: strerror(errno))).")
            }
            done += count
        }
    }

    /// A file that has grown is not what was announced.
    private mutating func checkEnd(of segment: RequestBody.Segment) throws(CurlBodyError) {
        guard case .file(let url, let size) = segment else { return }
        var status = stat()
        if fstat(try opened(url).descriptor, &status) == 0, Int64(status.st_size) != size {
            throw CurlBodyError(message: "\(url.path) changed its size while it was sent.")
        }
    }

    private mutating func opened(_ url: URL) throws(CurlBodyError) -> OpenFile {
        if let file { return file }
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CurlBodyError(message: "\(url.path) can't be opened: \(String(cString: strerror(errno))).")
        }
        let opened = OpenFile(descriptor: descriptor)
        file = opened
        return opened
    }

    private final class OpenFile {
        let descriptor: Int32

        init(descriptor: Int32) {
            self.descriptor = descriptor
        }

        deinit {
            close(descriptor)
        }
    }
}

/// Why a body could not be read.
struct CurlBodyError: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
#endif
