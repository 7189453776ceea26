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

/// The body of a request: bytes in memory, a file, a sequence of both, or a stream.
///
/// The sender reads files and streams while it sends them, so that large ones need little memory. All bodies except a
/// stream can be sent again.
public struct RequestBody: Sendable {
    /// A piece of a body.
    package enum Segment: Sendable {
        case data(Data)
        case file(FileSlice)
        /// Always the only segment of its body.
        case stream(BodyStream)

        /// The size in bytes; nil when not known.
        var size: Int64? {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(let slice): slice.size
            case .stream(let stream): stream.length
            }
        }

        /// A whole file of `size` bytes.
        package static func file(_ url: URL, size: Int64) -> Segment {
            .file(FileSlice(url: url, fileSize: size, range: 0..<size))
        }
    }

    /// A part of a file, or a whole one.
    package struct FileSlice: Sendable {
        /// The file.
        package let url: URL
        /// The size of the whole file in bytes. Another size fails the request.
        package let fileSize: Int64
        /// The positions of the part's bytes.
        package let range: Range<Int64>

        package init(url: URL, fileSize: Int64, range: Range<Int64>) {
            (self.url, self.fileSize, self.range) = (url, fileSize, range)
        }

        /// The size of the part in bytes.
        package var size: Int64 { range.upperBound - range.lowerBound }
        /// Whether it is all of the file.
        package var isWhole: Bool { size == fileSize }
    }

    package let segments: [Segment]

    package init(segments: [Segment]) {
        self.segments = segments
    }

    /// The number of its bytes that are in memory.
    package var retainedBytes: Int {
        segments.reduce(0) { if case .data(let data) = $1 { $0 + data.count } else { $0 } }
    }

    /// No body.
    public static let empty = RequestBody(segments: [])

    /// A body of bytes in memory.
    public static func data(_ data: Data) -> RequestBody {
        RequestBody(segments: [.data(data)])
    }

    /// The contents of a regular file. The size is read now. A size that changes before the body was sent fails the
    /// request.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unreadableFile``.
    public static func file(_ url: URL) throws -> RequestBody {
        RequestBody(segments: [.file(url, size: try fileSize(url))])
    }

    /// A part of a regular file, as in a chunked upload. The libcurl sender reads it while it sends it, and again when the
    /// request is sent again; URLSession needs it in memory. The size of the file is read now. A size that changes before
    /// the body was sent fails the request.
    ///
    /// ```swift
    /// try await api.patch("blobs/1").body(.file(file, range: 0..<8_388_608)).header("Content-Range", "0-8388607").send()
    /// ```
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - range: the positions of the bytes, counted from 0; an empty range is a body of zero bytes.
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unreadableFile``, also for a range that the
    ///   file doesn't have.
    public static func file<Position: BinaryInteger>(_ url: URL, range: Range<Position>) throws -> RequestBody {
        try part(of: url, Int64(exactly: range.lowerBound), Int64(exactly: range.upperBound), "\(range)")
    }

    /// A part of a regular file, the last byte of the range included.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unreadableFile``, also for a range that the
    ///   file doesn't have.
    public static func file<Position: BinaryInteger>(_ url: URL, range: ClosedRange<Position>) throws -> RequestBody {
        let upper = Int64(exactly: range.upperBound).flatMap { $0 < .max ? $0 + 1 : nil }
        return try part(of: url, Int64(exactly: range.lowerBound), upper, "\(range)")
    }

    /// The rest of a regular file.
    ///
    /// - Throws: ``RequestBuildingError`` with ``RequestBuildingError/Code/unreadableFile``, also if the file ends before
    ///   the position.
    public static func file<Position: BinaryInteger>(
        _ url: URL, range: PartialRangeFrom<Position>
    ) throws -> RequestBody {
        try part(of: url, Int64(exactly: range.lowerBound), fileSize(url), "\(range.lowerBound)...")
    }

    private static func part(of url: URL, _ lower: Int64?, _ upper: Int64?, _ range: String) throws -> RequestBody {
        let size = try fileSize(url)
        guard let lower, let upper, lower >= 0, lower <= upper, upper <= size else {
            throw RequestBuildingError(
                .unreadableFile, "\(url.path) has \(size) bytes, so its range \(range) can't be uploaded.")
        }
        return RequestBody(segments: [.file(FileSlice(url: url, fileSize: size, range: lower..<upper))])
    }

    /// The elements of an asynchronous sequence, such as `Data` or `[UInt8]`.
    ///
    /// ```swift
    /// try await chain.execute(.stream(download, length: size))
    /// ```
    ///
    /// - The sender requests an element when it can send one, and the next one after that was sent. A request that
    ///   completes early cancels the task of the sequence. Waiting for the sequence doesn't count as a stall.
    /// - With `length` the request has a `Content-Length`. Any other number of bytes fails it with
    ///   ``TransportError/Code/bodyLengthMismatch``. The last element is sent when the sequence has completed. With a
    ///   length of 0 the sequence isn't iterated.
    /// - Without `length` HTTP/1.1 sends chunks (RFC 9112 §7.1), which some servers reject.
    /// - An error of the sequence fails the request with ``TransportError/Code/uploadFailed``, as its cause.
    /// - It can be read once. A redirect or a replay that needs it again fails with
    ///   ``TransportError/Code/bodyAlreadySent``. After a failed attempt or a lost connection the request is not sent
    ///   again, and keeps its error.
    public static func stream<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks, length: Int64? = nil) -> RequestBody
    where Chunks.Element: ContiguousBytes & Sendable {
        RequestBody(segments: [.stream(BodyStream(chunks, length: length))])
    }

    /// Whether there is no body. A body of zero bytes is a body.
    public var isEmpty: Bool {
        segments.isEmpty
    }

    /// The length in bytes; nil for a stream of unknown length, `Int64.max` for more.
    public var length: Int64? {
        var sum: Int64 = 0
        for segment in segments {
            guard let size = segment.size else { return nil }
            sum = sum.addingReportingOverflow(size).overflow ? .max : sum + size
        }
        return sum
    }

    /// Whether it can still be sent: false for a stream that has a reader.
    package var canBeSent: Bool {
        stream.map { !$0.isUsed } ?? true
    }

    /// The file and its size in bytes, if the body is a single whole file.
    package var file: (url: URL, size: Int64)? {
        if segments.count == 1, case .file(let slice) = segments[0], slice.isWhole {
            (slice.url, slice.size)
        } else {
            nil
        }
    }

    package var hasFiles: Bool {
        segments.contains { if case .file = $0 { true } else { false } }
    }

    package var stream: BodyStream? {
        if case .stream(let stream) = segments.first { stream } else { nil }
    }

    /// The bytes, if all of them are in memory; nil otherwise.
    public var inMemory: Data? {
        var joined = Data()
        for segment in segments {
            guard case .data(let data) = segment else { return nil }
            if segments.count == 1 { return data }
            joined.append(data)
        }
        return joined
    }

    /// Returns all bytes. Files are read synchronously.
    ///
    /// - Throws: ``RequestBuildingError``, also for a stream, which only a sender can read.
    public func read() throws -> Data {
        var joined = Data()
        for segment in segments {
            switch segment {
            case .data(let data): joined.append(data)
            case .file(let slice): joined.append(try slice.read())
            case .stream:
                throw RequestBuildingError(.streamedBody, "The body is a stream, which only a sender can read.")
            }
        }
        return joined
    }

    /// The size in bytes of a readable regular file, or of the target of a link.
    ///
    /// It calls stat(2): the type of the size that `FileManager` returns depends on whether all of Foundation is
    /// loaded.
    package static func fileSize(_ url: URL) throws -> Int64 {
        guard url.isFileURL else {
            throw RequestBuildingError(
                .unreadableFile,
                "\(Redaction.standard.url(url.absoluteString)) is no file URL, so it can't be uploaded.")
        }
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw unreadable(url)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RequestBuildingError(.unreadableFile, "\(url.path) is not a regular file, so it can't be uploaded.")
        }
        guard access(url.path, R_OK) == 0 else {
            throw unreadable(url)
        }
        return Int64(status.st_size)
    }

    private static func unreadable(_ file: URL) -> RequestBuildingError {
        let (number, reason) = (errno, String(cString: strerror(errno)))
        return .unreadable(file: file, ": \(reason)", cause: POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO))
    }
}

