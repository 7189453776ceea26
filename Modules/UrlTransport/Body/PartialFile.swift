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
/// what it is a part of. Used by one thread at a time, and by one transfer: it's locked.
///
/// Let go of, it keeps what an attempt can go on with, and leaves nothing behind otherwise.
package final class PartialFile: UnfinishedFile, @unchecked Sendable {  // used by one thread at a time
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
        /// It's a part that nobody asked for.
        case unasked
    }

    package let path: String
    package let descriptor: Int32
    package let queue = DispatchQueue(label: "netchain.file")
    private let part: String
    /// Ends when the file has been let go of.
    private var turn: PartialTurn?
    /// How many bytes are in the file.
    private(set) var size: Int64 = 0
    /// How many bytes of it were there before this transfer's answer. Until that is here, what was kept and asked to be
    /// gone on with.
    package private(set) var alreadyReceived: Int64 = 0
    private let request: String
    private let infoFile: URL
    private var info: PartialInfo?
    /// How many bytes the whole has, where the answer at hand tells.
    private var total: Int64?
    private var isMoved = false
    private var isClosed = false
    /// Whether what was there before is still there.
    private var isUntouched = true

    /// Opens what is there, or an empty file.
    ///
    /// - Parameters:
    ///   - request: the URL that is asked for; a part of another one is no use.
    ///   - turn: what others wait for.
    package init(of url: URL, request: URL, turn: PartialTurn?) throws(FileWriter.Failure) {
        self.turn = turn
        path = url.path
        self.request = request.absoluteString
        part = path + ".partial"
        infoFile = URL(fileURLWithPath: path + ".partial-info")
        descriptor = try Self.openLocked(part)
        var status = stat()
        info = (try? Data(contentsOf: infoFile)).flatMap { PartialInfo($0, request: self.request) }
        guard fstat(descriptor, &status) == 0 else { throw .system(part, "can't be looked at") }
        size = Int64(status.st_size)
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
        // Of another URL's part nothing is lost before this one has an answer.
        if !isMoved, info == nil || size == 0, !isUntouched {
            discard()
            unlink(part)
        }
        close(descriptor)
        turn = nil
    }

    /// Two downloads in one file at a time would spoil it.
    private static func openLocked(_ path: String) throws(FileWriter.Failure) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
            guard descriptor >= 0 else { throw .system(path, "can't be written") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw FileWriter.Failure(path, "is being written by another download.")
            }
            var opened = stat()
            var named = stat()
            // Who held the lock before may have moved or removed the file meanwhile.
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// What the request asks for (RFC 9110 §13.1.5, §14.2): the rest, if the whole is still the same. Without
    /// compression, because of a compressed answer it is not known which bytes are there.
    package var headers: [String: String] {
        var headers = ["Accept-Encoding": "identity"]
        if let info {
            headers["Range"] = "bytes=\(size)-"
            headers["If-Range"] = info.validator
        }
        return headers
    }

    /// Looks at the head of an answer and gets ready for its body.
    package func verdict(status: Int, _ headers: HttpHeaders) throws(FileWriter.Failure) -> Verdict {
        let range = headers["Content-Range"].flatMap { ContentRange($0) }
        switch status {
        case 206:
            guard let info else { return .unasked }
            guard let range, range.part?.lowerBound == size, info.allows(headers, total: range.total) else {
                discard()
                return .startAgain
            }
            total = range.total ?? info.total
            alreadyReceived = size
            return .write
        case 416:
            guard let info else { return .refused }
            guard let range, range.part == nil, range.total == size, info.allows(headers, total: range.total) else {
                discard()
                return .startAgain
            }
            total = size
            alreadyReceived = size
            return .whole
        case 200..<300:
            try begin(status == 200 ? PartialInfo(headers, request: request) : nil)
            total = info?.total
            return .write
        default: return .refused
        }
    }

    /// What is there is not of this answer. The order matters where the process ends in between.
    private func begin(_ info: PartialInfo?) throws(FileWriter.Failure) {
        discard()
        guard let info else { return }
        do {
            try info.data.write(to: infoFile, options: .atomic)
        } catch {
            throw FileWriter.Failure(infoFile.path, "can't be written: \(error)")
        }
        self.info = info
    }

    /// Forgets what is there.
    private func discard() {
        isUntouched = false
        unlink(infoFile.path)
        ftruncate(descriptor, 0)
        info = nil
        size = 0
        alreadyReceived = 0
        total = nil
    }

    /// Gets ready to write behind what is there.
    package func seekToEnd() {
        lseek(descriptor, off_t(size), SEEK_SET)
    }

    package func grow(by count: Int) {
        size += Int64(count)
    }

    package var isOfUseLater: Bool { info != nil }

    /// How many bytes are missing at the end of an answer; nil when it's whole or nobody knows. What is too long is none
    /// of what the server announced, and goes.
    package var missing: Int64? {
        guard let total, total != size else { return nil }
        defer {
            if size > total { discard() }
        }
        return total - size
    }

    package func complete() throws(FileWriter.Failure) {
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        unlink(infoFile.path)
        isMoved = true
    }
}

