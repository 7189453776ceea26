#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The permissions of a file that replaces another one: those of the replaced file.
struct FileMode {
    /// The permissions of the replaced file, or of a link's target; nil where there is no regular file.
    private let former: mode_t?

    init(of path: String) {
        var status = stat()
        former = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status.st_mode & 0o777 : nil
    }

    /// The mode for `open`. The owner can read and write the file while it is incomplete. 0o666, minus the umask, where
    /// no file is replaced.
    var whileIncomplete: mode_t { former.map { $0 | 0o600 } ?? 0o666 }

    /// Sets the permissions of an open file.
    func set(to descriptor: Int32) {
        if let former { fchmod(descriptor, former) }
    }
}
