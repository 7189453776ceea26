public import NodeCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Why a cache's folder can't be used, or what failed in it.
///
/// The initializer of a cache throws one. Later failures are misses, and events in the log.
public struct HttpCacheFolderError: Error, Sendable, CustomStringConvertible {
    /// The kind of an ``HttpCacheFolderError``. Later versions may add kinds.
    public struct Code: ErrorCode {
        package let name: String

        /// The folder can't be created, read or written; or it belongs, or is open, to other users.
        public static let unusableFolder = Code(name: "unusableFolder")
        /// The disk, the user's quota or the largest size of a file is exhausted (`ENOSPC`, `EDQUOT`, `EFBIG`).
        public static let fullDisk = Code(name: "fullDisk")
        /// A file isn't what the cache has written. It was removed.
        public static let damagedEntry = Code(name: "damagedEntry")
        /// The response is larger than the cache stores.
        public static let tooLarge = Code(name: "tooLarge")
        /// Another system call failed.
        public static let failedSystemCall = Code(name: "failedSystemCall")
    }

    /// The kind of the error.
    public let code: Code
    /// The path of the folder.
    public let folder: String
    /// The path and what is wrong with it. Contains nothing of a response.
    public let description: String

    init(_ code: Code, _ folder: String, file: String? = nil, _ reason: String) {
        self.code = code
        self.folder = folder
        description = "\(folder)\(file.map { "/\($0)" } ?? "") \(reason)"
    }

    /// The failure of a system call, with `errno`.
    static func system(
        _ folder: String, file: String? = nil, _ what: String, _ code: Code? = nil
    ) -> HttpCacheFolderError {
        let number = errno
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
        return HttpCacheFolderError(
            code ?? (isFull ? .fullDisk : .failedSystemCall), folder, file: file,
            "\(what): \(String(cString: strerror(number))).")
    }
}