extension RequestBody.FileSlice {
    fileprivate func read() throws -> Data {
        #if os(Linux)
        if !isWhole { return try readPart() }
        #endif
        let data: Data
        do {
            // A mapped file is read only where bytes are taken.
            data = try Data(contentsOf: url, options: isWhole ? [] : .mappedIfSafe)
        } catch {
            throw RequestBuildingError.unreadable(file: url, cause: error)
        }
        if isWhole { return data }
        guard Int64(data.count) == fileSize else {
            throw RequestBuildingError(.unreadableFile, "\(url.path) has changed its size, so it can't be uploaded.")
        }
        return Data(data.dropFirst(Int(range.lowerBound)).prefix(Int(size)))
    }

    #if os(Linux)
    /// Not mapped: a file that became shorter meanwhile would end the process.
    private func readPart() throws -> Data {
        var reader = SegmentReader([.file(self)])
        var data = Data(count: Int(size))
        do {
            _ = try data.withUnsafeMutableBytes { try reader.read(into: $0) }
        } catch let failure as BodyFailure {
            throw RequestBuildingError(.unreadableFile, failure.message)
        }
        return data
    }
    #endif
}

extension RequestBody: MaskedValue {
    /// The size in bytes, where it is known. Contains no byte of the body.
    public var description: String {
        let length: Int64? = self.length
        return isEmpty ? "no body" : length.map { "body of \($0) bytes" } ?? "body of unknown length"
    }
}
