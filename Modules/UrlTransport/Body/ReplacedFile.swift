#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps a replaced file open, so that the system frees its storage after the caller was notified of the new file. For
/// a large file, freeing takes a tenth of the download's time.
package final class ReplacedFile: Sendable {
    #if os(Linux)
    /// `O_PATH`, which the C headers hide: the descriptor can neither be read nor written. The value is the same on
    /// x86, ARM and RISC-V.
    private static let pathOnly: Int32 = 0o10_000_000

    private let descriptor: Int32

    /// Returns nil where there is no file.
    init?(at path: String) {
        // `O_NOFOLLOW`: of a link, the link itself.
        descriptor = open(path, Self.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
    #else
    /// The system frees the storage at once.
    init?(at path: String) { nil }
    #endif
}
