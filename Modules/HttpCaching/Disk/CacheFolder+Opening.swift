#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CacheFolder {
    /// Marks a folder as a cache, so that backups leave it out (https://bford.info/cachedir/).
    static let tag = "CACHEDIR.TAG"
    private static let tagContent = """
        Signature: 8a477f597d28d172789f06886806bc55
        # Responses of HTTP servers, which the cache of an application removes and writes.

        """

    /// Opens the folder, creates what is missing of its path, and checks that no other user can read or change it.
    static func opened(_ path: String) throws(HttpCacheFolderError) -> OpenFile {
        try create(path)
        // The application has chosen the path, so the folder itself may be a link.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, "can't be opened as a folder", .unusableFolder) }
        let folder = OpenFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, "can't be read", .unusableFolder) }
        guard status.st_uid == geteuid() else {
            throw HttpCacheFolderError(
                .unusableFolder, path, "belongs to another user, who could change what is stored.")
        }
        try mark(folder, path, isOpenToOthers: status.st_mode & 0o077 != 0)
        removeLinks(folder)
        return folder
    }

    /// Removes links in place of the folders of entries: the names of entries would lead outside. Other users, who may
    /// have made them, have no access now.
    private static func removeLinks(_ folder: OpenFile) {
        for name in [EntryName.entries] + EntryName.parts {
            var status = stat()
            guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                // Without the first one there are no others.
                if name == EntryName.entries { return }
                continue
            }
            if status.st_mode & S_IFMT == S_IFLNK { unlinkat(folder.descriptor, name, 0) }
        }
    }

    /// Creates the folder and its parents where they don't exist.
    private static func create(_ path: String) throws(HttpCacheFolderError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .system(path, "can't be created", .unusableFolder)
        }
        try create(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .system(path, "can't be created", .unusableFolder)
        }
    }

    /// Marks the folder as a cache. Closes it to other users if it is one, or is empty: another folder, such as the
    /// user's home, may have to stay as it is.
    private static func mark(
        _ folder: OpenFile, _ path: String, isOpenToOthers: Bool
    ) throws(HttpCacheFolderError) {
        let isMarked = isMarked(folder)
        if isOpenToOthers {
            guard isMarked || isEmpty(folder) else {
                throw HttpCacheFolderError(
                    .unusableFolder, path,
                    "is open to other users and contains other files. The cache needs a dedicated folder.")
            }
            guard fchmod(folder.descriptor, 0o700) == 0 else {
                throw .system(path, "can't be closed to other users", .unusableFolder)
            }
        }
        if isMarked {
            guard faccessat(folder.descriptor, ".", R_OK | W_OK | X_OK, 0) == 0 else {
                throw .system(path, "can't be written", .unusableFolder)
            }
            return
        }
        let descriptor = openat(folder.descriptor, tag, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 || errno == EEXIST else { throw .system(path, "can't be written", .unusableFolder) }
        // On a full disk the file stays empty. The folder is usable.
        if descriptor >= 0 { _ = OpenFile(descriptor).write(Array(tagContent.utf8), at: 0) }
    }

    /// Whether the tag is that of this module. Caches of other programs have one, too.
    private static func isMarked(_ folder: OpenFile) -> Bool {
        let descriptor = openat(folder.descriptor, tag, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        let content = Array(tagContent.utf8)
        return OpenFile(descriptor).read(content.count + 1, at: 0) == content
    }

    private static func isEmpty(_ folder: OpenFile) -> Bool {
        let descriptor = openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        guard let list = fdopendir(descriptor) else {
            close(descriptor)
            return false
        }
        defer { closedir(list) }
        var names = 0
        while readdir(list) != nil { names += 1 }
        // "." and "..".
        return names <= 2
    }
}
