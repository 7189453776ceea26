import Logging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A descriptor, which is closed when the object is released. Its functions wait for the disk.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    var status: FileStatus? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    /// Fills the buffer from this position. Returns the number of bytes, fewer at the file's end; nil after a failure,
    /// of which `errno` has the reason.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) -> Int? {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(position) + off_t(done))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Returns up to `count` bytes from this position; nil after a failure.
    func read(_ count: Int, at position: Int64) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let count = read(into: UnsafeMutableRawBufferPointer(buffer), at: position) {
                initialized = count
            } else {
                hasFailed = true
            }
        }
        return hasFailed ? nil : bytes
    }

    /// Writes all bytes at this position. Returns false after a failure, of which `errno` has the reason.
    func write(_ bytes: [UInt8], at position: Int64) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                    off_t(position) + off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Waits until the content is on the disk. Returns false after a failure.
    func synchronize() -> Bool {
        #if canImport(Darwin)
        // fsync(2) of Darwin leaves the content in the disk's cache.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// Locks the file until it is closed, if no other process or descriptor has locked it (flock(2)).
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Sets the time of the last change to now.
    func touch() { _ = futimens(descriptor, nil) }
}

/// The type, the size and the last change of a file.
struct FileStatus: Equatable, Sendable {
    let isRegular: Bool
    let isFolder: Bool
    /// The size in bytes.
    let size: Int64
    /// The last change in nanoseconds since 1970, limited to the years 1970 to 2255.
    let changed: Int64
    private let node: UInt64
    /// In seconds since 1970. A file system may have any time, and neither nanoseconds nor a difference may overflow.
    private static let greatestTime: Int64 = 9_000_000_000

    init(_ status: stat) {
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        size = Int64(status.st_size)
        node = UInt64(status.st_ino)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        changed = min(max(0, Int64(time.tv_sec)), Self.greatestTime) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time of day in nanoseconds since 1970, with the same bounds as ``changed``.
    static var now: Int64 { Int64(min(max(0, WallClock.now), Double(greatestTime)) * 1e9) }

    /// The last use of an entry in nanoseconds since 1970; 0 for one that is more than a minute ahead of `now`, because
    /// the clock was: the file would count as recently used until then.
    func lastUse(now: Int64) -> Int64 { changed - now > 60_000_000_000 ? 0 : changed }

    /// The space of the file in bytes.
    var space: Int64 { Self.space(ofSize: size) }

    /// The space of a file with this size: whole blocks of 4 KiB, the usual ones of file systems.
    static func space(ofSize size: Int64) -> Int64 { (size + 4095) & ~4095 }
}
