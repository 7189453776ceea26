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

/// A file under another name that is moved to its place when it is whole.
///
/// The disk is waited for on its queue alone. What says so is called there; the rest is used by the writing thread, and
/// from the end of the writing on by the queue.
package protocol UnfinishedFile: AnyObject, Sendable {
    /// Its place.
    var path: String { get }
    /// A serial one.
    var queue: DispatchQueue { get }
    /// The open file, at the place where the body begins. On the queue.
    func descriptor() throws(FileWriter.Failure) -> Int32
    /// Whether a later attempt may go on with what is there.
    var isOfUseLater: Bool { get }
    /// How many bytes are missing at the end; nil when it's whole or that is not known. On the queue.
    var missing: Int64? { get }
    /// So many bytes were written.
    func grow(by count: Int)
    /// Moves the whole file to its place, with the permissions of the one that was there. On the queue.
    func complete() throws(FileWriter.Failure)
    /// Closes it, and removes what is of no use later. The second time does nothing. On the queue.
    func letGo()
}

extension UnfinishedFile {
    /// Releases it on its queue, which calls `then` after that.
    package func letGo(then: @escaping @Sendable () -> Void) {
        queue.async {
            self.letGo()
            then()
        }
    }
}

extension FileWriter {
    /// Throws a write error that the system reports late: some file systems, such as NFS, report it with `close` alone, also
    /// with that of a duplicate.
    static func checkWritten(_ descriptor: Int32, _ path: String) throws(Failure) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if duplicate >= 0, close(duplicate) != 0 { throw .system(path, "can't be written") }
    }
}

/// A file that is gone unless it becomes whole. It is made with its first byte.
package final class TemporaryFile: UnfinishedFile, @unchecked Sendable {  // all that changes is used on the queue
    package let path: String
    package let queue = DispatchQueue(label: "netchain.file")
    private let part: String
    private var opened: Int32?
    private var isMoved = false

    package init(for url: URL) {
        path = url.path
        part = Self.part(of: path)
    }

    deinit {
        letGo()
    }

    /// A name beside `path` that is as long as a file system takes at most, 255 bytes.
    static func part(of path: String) -> String {
        let suffix = ".\(UInt64.random(in: 0 ... .max)).part"
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        while name.utf8.count + suffix.utf8.count > 255 { name.removeLast() }
        return "\(path[..<start])\(name)\(suffix)"
    }

    package func descriptor() throws(FileWriter.Failure) -> Int32 {
        if let opened { return opened }
        let mode = FileMode(of: path).whileIncomplete
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
        opened = descriptor
        return descriptor
    }

    package var isOfUseLater: Bool { false }
    package var missing: Int64? { nil }
    package func grow(by count: Int) {}

    package func complete() throws(FileWriter.Failure) {
        let descriptor = try descriptor()
        try FileWriter.checkWritten(descriptor, path)
        FileMode(of: path).set(to: descriptor)
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isMoved = true
    }

    package func letGo() {
        guard let opened = opened.take() else { return }
        close(opened)
        if !isMoved { unlink(part) }
    }
}
