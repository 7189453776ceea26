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

/// A file under another name, open to be written, that is moved to its place when it is whole.
///
/// Used by one thread at a time: by whoever writes, and from the end of the writing on by the queue alone.
package protocol UnfinishedFile: AnyObject, Sendable {
    /// Its place.
    var path: String { get }
    var descriptor: Int32 { get }
    /// Where the disk is waited for.
    var queue: DispatchQueue { get }
    /// Whether a later attempt may go on with what is there.
    var isOfUseLater: Bool { get }
    /// How many bytes are missing at the end; nil when it's whole or nobody knows.
    var missing: Int64? { get }
    /// So many bytes were written.
    func grow(by count: Int)
    /// Moves the whole file to its place.
    func complete() throws(FileWriter.Failure)
    /// Closes it, and removes what is of no use to anybody. The second time does nothing.
    func letGo()
}

extension UnfinishedFile {
    /// Lets go of it on its queue, which calls `then` after that.
    package func letGo(then: @escaping @Sendable () -> Void) {
        queue.async {
            self.letGo()
            then()
        }
    }
}

/// A file that is gone unless it becomes whole.
package final class TemporaryFile: UnfinishedFile, @unchecked Sendable {  // used by one thread at a time
    package let path: String
    package let descriptor: Int32
    package let queue = DispatchQueue(label: "netchain.file")
    private let part: String
    private var isMoved = false
    private var isClosed = false

    /// Opens an empty one beside its place.
    package init(for url: URL) throws(FileWriter.Failure) {
        path = url.path
        part = "\(path).\(UInt64.random(in: 0 ... .max)).part"
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
    }

    deinit {
        letGo()
    }

    package var isOfUseLater: Bool { false }
    package var missing: Int64? { nil }
    package func grow(by count: Int) {}

    package func complete() throws(FileWriter.Failure) {
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isMoved = true
    }

    package func letGo() {
        if isClosed { return }
        isClosed = true
        close(descriptor)
        if !isMoved { unlink(part) }
    }
}
