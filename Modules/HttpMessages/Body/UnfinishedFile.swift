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

/// A file under a temporary name that is moved into place when it is complete.
///
/// Only its queue waits for the disk. Members marked "On the queue" are called there. The writing thread uses the
/// others, and the queue does after the last write.
package protocol UnfinishedFile: AnyObject, Sendable {
    /// The final path.
    var path: String { get }
    /// A serial queue.
    var queue: DispatchQueue { get }
    /// The descriptor of the open file, at the position where the body begins. On the queue.
    func descriptor() throws(BodyFailure) -> Int32
    /// Whether a later attempt can resume the file.
    var isResumable: Bool { get }
    /// Returns the number of missing bytes; nil when the file is complete or its size is not known. Discards a file that
    /// exceeds the announced size; then the number is negative. On the queue.
    func checkSize() -> Int64?
    /// Records that this number of bytes was written.
    func grow(by count: Int)
    /// Moves the complete file into place, with the permissions of the file that it replaces. On the queue.
    func complete() throws(BodyFailure)
    /// Closes the file, and removes an incomplete one that no later attempt can resume. A second call has no effect. On
    /// the queue.
    func release()
}

extension UnfinishedFile {
    /// Closes the file on its queue, which calls `then` after that.
    package func release(then: @escaping @Sendable () -> Void) {
        queue.async {
            self.release()
            then()
        }
    }
}

extension FileWriter {
    /// Throws a deferred write error. Some file systems, such as NFS, report it only from `close`, also of a duplicate.
    static func checkWritten(_ descriptor: Int32, _ path: String) throws(BodyFailure) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if duplicate >= 0, close(duplicate) != 0 { throw .system(path, "can't be written") }
    }

    /// Writes all bytes. Returns the number of those that were written; after a failure, `errno` has its reason.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        var done = 0
        while done < bytes.count {
            let count = systemWrite(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return done
    }
}

/// A file that is removed unless it becomes complete. It is created with its first byte.
package final class TemporaryFile: UnfinishedFile, @unchecked Sendable {  // mutable state is used on the queue only
    package let path: String
    package let queue = DispatchQueue(label: "netchain.file")
    private let part: String
    private let isPrivate: Bool
    private var opened: Int32?
    private var isMoved = false

    /// - Parameter isPrivate: whether only the owner can read the file, whatever the permissions of a replaced one are.
    package init(for url: URL, isPrivate: Bool = false) {
        path = url.path
        part = Self.part(of: path)
        self.isPrivate = isPrivate
    }

    deinit {
        release()
    }

    /// A name beside `path`, shortened to 255 bytes, the maximum of most file systems.
    static func part(of path: String) -> String {
        let suffix = ".\(UInt64.random(in: 0 ... .max)).part"
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        var name = path[start...]
        while name.utf8.count + suffix.utf8.count > 255 { name.removeLast() }
        return "\(path[..<start])\(name)\(suffix)"
    }

    package func descriptor() throws(BodyFailure) -> Int32 {
        if let opened { return opened }
        let mode = isPrivate ? 0o600 : FileMode(of: path).whileIncomplete
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .system(path, "can't be written") }
        opened = descriptor
        return descriptor
    }

    package var isResumable: Bool { false }
    package func checkSize() -> Int64? { nil }
    package func grow(by count: Int) {}

    package func complete() throws(BodyFailure) {
        let descriptor = try descriptor()
        try FileWriter.checkWritten(descriptor, path)
        if !isPrivate { FileMode(of: path).set(to: descriptor) }
        guard rename(part, path) == 0 else { throw .system(path, "can't be put in its place") }
        isMoved = true
    }

    /// Writes the whole file and moves it into place. Waits for the disk.
    package func write(_ data: Data) throws(BodyFailure) {
        defer { release() }
        let descriptor = try descriptor()
        guard data.withUnsafeBytes({ FileWriter.write($0, to: descriptor) }) == data.count else {
            throw .system(path, "can't be written")
        }
        try complete()
    }

    package func release() {
        guard let opened = opened.take() else { return }
        close(opened)
        if !isMoved { unlink(part) }
    }
}

/// `write(2)`, which the methods of the same name hide.
private func systemWrite(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, start, count)
}
