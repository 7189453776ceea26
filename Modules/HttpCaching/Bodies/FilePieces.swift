import Dispatch
import Synchronization

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
    private let file: OpenFile
    private let position = Mutex<Int64>(0)
    private let queue = DispatchQueue(label: "netchain.cache.file")

    /// Opens the file; nil if it can't be read.
    init?(_ url: URL) {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        file = OpenFile(descriptor)
        guard let status = file.status else { return nil }
        length = status.size
    }

    /// The read bytes; nil for none. A short piece is a copy, because a store in memory keeps it, and with a slice the
    /// whole buffer.
    static func piece(of buffer: Data, _ count: Int) -> Data? {
        if count == buffer.count { return buffer }
        return count == 0 ? nil : buffer.withUnsafeBytes { Data($0.prefix(count)) }
    }

    /// The next piece; nil at the end of the file.
    func next() async throws -> Data? {
        let start = position.withLock { $0 }
        let piece = try await queue.result { [file] in
            var piece = Data(count: Self.size)
            guard let count = piece.withUnsafeMutableBytes({ file.read(into: $0, at: start) }) else {
                throw ReadError.system(errno)
            }
            return Self.piece(of: piece, count)
        }
        position.withLock { $0 += Int64(piece?.count ?? 0) }
        return piece
    }
}
