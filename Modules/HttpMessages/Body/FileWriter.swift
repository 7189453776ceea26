import Logging

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

/// Writes a body to a file that is moved into place when it is complete. One thread at a time may use it.
///
/// That thread never waits for the disk: a queue writes and completes the file. A writer that is released without
/// ``finish(isWanted:then:)`` abandons the file.
package final class FileWriter {
    /// The result of completing the file.
    package enum Completion: Sendable {
        /// The file is complete and in place.
        case whole
        /// The file doesn't have the size that the server announced. `missing` is the number of missing bytes; negative
        /// for surplus ones.
        case wrongSize(missing: Int64)
        case failed(BodyFailure)
        case unwanted
    }

    private let file: any UnfinishedFile
    private let output: FileOutput
    private var gathered: [UInt8] = []
    private var hasEnded = false

    /// Fails for a URL that can't become a file, without changing anything. Waits for the disk.
    package static func check(_ url: URL) throws(BodyFailure) {
        let path = url.path
        guard url.isFileURL, !path.isEmpty else {
            throw .unwritable(Redaction.standard.url(url.absoluteString), "is no file URL.")
        }
        for name in [path, TemporaryFile.part(of: path)] {
            var status = stat()
            if stat(name, &status) == 0 {
                if status.st_mode & S_IFMT == S_IFDIR { throw .unwritable(path, "is a folder.") }
                // A device or a pipe, which a download would replace.
                if status.st_mode & S_IFMT != S_IFREG { throw .unwritable(path, "is no regular file.") }
            } else if errno == ENAMETOOLONG {
                throw .system(path, "can't be written")
            }
        }
        let folder = url.deletingLastPathComponent().path
        guard access(folder, W_OK | X_OK) == 0 else { throw .system(folder, "can't be written to") }
    }

    /// Writes from the current position of the file's descriptor.
    ///
    /// - Parameter onSpace: called by the queue after ``hasSpace()`` returned false, when there is space or a write failed.
    package init(_ file: any UnfinishedFile, onSpace: @escaping @Sendable () -> Void) {
        self.file = file
        output = FileOutput(file, onSpace: onSpace)
    }

    deinit {
        if !hasEnded { abandon {} }
    }

    /// Whether more bytes should be written: false while many wait. After false, `onSpace` is called.
    ///
    /// - Throws: the failure of an earlier write.
    package func hasSpace() throws(BodyFailure) -> Bool { try output.hasSpace() }

    /// Takes the bytes, however many wait.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        if gathered.count + bytes.count > FileOutput.batch, !gathered.isEmpty { output.enqueue(&gathered) }
        if gathered.isEmpty { gathered.reserveCapacity(FileOutput.batch) }
        gathered.append(contentsOf: bytes)
    }

    /// Completes a whole body: writes the rest and moves the file into place, unless `isWanted` returns false just
    /// before that. `then` is called on the queue when the file is in place or was closed.
    package func finish(isWanted: @escaping @Sendable () -> Bool, then: @escaping @Sendable (Completion) -> Void) {
        hasEnded = true
        output.finish(&gathered) { [file] failure in
            let end = Self.end(of: file, failure, isWanted)
            file.release()
            then(end)
        }
    }

    private static func end(of file: any UnfinishedFile, _ failure: BodyFailure?, _ isWanted: () -> Bool) -> Completion
    {
        if let failure { return .failed(failure) }
        if let missing = file.checkSize() { return .wrongSize(missing: missing) }
        guard isWanted() else { return .unwanted }
        do throws(BodyFailure) {
            try file.complete()
            return .whole
        } catch {
            return .failed(error)
        }
    }

    /// Abandons an incomplete body. Its bytes are written only if a later attempt can resume the file. `then` is called
    /// on the queue when the file is closed.
    package func abandon(then: @escaping @Sendable () -> Void) {
        hasEnded = true
        if !file.isResumable {
            output.drop()
            gathered = []
        }
        // A failure is ignored: the next attempt downloads those bytes again.
        output.finish(&gathered) { [file] _ in
            file.release()
            then()
        }
    }
}
