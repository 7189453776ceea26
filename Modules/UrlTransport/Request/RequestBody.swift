#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The body of a request: bytes in memory, a file, or several of both one after the other.
///
/// Its length is known before it is sent, and it can be sent again. Files are read while they are sent, so a large file
/// costs no memory.
public struct RequestBody: Sendable {
    /// A piece of a body.
    package enum Segment: Sendable {
        case data(Data)
        case file(URL, size: Int64)

        var size: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let size): size
            }
        }
    }

    package let segments: [Segment]

    package init(segments: [Segment]) {
        self.segments = segments
    }

    /// No body.
    public static let empty = RequestBody(segments: [])

    /// Bytes in memory.
    public static func data(_ data: Data) -> RequestBody {
        RequestBody(segments: [.data(data)])
    }

    /// The contents of a regular file. Its size is taken now; a file that changes before it is sent fails the request.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unreadableFile``.
    public static func file(_ url: URL) throws -> RequestBody {
        RequestBody(segments: [.file(url, size: try fileSize(url))])
    }

    /// Whether there is no body; a body of no bytes is one.
    public var isEmpty: Bool {
        segments.isEmpty
    }

    /// How many bytes the body has.
    public var length: Int64 {
        segments.reduce(0) { $0 + $1.size }
    }

    /// The bytes, when all of them are in memory.
    public var inMemory: Data? {
        var joined = Data()
        for segment in segments {
            guard case .data(let data) = segment else { return nil }
            if segments.count == 1 { return data }
            joined.append(data)
        }
        return joined
    }

    /// All bytes, those of files read now.
    public func read() throws -> Data {
        var joined = Data()
        for segment in segments {
            switch segment {
            case .data(let data): joined.append(data)
            case .file(let url, _):
                do {
                    joined.append(try Data(contentsOf: url))
                } catch {
                    throw RequestBuildingError.unreadable(file: url, cause: error)
                }
            }
        }
        return joined
    }

    /// The size of a regular file that can be read; a link counts as what it leads to.
    ///
    /// The system is asked directly: what `FileManager` gives as a size is of another type once all of Foundation is
    /// loaded.
    static func fileSize(_ url: URL) throws -> Int64 {
        guard url.isFileURL else {
            throw RequestBuildingError(
                .unreadableFile, "\(url.absoluteString) is no file URL, so it can't be uploaded.")
        }
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw RequestBuildingError.unreadable(file: url, cause: systemError())
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RequestBuildingError(.unreadableFile, "\(url.path) is not a regular file, so it can't be uploaded.")
        }
        guard access(url.path, R_OK) == 0 else {
            throw RequestBuildingError.unreadable(file: url, cause: systemError())
        }
        return Int64(status.st_size)
    }

    private static func systemError() -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
}
