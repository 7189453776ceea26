import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a file piece by piece on a dedicated queue. One task uses it.
final class FilePieces: Sendable {
    private enum ReadError: Error {
        case system(Int32)
    }

    /// The size of a piece in bytes.
    private static let size = 256 << 10

    let length: Int64
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "netchain.cache.file")

    /// Opens the file; nil if it can't be read.
    init?(_ url: URL) {
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        length = Int64(status.st_size)
    }

    deinit {
        close(descriptor)
    }

    /// The read bytes; nil for none. A short piece is a copy, because a store in memory keeps it, and with a slice the
    /// whole buffer.
    static func piece(of buffer: Data, _ count: Int) -> Data? {
        if count == buffer.count { return buffer }
        return count == 0 ? nil : buffer.withUnsafeBytes { Data($0.prefix(count)) }
    }

    /// The next piece; nil at the end of the file.
    func next() async throws -> Data? {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                var piece = Data(count: Self.size)
                let count = piece.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, Self.size) }
                if count < 0 {
                    continuation.resume(throwing: ReadError.system(errno))
                } else {
                    continuation.resume(returning: Self.piece(of: piece, count))
                }
            }
        }
    }
}
