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
/// The bytes of a large body are written by a queue of its own, so that whoever brings them goes on meanwhile. Let go of
/// without ``complete()``, it leaves nothing behind.
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

    private let path: String
    private let part: String
    private let output: FileOutput
    private var gathered: [UInt8] = []
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

    /// - Parameter onRoom: called, by any thread, when there is room after ``write(_:)`` has refused.
    package init(_ url: URL, onRoom: @escaping @Sendable () -> Void) throws(Failure) {
        path = url.path
        part = "\(path).\(UInt64.random(in: 0 ... .max)).part"
        partial = nil
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
        output = FileOutput(descriptor, path: path, onRoom: onRoom)
    }

    /// Writes on at the end of what is there.
    package init(_ partial: PartialFile, onRoom: @escaping @Sendable () -> Void) {
        path = partial.url.path
        part = partial.part
        output = FileOutput(partial.descriptor, path: path, onRoom: onRoom)
        self.partial = partial
        partial.seekToEnd()
    }

    deinit {
        if partial != nil {
            // What can't be written is loaded again.
            try? flush()
            return
        }
        output.wait()
        close(output.descriptor)
        if !isMoved { unlink(part) }
    }

    /// Takes the bytes; false, and takes none, while too many wait to be written.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Bool {
        if gathered.count + bytes.count > FileOutput.batch, !gathered.isEmpty {
            guard try output.take(&gathered) else { return false }
        }
        if gathered.isEmpty { gathered.reserveCapacity(FileOutput.batch) }
        gathered.append(contentsOf: bytes)
        return true
    }

    /// Moves the whole file to its place.
    package func complete() throws(Failure) {
        try flush()
        if let partial { return try partial.complete() }
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isMoved = true
    }

    /// Hands all that was taken to the system.
    package func flush() throws(Failure) {
        defer {
            gathered = []
            partial?.grow(by: output.takeWritten())
        }
        try output.finish(gathered)
    }
}
