import Logging

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

/// Writes a body to a temporary name beside its file and moves it when it is complete. Used by one thread at a time.
///
/// Let go of without ``complete()``, it leaves nothing behind.
package final class FileWriter {
    /// What went wrong with which path.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ path: String, _ what: String) {
            description = "\(path) \(what)"
        }

        static func system(_ path: String, _ what: String) -> Failure {
            Failure(path, "\(what): \(String(cString: strerror(errno))).")
        }
    }

    /// Small writes are gathered: a call for each piece of a transfer takes twice the time.
    private static let batch = 256 << 10

    private let path: String
    private let part: String
    private let descriptor: Int32
    private var pending: [UInt8] = []
    private var isMoved = false
    /// What outlives a transfer that breaks off, where that was asked for.
    private let partial: PartialFile?

    /// Fails for what can't become a file, without touching anything.
    package static func check(_ url: URL) throws(Failure) {
        let path = url.path
        guard url.isFileURL, !path.isEmpty else {
            throw Failure(Redaction.standard.url(url.absoluteString), "is no file URL.")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw Failure(path, "is a folder.")
        }
        let folder = url.deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw .system(folder, "can't be written to") }
    }

    package init(_ url: URL) throws(Failure) {
        path = url.path
        part = "\(path).\(UInt64.random(in: 0 ... .max)).part"
        partial = nil
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
        pending.reserveCapacity(Self.batch)
    }

    /// Writes on at the end of what is there.
    package init(_ partial: PartialFile) {
        path = partial.url.path
        part = partial.part
        descriptor = partial.descriptor
        self.partial = partial
        partial.seekToEnd()
        pending.reserveCapacity(Self.batch)
    }

    deinit {
        if partial != nil {
            // What can't be written is loaded again.
            try? flush()
            return
        }
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isMoved { unlink(part) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        if pending.count + bytes.count > Self.batch { try flush() }
        pending.append(contentsOf: bytes)
    }

    /// Moves the whole file to its place.
    package func complete() throws(Failure) {
        try flush()
        if let partial { return try partial.complete() }
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isMoved = true
    }

    /// Hands what was gathered to the system.
    package func flush() throws(Failure) {
        var done = 0
        // Also after a failure: what has been written must not be written once more.
        defer { pending.removeFirst(done) }
        while done < pending.count {
            let count = pending.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #elseif canImport(Musl)
                Musl.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #else
                Darwin.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(path, "can't be written") }
            done += count
            partial?.grow(by: count)
        }
    }
}
