import Logging
public import NodeCore

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

/// The body of a request: bytes in memory, a file, several of both one after the other, or a stream.
///
/// Files and streams are read while they are sent, so a large one costs no memory. All but a stream can be sent again.
public struct RequestBody: Sendable {
    /// A piece of a body.
    package enum Segment: Sendable {
        case data(Data)
        case file(URL, size: Int64)
        /// The only segment of its body.
        case stream(BodyStream)

        /// nil when not known.
        var size: Int64? {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let size): size
            case .stream(let stream): stream.length
            }
        }
    }

    package let segments: [Segment]

    package init(segments: [Segment]) {
        self.segments = segments
    }

    /// How many bytes of it are in memory.
    package var retainedBytes: Int {
        segments.reduce(0) { if case .data(let data) = $1 { $0 + data.count } else { $0 } }
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

    /// What an asynchronous sequence brings, as `Data` or `[UInt8]`.
    ///
    /// ```swift
    /// try await chain.execute(.stream(download, length: size))
    /// ```
    ///
    /// - The sequence is asked for a piece when the sender can send one, and for the next when that has gone out; a
    ///   request that ends early cancels the task in which the sequence runs. A wait for the sequence is no stall.
    /// - With `length` the request says `Content-Length`, and any other number of bytes fails it with
    ///   ``TransportError/Code/bodyLengthMismatch``; the last piece goes out when the sequence has ended. A length of 0
    ///   asks the sequence for nothing. Without `length` HTTP/1.1 sends chunks (RFC 9112 §7.1), which some servers don't
    ///   take.
    /// - An error that the sequence throws fails the request with ``TransportError/Code/uploadFailed``, as its cause.
    /// - It can be read once. A redirect or a replay that asks for it again fails with
    ///   ``TransportError/Code/bodyAlreadySent``; a retry and a connection that dies keep their own error, and nothing is
    ///   sent again.
    public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> RequestBody
    where Chunks.Element: ContiguousBytes & Sendable {
        RequestBody(segments: [.stream(BodyStream(chunks, length: length))])
    }

    /// Whether there is no body; a body of no bytes is one.
    public var isEmpty: Bool {
        segments.isEmpty
    }

    /// How many bytes the body has; nil for a stream of unknown length.
    public var length: Int64? {
        var sum: Int64 = 0
        for segment in segments {
            guard let size = segment.size else { return nil }
            sum += size
        }
        return sum
    }

    /// Whether it can still be sent: false for a stream that somebody has begun to read.
    package var canBeSent: Bool {
        stream.map { !$0.isUsed } ?? true
    }

    /// The file that it is, and how large that was, if it is one.
    package var file: (url: URL, size: Int64)? {
        if segments.count == 1, case .file(let url, let size) = segments[0] { (url, size) } else { nil }
    }

    /// Whether a file is a part of it.
    package var hasFiles: Bool {
        segments.contains { if case .file = $0 { true } else { false } }
    }

    /// The stream that it is, if it is one.
    package var stream: BodyStream? {
        if case .stream(let stream) = segments.first { stream } else { nil }
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
    ///
    /// - Throws: ``RequestBuildingError``, also for a stream, which only a sender can read.
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
            case .stream:
                throw RequestBuildingError(.streamedBody, "The body is a stream, which only a sender can read.")
            }
        }
        return joined
    }

    /// The size of a regular file that can be read; a link counts as what it leads to.
    ///
    /// The system is asked directly: what `FileManager` gives as a size is of another type once all of Foundation is
    /// loaded.
    package static func fileSize(_ url: URL) throws -> Int64 {
        guard url.isFileURL else {
            throw RequestBuildingError(
                .unreadableFile,
                "\(Redaction.standard.url(url.absoluteString)) is no file URL, so it can't be uploaded.")
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

extension RequestBody: MaskedValue {
    /// How large it is, where that is known. No byte of it.
    public var description: String {
        let length: Int64? = self.length
        return isEmpty ? "no body" : length.map { "body of \($0) bytes" } ?? "body of unknown length"
    }
}
