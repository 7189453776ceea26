#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe that wakes the loop's thread from `poll(2)`.
struct WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Sockets.failure("pipe") }
        readEnd = ends[0]
        writeEnd = ends[1]
        Sockets.prepare(readEnd)
        Sockets.prepare(writeEnd)
    }

    func wake() {
        var byte: UInt8 = 1
        // A full pipe wakes as well, so the result does not matter.
        _ = write(writeEnd, &byte, 1)
    }

    func drain() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(readEnd, &bytes, 16) == 16 {}
    }

    func close() {
        systemClose(readEnd)
        systemClose(writeEnd)
    }
}

/// `close(2)`, for types that declare another `close`.
func systemClose(_ descriptor: Int32) {
    close(descriptor)
}
