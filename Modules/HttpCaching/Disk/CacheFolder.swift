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
/// read, written or removed. Links in place of the folders of entries are removed when it is opened.
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
        // A folder is no file, and what it contains isn't the cache's.
        case ENOENT, EISDIR: return nil
        case ELOOP, EMLINK, ENXIO: throw damage(of: name, "is no regular file")
        default: throw .system(path, file: name, "can't be opened")
        }
    }

    /// Creates a file that only its owner can read, and the folders that it needs. A folder that was removed is created
    /// again.
    func create(_ name: String) throws(HttpCacheFolderError) -> OpenFile {
        if let file = createIfPossible(name) { return file }
        guard errno == ENOENT else { throw .system(path, "can't be written") }
        createFolders(of: name)
        if let file = createIfPossible(name) { return file }
        let new = try Self.opened(path)
        opened.taking { opened in
            defer { opened = new }
            return opened
        }
        createFolders(of: name)
        guard let file = createIfPossible(name) else { throw .system(path, "can't be written") }
        return file
    }

    private func createFolders(of name: String) {
        for end in name.indices where name[end] == "/" {
            _ = withDescriptor { mkdirat($0, String(name[..<end]), 0o700) }
        }
    }

    private func createIfPossible(_ name: String) -> OpenFile? {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = withDescriptor { openat($0, name, flags, 0o600) }
        return descriptor >= 0 ? OpenFile(descriptor) : nil
    }

    /// Gives a file or a folder another name, and replaces a file that has it. Returns false where there is none.
    func rename(_ name: String, to other: String) throws(HttpCacheFolderError) -> Bool {
        if withDescriptor({ renameat($0, name, $0, other) }) == 0 { return true }
        guard errno == ENOENT else { throw .system(path, file: name, "can't be put in its place") }
        return false
    }

    /// Gives a file a second name, unless a file has that. Returns whether it has it now.
    func link(_ name: String, as other: String) -> Bool {
        withDescriptor { linkat($0, name, $0, other, 0) } == 0
    }

    /// Removes a file or a link. Returns whether it was there. A folder is no file, and stays.
    @discardableResult
    func remove(_ name: String) throws(HttpCacheFolderError) -> Bool {
        if withDescriptor({ unlinkat($0, name, 0) }) == 0 { return true }
        if errno == ENOENT { return false }
        let failure = HttpCacheFolderError.system(path, file: name, "can't be removed")
        guard status(of: name)?.isFolder == true else { throw failure }
        return false
    }

    /// Removes an entry, and gives its name to another variant if it is the first one. Returns whether it was there.
    @discardableResult
    func removeEntry(_ name: String) throws(HttpCacheFolderError) -> Bool {
        guard try remove(name) else { return false }
        if EntryName.isFirst(name), let last = EntryName.others(than: name).last(where: { status(of: $0) != nil }) {
            _ = try? rename(last, to: name)
        }
        return true
    }

    /// The status of a file or a link; nil where there is none.
    func status(of name: String) -> FileStatus? {
        name.withCString { status(of: $0) }
    }

    private func status(of name: UnsafePointer<CChar>) -> FileStatus? {
        var status = stat()
        let result = withDescriptor { fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
        return result == 0 ? FileStatus(status) : nil
    }

    /// Waits until the names of the files in the folder of this one are on the disk.
    func synchronize(partOf name: String) throws(HttpCacheFolderError) {
        let part = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? "."
        guard let folder = open(part), folder.synchronize() else { throw .system(path, "can't be written") }
    }

    private func open(_ subfolder: String) -> OpenFile? {
        let descriptor = withDescriptor { openat($0, subfolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
        return descriptor >= 0 ? OpenFile(descriptor) : nil
    }

    /// Calls `body` for each name in a folder but `.` and `..`. What it gets is valid in `body` only. A folder that isn't
    /// there has no names.
    func forEachName(in subfolder: String = ".", _ body: (ListedName) -> Void) throws(HttpCacheFolderError) {
        // A dedicated descriptor, because each has one position.
        let descriptor = withDescriptor { openat($0, subfolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
        if descriptor < 0, errno == ENOENT, subfolder != "." { return }
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
                if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return }
                body(ListedName(bytes: bytes, subfolder: subfolder, descriptor: descriptor))
            }
        }
    }

    /// Calls `body` for each name in the folders of the entries.
    func forEachEntry(_ body: (ListedName) -> Void) throws(HttpCacheFolderError) {
        for part in EntryName.parts { try forEachName(in: part, body) }
    }

    /// Removes a folder with its files.
    private func removeFiles(_ name: String) {
        // What can't be removed is left for the next opening.
        try? forEachName(in: name) { _ = $0.remove() }
        _ = withDescriptor { unlinkat($0, name, AT_REMOVEDIR) }
    }

    /// Removes a folder with its files, and its subfolders with theirs.
    func removeFolder(_ name: String) throws(HttpCacheFolderError) {
        var folders: [String] = []
        try forEachName(in: name) { listed in
            if !listed.remove() { folders.append(listed.path) }
        }
        Removers.forEach(folders) { [self] in removeFiles($0) }
        _ = withDescriptor { unlinkat($0, name, AT_REMOVEDIR) }
    }

    /// The error of a file that isn't what was written. The caller removes it.
    func damage(of name: String, _ reason: String) -> HttpCacheFolderError {
        HttpCacheFolderError(.damagedEntry, path, file: name, "\(reason); it was removed.")
    }
}

/// A name in a folder that is being listed.
struct ListedName {
    /// The name in its folder. A 0 follows.
    let bytes: UnsafeRawBufferPointer
    fileprivate let subfolder: String
    fileprivate let descriptor: Int32

    /// The name for the functions of ``CacheFolder``.
    var path: String {
        let name = String(decoding: bytes, as: UTF8.self)
        return subfolder == "." ? name : subfolder + "/" + name
    }

    /// The status of the file or the link.
    var status: FileStatus? {
        var status = stat()
        let result = pointer.map { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
        return result == 0 ? FileStatus(status) : nil
    }

    /// Removes the file or the link. Returns false for a folder.
    func remove() -> Bool { pointer.map { unlinkat(descriptor, $0, 0) == 0 } ?? false }

    private var pointer: UnsafePointer<CChar>? { bytes.baseAddress?.assumingMemoryBound(to: CChar.self) }
}
