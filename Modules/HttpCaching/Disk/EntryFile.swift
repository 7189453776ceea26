import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The file of one entry, opened. Its functions wait for the disk.
final class EntryFile: Sendable {
    /// What is read to find the head, in bytes: most heads fit.
    private static let firstRead: Int64 = 8 << 10
    /// The size of a file in bytes that is read as a whole with its head, so that one visit of the disk serves it.
    private static let smallFile: Int64 = 72 << 10
    /// The largest body in bytes that is read as a whole.
    private static let largestInMemory: Int64 = 1 << 20
    /// The number of bytes of a piece of a larger body: whole blocks.
    private static let pieceSize = 4 * EntryLayout.blockSize

    private struct Content {
        let status: FileStatus
        let layout: EntryLayout
        let entry: HttpCacheEntry
        /// The valid head's position and sequence number.
        let head: (index: Int, sequence: UInt32)
        /// The bytes of a small file.
        var whole: [UInt8]?
    }

    private let file: OpenFile
    private let content: Content
    let folder: CacheFolder
    let name: String

    var entry: HttpCacheEntry { content.entry }
    var status: FileStatus { content.status }
    private var layout: EntryLayout { content.layout }

    /// Opens the file of an entry; nil where there is none. A folder in its place is none, and stays.
    ///
    /// - Parameter readsBody: whether the body of a small file is read, too.
    /// - Throws: `damagedEntry` for a file that isn't what was written. It was removed.
    init?(
        _ name: String, in folder: CacheFolder, isWritable: Bool = false, readsBody: Bool = false
    ) throws(HttpCacheFolderError) {
        do throws(HttpCacheFolderError) {
            guard let file = try folder.file(name, isWritable: isWritable), file.status?.isFolder != true else {
                return nil
            }
            content = try Self.read(file, name, folder, readsBody: readsBody)
            self.file = file
        } catch {
            if error.code == .damagedEntry { _ = try? folder.removeEntry(name) }
            throw error
        }
        self.folder = folder
        self.name = name
    }

    private static func read(
        _ file: OpenFile, _ name: String, _ folder: CacheFolder, readsBody: Bool
    ) throws(HttpCacheFolderError) -> Content {
        guard let status = file.status, status.isRegular else { throw folder.damage(of: name, "is no regular file") }
        let isWhole = readsBody && status.size <= smallFile
        guard var front = file.read(Int(isWhole ? status.size : min(firstRead, status.size)), at: 0) else {
            throw .system(folder.path, file: name, "can't be read")
        }
        if let layout = front.withUnsafeBytes({ EntryLayout($0) }), layout.bodyPosition > front.count,
            layout.fileSize == status.size
        {
            guard let longer = file.read(layout.bodyPosition, at: 0) else {
                throw .system(folder.path, file: name, "can't be read")
            }
            front = longer
        }
        guard let (layout, entry, head) = front.withUnsafeBytes({ parse($0, fileSize: status.size) }) else {
            throw folder.damage(of: name, "is damaged")
        }
        let whole = Int64(front.count) == status.size ? front : nil
        return Content(status: status, layout: layout, entry: entry, head: head, whole: whole)
    }

    /// Reads the prologue and the heads of a file that starts with these bytes; nil for one that is damaged.
    static func parse(
        _ front: UnsafeRawBufferPointer, fileSize: Int64
    ) -> (layout: EntryLayout, entry: HttpCacheEntry, head: (index: Int, sequence: UInt32))? {
        guard let layout = EntryLayout(front), layout.fileSize == fileSize, let head = layout.head(in: front),
            let entry = EntryHead.entry(head.head, bodyLength: layout.bodySize)
        else { return nil }
        return (layout, entry, (head.index, head.sequence))
    }

    // MARK: Body

    /// Whether the body is in memory already, so that ``cacheBody(on:)`` doesn't wait for the disk.
    var hasReadBody: Bool { content.whole != nil }

    /// The body as the cache reads it: in memory up to 1 MiB, otherwise in pieces that the queue reads.
    ///
    /// - Throws: `damagedEntry` for a body up to 1 MiB. A larger one is verified piece by piece.
    func cacheBody(on queue: DispatchQueue) throws(HttpCacheFolderError) -> HttpCacheBody {
        if layout.bodySize <= Self.largestInMemory { return HttpCacheBody(try blocks(from: 0, Int(layout.bodySize))) }
        let position = Mutex<Int64>(0)
        return HttpCacheBody(length: layout.bodySize) { [self] in
            let start = position.withLock { $0 }
            let piece = try await queue.result { try self.piece(at: start) }
            position.withLock { $0 = start + Int64(piece?.count ?? 0) }
            return piece
        }
    }

    /// Returns the piece of the body at this position, a multiple of a piece's size; nil at the end.
    ///
    /// - Throws: `damagedEntry`; the file was removed.
    func piece(at position: Int64) throws(HttpCacheFolderError) -> Data? {
        let size = min(Int64(Self.pieceSize), layout.bodySize - position)
        return size > 0 ? try blocks(from: Int(position / Int64(EntryLayout.blockSize)), Int(size)) : nil
    }

    private func blocks(from first: Int, _ size: Int) throws(HttpCacheFolderError) -> Data {
        if size == 0 { return Data() }
        let position = Int64(layout.bodyPosition) + Int64(first) * Int64(EntryLayout.blockSize)
        let sums = layout.checksumsPosition + 8 * Int64(first)
        let sumsSize = 8 * ((size + EntryLayout.blockSize - 1) / EntryLayout.blockSize)
        guard let data = data(size, at: position), let expected = self.data(sumsSize, at: sums) else {
            throw .system(folder.path, file: name, "can't be read")
        }
        let found = data.withUnsafeBytes { layout.checksums(ofBlocksFrom: first, $0) }
        guard data.count == size, found == expected.withUnsafeBytes(Self.checksums) else {
            _ = try? folder.removeEntry(name)
            throw folder.damage(of: name, "is damaged")
        }
        return data
    }

    /// Up to `size` bytes from this position; nil after a failure.
    private func data(_ size: Int, at position: Int64) -> Data? {
        if let whole = content.whole { return Data(whole[Int(position)..<Int(position) + size]) }
        var data = Data(count: size)
        guard let count = data.withUnsafeMutableBytes({ file.read(into: $0, at: position) }) else { return nil }
        return data.prefix(count)
    }

    private static func checksums(_ bytes: UnsafeRawBufferPointer) -> [UInt64] {
        var reader = ByteReader(bytes)
        var sums: [UInt64] = []
        while let sum = reader.integer(UInt64.self) { sums.append(sum) }
        return sums
    }

    // MARK: Changes

    /// Whether a use is to be recorded: the last one was at least `resolution` nanoseconds ago.
    func isUseDue(resolution: Int64) -> Bool {
        abs(FileStatus.now - content.status.changed) >= resolution
    }

    func recordUse() {
        file.touch()
    }

    /// Replaces the head. Returns false where the new one is larger than the capacity.
    ///
    /// A crash leaves either of both heads.
    func update(_ entry: HttpCacheEntry, fsync: HttpCacheFsync) throws(HttpCacheFolderError) -> Bool {
        let new = EntryHead.bytes(of: entry)
        guard new.count <= layout.capacity, content.head.sequence < .max else { return false }
        let bytes = layout.bytes(ofHead: new, sequence: content.head.sequence + 1)
        guard file.write(bytes, at: Int64(layout.position(ofHead: 1 - content.head.index))),
            fsync == .never || file.synchronize()
        else { throw .system(folder.path, file: name, "can't be written") }
        return true
    }
}
