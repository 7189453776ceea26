#if os(Linux)
internal import Dispatch
import Glibc
internal import Testing

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A pipe with a name, which stands for a file on a disk that is slow: nothing more fits until somebody reads.
package struct NamedPipe {
    package let url: URL

    package init(at url: URL) throws {
        self.url = url
        try #require(mkfifo(url.path, 0o600) == 0)
    }

    /// Waits until no byte more fits.
    package func full() async {
        await eventually("the pipe is full") {
            let descriptor = open(url.path, O_WRONLY | O_NONBLOCK)
            defer { close(descriptor) }
            var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return descriptor >= 0 && poll(&readiness, 1, 0) == 0
        }
    }

    /// Reads so many bytes, or all until nobody can write any more. Stops as well when nothing came for long: a test that
    /// fails has to come to its end.
    package func read(count: Int = .max) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "reader").async {
                let descriptor = open(url.path, O_RDONLY | O_NONBLOCK)
                var read: [UInt8] = []
                var piece = [UInt8](repeating: 0, count: 65_536)
                var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                while read.count < count, poll(&readiness, 1, 20_000) > 0 {
                    let some = Glibc.read(descriptor, &piece, min(piece.count, count - read.count))
                    guard some > 0 else { break }
                    read.append(contentsOf: piece[..<some])
                }
                close(descriptor)
                continuation.resume(returning: read)
            }
        }
    }
}
#endif
