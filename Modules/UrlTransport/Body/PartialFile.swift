import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is there of a file that is loaded in several attempts: `<name>.partial` beside it, and in `<name>.partial-info`
/// what it is a part of. Used by one transfer at a time: it's locked.
///
/// Closed, it keeps what a later attempt can resume, and leaves nothing behind otherwise.
package final class PartialFile: UnfinishedFile, @unchecked Sendable {  // as UnfinishedFile says
    /// What an answer means for the file.
    package enum Verdict {
        /// Its body is to be written, behind what is there or anew.
        case write
        /// The file is whole already.
        case whole
        /// What is there is no part of what the server has: it's gone, and the request is to be sent without a range.
        case startAgain
        /// It's no success, and changes nothing.
        case refused
    }

    package let path: String
    package let queue: DispatchQueue
    private let part: String
    private let infoFile: String
    private let opened: Int32
    private let onClose: @Sendable () -> Void
    /// How many bytes are in the file.
    private(set) var size: Int64 = 0
    /// How many bytes of it were there before this transfer's response. Until that is here, what was kept.
    package private(set) var alreadyReceived: Int64 = 0
    private let request: String
    private var info: PartialInfo?
    /// Whether `info` is still to be written.
    private var isInfoNew = false
    /// Whether the body may be written.
    private var isReady = false
    /// Whether the hop asks for the rest.
    private var isRestAsked = false
    /// How many bytes the whole has, where the response at hand tells.
    private var total: Int64?
    private var isMoved = false
    private var isClosed = false
    /// Whether what was there before is still there.
    private var isUntouched = true

    /// Opens what is there, or an empty file. On the queue.
    ///
    /// - Parameters:
    ///   - request: the URL that is requested; a part of another one is of no use.
    ///   - onClose: called on the queue when the file has been closed, unless this throws.
    package init(
        of url: URL, request: URL, queue: DispatchQueue, onClose: @escaping @Sendable () -> Void
    ) throws(FileWriter.Failure) {
        try FileWriter.check(url)
        path = url.path
        self.queue = queue
        self.request = request.absoluteString
        self.onClose = onClose
        part = path + ".partial"
        infoFile = path + ".partial-info"
        // The longer one of the two names.
        if access(infoFile, R_OK) != 0, errno == ENAMETOOLONG { throw .system(infoFile, "can't be written") }
        (opened, size) = try Self.openLocked(path, FileMode(of: path).whileIncomplete)
        info = Self.text(of: infoFile).flatMap { PartialInfo($0, request: self.request) }
        isUntouched = size > 0
        if size > info?.total ?? .max || size == 0 { info = nil }
        if info == nil { size = 0 }
        alreadyReceived = size
    }

    deinit {
        letGo()
    }

    package func letGo() {
        if isClosed { return }
        isClosed = true
        let isLost = (try? FileWriter.checkWritten(opened, path)) == nil
        // Of another URL's part nothing is lost before this one has a response.
        if !isMoved, isLost || (info == nil || size == 0) && !isUntouched {
            clear()
            unlink(part)
        }
        close(opened)
        onClose()
    }

    /// Two downloads in one file at a time would spoil it.
    private static func openLocked(
        _ place: String, _ mode: mode_t
    ) throws(FileWriter.Failure) -> (descriptor: Int32, size: Int64) {
        let path = place + ".partial"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 else { throw .system(path, "can't be written") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw isInUse(place)
            }
            var opened = stat()
            var named = stat()
            // The holder of the lock before may have moved or removed the file meanwhile.
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino {
                return (descriptor, Int64(opened.st_size))
            }
            close(descriptor)
        }
    }

    /// Why a second download to the same place fails.
    package static func isInUse(_ path: String) -> FileWriter.Failure {
        FileWriter.Failure(path + ".partial", "is being written by another download.")
    }

    /// The text of a regular file; nil for anything else, and for more than there can be.
    private static func text(of path: String) -> String? {
        // Not blocking: a pipe would keep the thread waiting for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes = [UInt8](repeating: 0, count: PartialInfo.longest + 1)
        let count = read(descriptor, &bytes, bytes.count)
        return 0...PartialInfo.longest ~= count ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// What a hop asks for (RFC 9110 §13.1.5, §14.2): the rest, if the whole is still the same and came from this origin.
    /// Without compression, because of a compressed response it is not known which bytes are there.
    package func headers(for origin: Origin) -> [String: String] {
        var headers = ["Accept-Encoding": "identity"]
        isRestAsked = false
        if let info, info.isFrom(origin) {
            isRestAsked = true
            headers["Range"] = "bytes=\(size)-"
            headers["If-Range"] = info.validator.text
        }
        return headers
    }

    /// Decides by the head of a response from `origin` what its body is for the file.
    package func verdict(status: Int, _ headers: HttpHeaders, from origin: Origin) -> Verdict {
        let range = headers["Content-Range"].flatMap { ContentRange($0) }
        switch status {
        case 206:
            // A part that wasn't requested is rejected with its status line.
            guard let info, isRestAsked else { return .refused }
            guard let range, range.part?.lowerBound == size, info.allows(headers, total: range.total) else {
                discard()
                return .startAgain
            }
            total = range.total ?? info.total
            alreadyReceived = size
            return .write
        case 416:
            guard let info, isRestAsked else { return .refused }
            guard let range, range.part == nil, range.total == size, info.allows(headers, total: range.total) else {
                discard()
                return .startAgain
            }
            total = size
            alreadyReceived = size
            return .whole
        case 204, 205: return .refused
        case 200..<300:
            discard()
            info = status == 200 ? PartialInfo(headers, request: request, origin: origin) : nil
            isInfoNew = info != nil
            total = info?.total
            return .write
        default: return .refused
        }
    }

    /// Forgets what is there.
    private func discard() {
        forget()
        queue.async { self.clear() }
    }

    private func forget() {
        isUntouched = false
        info = nil
        size = 0
        alreadyReceived = 0
        total = nil
    }

    /// Removes what is there. The order matters where the process ends in between.
    private func clear() {
        unlink(infoFile)
        ftruncate(opened, 0)
    }

    package func descriptor() throws(FileWriter.Failure) -> Int32 {
        if !isReady {
            if isInfoNew, let info { try save(info) }
            lseek(opened, off_t(size), SEEK_SET)
            isReady = true
        }
        return opened
    }

    /// A text that is cut, because the process ended, is of no use to a later attempt and does no harm.
    private func save(_ info: PartialInfo) throws(FileWriter.Failure) {
        let descriptor = open(infoFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(infoFile, "can't be written") }
        defer { close(descriptor) }
        let bytes = Array(info.text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw .system(infoFile, "can't be written")
        }
    }

    package func grow(by count: Int) {
        size += Int64(count)
    }

    package var isOfUseLater: Bool { info != nil }

    /// What is too long is none of what the server announced, and goes.
    package var missing: Int64? {
        guard let total, total != size else { return nil }
        defer {
            if size > total {
                forget()
                clear()
            }
        }
        return total - size
    }

    package func complete() throws(FileWriter.Failure) {
        do throws(FileWriter.Failure) {
            try FileWriter.checkWritten(opened, path)
        } catch {
            // Which bytes are there is not known.
            forget()
            clear()
            throw error
        }
        FileMode(of: path).set(to: opened)
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        unlink(infoFile)
        isMoved = true
    }
}
