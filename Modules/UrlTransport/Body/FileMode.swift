#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The permissions of a file that takes the place of another one: those of the former.
struct FileMode {
    /// Those of the former file, of a link those of what it leads to; nil where there is none.
    private let former: mode_t?

    init(of path: String) {
        var status = stat()
        former = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? status.st_mode & 0o777 : nil
    }

    /// For `open`: the owner can read and write the file while it is incomplete.
    var whileIncomplete: mode_t { former.map { $0 | 0o600 } ?? 0o666 }

    /// Gives them to an open file.
    func set(to descriptor: Int32) {
        if let former { fchmod(descriptor, former) }
    }
}
