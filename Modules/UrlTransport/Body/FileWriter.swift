import Dispatch
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

/// Writes a body to a file that is moved to its place when it is complete. Used by one thread at a time.
///
/// That thread never waits for the disk: a queue writes, and completes the file. Released without
/// ``finish(isWanted:then:)``, the file is abandoned.
package final class FileWriter {
    /// What went wrong with which path.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(_ path: String, _ what: String) {
            description = "\(path) \(what)"
        }

        package static func system(_ path: String, _ what: String) -> Failure {
            Failure(path, "\(what): \(String(cString: strerror(errno))).")
        }
    }

    /// How the end of a body went.
    package enum End: Sendable {
        /// The file is in its place.
        case whole
        /// So many bytes are missing.
        case missing(Int64)
        case failed(Failure)
        /// The file was not wanted any more.
        case unwanted
    }

    private let file: any UnfinishedFile
    private let output: FileOutput
    private var gathered: [UInt8] = []
    private var hasEnded = false

    /// Fails for what can't become a file, without touching anything. Waits for the disk.
    package static func check(_ url: URL) throws(Failure) {
        let path = url.path
        guard url.isFileURL, !path.isEmpty else {
            throw Failure(Redaction.standard.url(url.absoluteString), "is no file URL.")
        }
        for name in [path, TemporaryFile.part(of: path)] {
            var status = stat()
            if stat(name, &status) == 0 {
                if status.st_mode & S_IFMT == S_IFDIR { throw Failure(path, "is a folder.") }
            } else if errno == ENAMETOOLONG {
                throw .system(path, "can't be written")
            }
        }
        let folder = url.deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw .system(folder, "can't be written to") }
    }

    /// Writes from where the file's descriptor stands.
    ///
    /// - Parameter onRoom: called, by any thread, when there is room after ``write(_:)`` has refused.
    package init(_ file: any UnfinishedFile, onRoom: @escaping @Sendable () -> Void) {
        self.file = file
        output = FileOutput(
            { () throws(Failure) in try file.descriptor() }, path: file.path, queue: file.queue, onRoom: onRoom)
    }

    deinit {
        if !hasEnded { abandon {} }
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

    /// Ends a body that has come as a whole: what is left is written and the file moved to its place, unless `isWanted`
    /// says no right before. `then` is called on the queue when the file is in its place, or has been released.
    package func finish(isWanted: @escaping @Sendable () -> Bool, then: @escaping @Sendable (End) -> Void) {
        hasEnded = true
        output.finish(&gathered) { [file, output] failure in
            file.grow(by: output.takeWritten())
            let former = ReplacedFile(at: file.path)
            let end = Self.end(of: file, failure, isWanted)
            file.letGo()
            then(end)
            withExtendedLifetime(former) {}
        }
    }

    private static func end(of file: any UnfinishedFile, _ failure: Failure?, _ isWanted: () -> Bool) -> End {
        if let failure { return .failed(failure) }
        if let missing = file.missing { return .missing(missing) }
        guard isWanted() else { return .unwanted }
        do throws(Failure) {
            try file.complete()
            return .whole
        } catch {
            return .failed(error)
        }
    }

    /// Ends a body that won't be whole. What was taken is written only where a later attempt may go on with it. `then` is
    /// called on the queue when the file has been released.
    package func abandon(then: @escaping @Sendable () -> Void) {
        hasEnded = true
        if !file.isOfUseLater {
            output.drop()
            gathered = []
        }
        // What can't be written is loaded again.
        output.finish(&gathered) { [file, output] _ in
            file.grow(by: output.takeWritten())
            file.letGo()
            then()
        }
    }
}
