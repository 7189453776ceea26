import NodeCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder of a cache. Its functions wait for the disk, and may be called from any thread.
///
/// Files are accessed by the folder's descriptor and without following links, so that nothing outside the folder is
/// read, written or removed.
final class CacheFolder: Sendable {
    let path: String
    private let opened: Mutex<OpenFile>

    /// Opens the folder, and creates it if it doesn't exist.
    init(path: String) throws(HttpCacheFolderError) {
        self.path = path
        opened = Mutex(try Self.opened(path))
    }

    /// Calls `body` with the folder's descriptor, which stays open meanwhile.
    private func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result {
        let folder = opened.withLock { $0 }
        return withExtendedLifetime(folder) { body(folder.descriptor) }
    }

    /// Opens a file; nil where there is none.
    ///
    /// - Throws: `damagedEntry` for a link.
    func file(_ name: String, isWritable: Bool = false) throws(HttpCacheFolderError) -> OpenFile? {
        // `O_NONBLOCK`: opening a FIFO would block the thread until a writer opens it.
        let flags = (isWritable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = withDescriptor { openat($0, name, flags) }
        if descriptor >= 0 { return OpenFile(descriptor) }
        switch errno {
        case ENOENT: return nil
        case ELOOP, EMLINK, EISDIR, ENXIO: throw damage(of: name, "is no regular file")
        default: throw .system(path, file: name, "can't be opened")
        }
    }

    /// Creates a file that only its owner can read. A folder that was removed is created again.
    func create(_ name: String) throws(HttpCacheFolderError) -> OpenFile {
        if let file = createIfPossible(name) { return file }
        guard errno == ENOENT else { throw .system(path, "can't be written") }
        let new = try Self.opened(path)
        opened.taking { opened in
            defer { opened = new }
            return opened
        }
        guard let file = createIfPossible(name) else { throw .system(path, "can't be written") }
        return file
    }

    private func createIfPossible(_ name: String) -> OpenFile? {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = withDescriptor { openat($0, name, flags, 0o600) }
        return descriptor >= 0 ? OpenFile(descriptor) : nil
    }

    /// Gives a file another name, and replaces a file that has it.
    func rename(_ name: String, to other: String) throws(HttpCacheFolderError) {
        guard withDescriptor({ renameat($0, name, $0, other) }) == 0 else {
            throw .system(path, file: name, "can't be put in its place")
        }
    }

    /// Gives a file a second name, unless a file has that. Returns whether it has it now.
    func link(_ name: String, as other: String) -> Bool {
        withDescriptor { linkat($0, name, $0, other, 0) } == 0
    }

    /// Removes a file or a link. Returns whether it was there.
    @discardableResult
    func remove(_ name: String) -> Bool {
        withDescriptor { unlinkat($0, name, 0) } == 0
    }

    /// The status of a file or a link; nil where there is none.
    func status(of name: String) -> FileStatus? {
        name.withCString { status(of: $0) }
    }

    /// The status of a file or a link with a name that ``forEachName(_:)`` has passed.
    func status(ofEntry name: UnsafeRawBufferPointer) -> FileStatus? {
        name.baseAddress.flatMap { status(of: $0.assumingMemoryBound(to: CChar.self)) }
    }

    private func status(of name: UnsafePointer<CChar>) -> FileStatus? {
        var status = stat()
        let result = withDescriptor { fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
        return result == 0 ? FileStatus(status) : nil
    }

    /// Waits until the names of all files are on the disk.
    func synchronize() throws(HttpCacheFolderError) {
        guard opened.withLock({ $0 }).synchronize() else { throw .system(path, "can't be written") }
    }

    /// Calls `body` for each name in the folder but `.` and `..`. The bytes, which a 0 follows, are valid in `body` only.
    func forEachName(_ body: (UnsafeRawBufferPointer) -> Void) throws(HttpCacheFolderError) {
        // A descriptor with a position of its own.
        let descriptor = withDescriptor { openat($0, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(path, "can't be read") }
        guard let list = fdopendir(descriptor) else {
            defer { close(descriptor) }
            throw .system(path, "can't be read")
        }
        defer { closedir(list) }
        while let entry = readdir(list) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                let start = UnsafeRawPointer(name)
                let length = Int(strlen(start.assumingMemoryBound(to: CChar.self)))
                let bytes = UnsafeRawBufferPointer(start: start, count: length)
                if !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) { body(bytes) }
            }
        }
    }

    /// The error of a file that isn't what was written. The caller removes it.
    func damage(of name: String, _ reason: String) -> HttpCacheFolderError {
        HttpCacheFolderError(.damagedEntry, path, file: name, "\(reason); it was removed.")
    }
}
