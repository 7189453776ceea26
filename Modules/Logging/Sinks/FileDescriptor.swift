#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The error of a failed system call, by its number (`errno`).
struct SystemError: Error, Hashable, CustomStringConvertible {
    let number: Int32
    var path = ""
    /// The bytes that were written before the failure.
    var written = 0

    var description: String {
        "\(path.isEmpty ? "the file" : path) can't be written: \(String(cString: strerror(number)))"
    }
}

struct FileDescriptor: Sendable {
    let number: Int32
    /// The file's path, for errors; empty if it has none.
    var path = ""

    var isTerminal: Bool {
        isatty(number) == 1
    }

    /// Writes all of `text`, and blocks while the reader is slow. A pipe without a reader is an error like any other
    /// and doesn't end the process.
    func write(_ text: String) throws(SystemError) {
        var text = text
        let failure = text.withUTF8 { bytes in
            withoutBrokenPipeSignal { writeAll(UnsafeRawBufferPointer(bytes)) }
        }
        if let failure { throw failure }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> SystemError? {
        var rest = bytes
        while !rest.isEmpty {
            let count = systemWrite(number, rest.baseAddress, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno == EAGAIN {
                var wish = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wish, 1, -1)
            } else if errno != EINTR {
                return SystemError(number: errno, path: path, written: bytes.count - rest.count)
            }
        }
        return nil
    }

    /// Blocks SIGPIPE in this thread while `body` runs, and consumes the one that `body` caused.
    private func withoutBrokenPipeSignal(_ body: () -> SystemError?) -> SystemError? {
        var pipeSignal = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        guard pthread_sigmask(SIG_BLOCK, &pipeSignal, &before) == 0 else { return body() }
        let failure = body()
        if failure?.number == EPIPE, sigismember(&before, SIGPIPE) == 0 {
            var pending = sigset_t()
            sigemptyset(&pending)
            sigpending(&pending)
            var taken: Int32 = 0
            if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipeSignal, &taken) }
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return failure
    }
}

/// `write(2)`, which the method of the same name hides.
private func systemWrite(_ number: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, start, count)
}
