#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system's clock.
enum WallClock {
    /// Seconds since 1970-01-01 00:00 UTC.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// What the system refused, by its number (`errno`).
struct SystemError: Error, Hashable {
    let number: Int32
}

/// An open file.
struct FileDescriptor: Sendable {
    let number: Int32

    /// Writes all of `text`, waiting where the other side is slow.
    func write(_ text: String) throws(SystemError) {
        var text = text
        let failure: SystemError? = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                #if canImport(Darwin)
                let count = Darwin.write(number, rest.baseAddress, rest.count)
                #elseif canImport(Glibc)
                let count = Glibc.write(number, rest.baseAddress, rest.count)
                #else
                let count = Musl.write(number, rest.baseAddress, rest.count)
                #endif
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if errno == EAGAIN {
                    var wish = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wish, 1, -1)
                } else if errno != EINTR {
                    return SystemError(number: errno)
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Whether a person sits at the other end.
    var isTerminal: Bool {
        isatty(number) == 1
    }
}
