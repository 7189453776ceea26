import Dispatch

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The received part of a file that is downloaded in several attempts: `<name>.partial` beside the file.
/// `<name>.partial-info` identifies the resource. A lock limits it to one transfer at a time.
///
/// Closing it keeps a part that a later attempt can resume, and removes both files otherwise.
package final class PartialFile: UnfinishedFile, @unchecked Sendable {  // protected as UnfinishedFile documents
    /// What a response means for the file.
    package enum Resumption {
        /// The body is written, after the kept part or from the start.
        case write
        /// The file is complete already.
        case whole
        /// The kept part doesn't match the server's resource. It was discarded, and the request is to be sent without a
        /// range.
        case startAgain
        /// The response is no success, has no content, or is a 206 that was not requested. The file stays unchanged.
        case rejected
    }

    private enum Stage {
        case opened
        /// The descriptor is at the position where the body begins, and the information is written.
        case positioned
        /// It has been renamed to ``path``.
        case moved
        case closed
    }

    package let path: String
    package let queue: DispatchQueue
    private let opened: Int32
    private let onClose: @Sendable () -> Void
    /// The number of bytes in the file.
    private(set) var size: Int64 = 0
    /// The number of bytes that earlier attempts left. Before the response of this transfer it is the size of the kept
    /// part.
    package private(set) var alreadyReceived: Int64 = 0
    /// The size of the part that an earlier attempt left, whatever becomes of it.
    private var keptSize: Int64 = 0
    private let request: String
    private var info: PartialInfo?
    /// Whether the hop requests the rest.
    private var isRestAsked = false
    /// The size of the whole in bytes; nil when the response doesn't announce it.
    private var total: Int64?
    private var stage = Stage.opened
    /// Whether the part of an earlier attempt exists and is unchanged.
    private var isUntouched = true

    /// Opens the part of an earlier attempt, or an empty file. Called on the queue.
    ///
    /// - Parameters:
    ///   - request: the requested URL; a part of another URL's resource is not resumed.
    ///   - onClose: called on the queue when the file was closed, unless the initializer throws.
    package init(
        of url: URL, request: URL, queue: DispatchQueue, onClose: @escaping @Sendable () -> Void
    ) throws(BodyFailure) {
        try FileWriter.check(url)
        path = url.path
        self.queue = queue
        self.request = request.absoluteString
        self.onClose = onClose
        // The longer one of the two names.
        let infoFile = Self.infoFile(of: path)
        if access(infoFile, R_OK) != 0, errno == ENAMETOOLONG { throw .system(infoFile, "can't be written") }
        (opened, size) = try Self.openLocked(path, FileMode(of: path).whileIncomplete)
        info = Self.content(of: infoFile).flatMap { PartialInfo($0, request: self.request) }
        isUntouched = size > 0
        if size > info?.total ?? .max || size == 0 { info = nil }
        if info == nil { size = 0 }
        keptSize = size
        alreadyReceived = size
    }

    deinit {
        release()
    }

    private static func part(of path: String) -> String { path + ".partial" }
    private static func infoFile(of path: String) -> String { path + ".partial-info" }

    private var part: String { Self.part(of: path) }
    private var infoFile: String { Self.infoFile(of: path) }

    package func release() {
        if stage == .closed { return }
        let isMoved = stage == .moved
        stage = .closed
        let isLost = (try? FileWriter.checkWritten(opened, path)) == nil
        if isLost { info = nil }
        // The part of another URL's resource stays until this one has a response.
        if !isMoved, isLost || (info == nil || size == 0) && !isUntouched {
            clear()
            unlink(part)
        }
        close(opened)
        onClose()
    }

    /// Opens and locks the file (flock(2)). Two simultaneous downloads would corrupt it.
    private static func openLocked(
        _ place: String, _ mode: mode_t
    ) throws(BodyFailure) -> (descriptor: Int32, size: Int64) {
        let path = part(of: place)
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else { throw .system(path, "can't be written") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                defer { close(descriptor) }
                throw errno == EWOULDBLOCK ? isInUse(place) : .system(path, "can't be locked")
            }
            var opened = stat()
            var named = stat()
            // The previous owner of the lock may have moved or removed the file meanwhile.
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino {
                return (descriptor, Int64(opened.st_size))
            }
            close(descriptor)
        }
    }

    /// The failure of a second download to the same path.
    package static func isInUse(_ path: String) -> BodyFailure {
        .unwritable(part(of: path), "is being written by another download.")
    }

    /// The content of a regular file; nil for anything else, and for content longer than ``PartialInfo/longest``.
    private static func content(of path: String) -> [UInt8]? {
        // `O_NONBLOCK`: opening a FIFO would block the thread until a writer opens it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: PartialInfo.longest + 1)
        let count = read(descriptor, &bytes, bytes.count)
        return 0...PartialInfo.longest ~= count ? Array(bytes[..<count]) : nil
    }

    /// The headers of a hop (RFC 9110 §13.1.5, §14.2). They request the rest if this origin sent the kept part and the
    /// resource is unchanged. `identity`, because the position in a compressed body says nothing about the bytes in the
    /// file.
    package func headers(for origin: Origin) -> [HttpHeaders.Field] {
        var headers = [HttpHeaders.Field(name: "Accept-Encoding", value: "identity")]
        isRestAsked = false
        if let info, info.isFrom(origin) {
            isRestAsked = true
            headers += [HttpHeaders.Field(name: "Range", value: "bytes=\(size)-"), info.validator.ifRange]
        }
        return headers
    }

    /// Returns what the response means for the file, based on its head and the origin that sent it.
    package func resumption(status: Int, _ headers: HttpHeaders, from origin: Origin) -> Resumption {
        let range = headers["Content-Range"].flatMap { ContentRange($0) }
        switch status {
        case 206:
            // A part that wasn't requested leaves the file unchanged.
            guard let info, isRestAsked else { return .rejected }
            // Without a total, the server may send less than the rest (RFC 9110 §15.3.7).
            guard let range, range.part?.lowerBound == size, info.allows(headers, total: range.total),
                let total = range.total ?? info.total
            else {
                discard()
                return .startAgain
            }
            self.total = total
            alreadyReceived = size
            return .write
        case 416:
            guard let info, isRestAsked else { return .rejected }
            guard let range, range.part == nil, range.total == size, info.allows(headers, total: range.total) else {
                discard()
                return .startAgain
            }
            total = size
            alreadyReceived = size
            return .whole
        case 204, 205: return .rejected
        case 200..<300:
            discard()
            info = status == 200 ? PartialInfo(headers, request: request, origin: origin) : nil
            total = info?.total
            return .write
        default: return .rejected
        }
    }

    /// Discards the part of an earlier attempt. The queue removes it.
    private func discard() {
        forget()
        queue.async { if self.stage != .closed { self.clear() } }
    }

    private func forget() {
        isUntouched = false
        info = nil
        size = 0
        alreadyReceived = 0
        total = nil
    }

    /// Removes the part. The information is removed first, so that a crash in between leaves no part that would be
    /// resumed.
    private func clear() {
        unlink(infoFile)
        ftruncate(opened, 0)
    }

    package func descriptor() throws(BodyFailure) -> Int32 {
        // Another file may have the descriptor.
        if stage == .closed { throw BodyFailure.unwritable(part, "is closed.") }
        if stage == .opened {
            // That of an untouched part was written by an earlier attempt.
            if !isUntouched, let info { try save(info) }
            lseek(opened, off_t(size), SEEK_SET)
            stage = .positioned
        }
        return opened
    }

    /// Writes the information. A crash may truncate it; a later attempt then ignores it.
    private func save(_ info: PartialInfo) throws(BodyFailure) {
        let descriptor = open(infoFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(infoFile, "can't be written") }
        defer { close(descriptor) }
        let bytes = info.bytes
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw .system(infoFile, "can't be written")
        }
    }

    package func grow(by count: Int) {
        size += Int64(count)
    }

    package var isResumable: Bool { info != nil }

    /// Whether the attempt has left a larger part than it found. A part that was received again from the beginning is no
    /// progress: the server may not support ranges. Valid on the queue after the release.
    package var hasProgressed: Bool { info != nil && size > alreadyReceived && (alreadyReceived > 0 || keptSize == 0) }

    package func checkSize() -> Int64? {
        guard let total, total != size else { return nil }
        let missing = total - size
        if missing < 0 {
            forget()
            clear()
        }
        return missing
    }

    package func complete() throws(BodyFailure) {
        do throws(BodyFailure) {
            try FileWriter.checkWritten(opened, path)
        } catch {
            // The content of the file is not known.
            forget()
            clear()
            throw error
        }
        FileMode(of: path).set(to: opened)
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        unlink(infoFile)
        stage = .moved
    }
}