/// What a part is a part of.
struct PartialInfo: Equatable {
    /// Tells the URL apart from others; the URL itself may hold secrets, which don't belong on disk.
    let request: UInt64
    /// What `If-Range` says: a strong entity tag, or a date (RFC 9110 §13.1.5).
    let validator: String
    /// How many bytes the whole has, where the server told.
    let total: Int64?

    /// nil for an answer that can't be gone on with: one that is compressed, or without a validator that is strong.
    init?(_ headers: HttpHeaders, request: String) {
        guard Self.isPlain(headers), headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = Self.validator(headers)
        else { return nil }
        self.validator = validator
        self.request = Self.hash(request)
        total = headers["Content-Length"].flatMap { Int64($0) }
    }

    /// What ``data`` gave; nil for anything else, and for another URL.
    init?(_ data: Data, request: String) {
        let lines = String(decoding: data.prefix(16 << 10), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, lines[0] == "netchain-partial 1", lines[1] == "\(Self.hash(request))",
            !lines[3].isEmpty, lines[4].isEmpty
        else { return nil }
        self.request = Self.hash(request)
        total = Int64(lines[2])
        validator = String(lines[3])
    }

    var data: Data {
        Data("netchain-partial 1\n\(request)\n\(total.map { "\($0)" } ?? "-")\n\(validator)\n".utf8)
    }

    /// Whether an answer to a range is one of the same whole. A server repeats the validators that it has (RFC 9110
    /// §15.3.7); one that doesn't know `If-Range` would send a part of something else.
    func allows(_ headers: HttpHeaders, total: Int64?) -> Bool {
        guard Self.isPlain(headers) else { return false }
        if let total, let known = self.total, total != known { return false }
        let now = headers[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"]
        return now.map { $0 == validator } ?? true
    }

    private static func isPlain(_ headers: HttpHeaders) -> Bool {
        headers["Content-Encoding"].map { $0.lowercased() == "identity" } ?? true
    }

    /// A strong validator (RFC 9110 §8.8.1): an entity tag that isn't weak, or else a date that is at least a second
    /// older than the answer, so that nothing can have changed in that second (§8.8.2.2).
    private static func validator(_ headers: HttpHeaders) -> String? {
        if let tag = headers["ETag"] {
            return tag.utf8.count > 1 && tag.hasPrefix("\"") && tag.hasSuffix("\"") ? tag : nil
        }
        let now = Date()
        guard let text = headers["Last-Modified"], let modified = HttpDate(text, now: now)?.date,
            let sent = headers["Date"].flatMap({ HttpDate($0, now: now)?.date }),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }

    /// FNV-1a with 64 bits.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
