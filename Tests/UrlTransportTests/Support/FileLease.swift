#if os(Linux)
import Glibc
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file that stands for one on a disk that hangs: `open` waits until the lease ends. It is made if it isn't there.
final class FileLease: Sendable {
    private let descriptor: Int32

    init(at url: URL) throws {
        descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        // The system signals that somebody waits; by default with a signal that ends the process. F_SETSIG, F_SETLEASE.
        try #require(fcntl(descriptor, 10, SIGURG) == 0)
        // A process that another test forks has the descriptor as well, until it executes its program.
        let deadline = ContinuousClock.now + .seconds(10)
        while fcntl(descriptor, 1024, F_WRLCK) != 0 {
            try #require(errno == EAGAIN && .now < deadline, "no lease: \(String(cString: strerror(errno)))")
            sched_yield()
        }
    }

    func end() {
        _ = fcntl(descriptor, 1024, F_UNLCK)
    }

    deinit {
        close(descriptor)
    }
}
#endif
