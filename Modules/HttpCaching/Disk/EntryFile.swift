import Dispatch
import Logging
import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The file of one entry, opened. Its functions wait for the disk.
final class EntryFile: Sendable {
    /// What is read at once to find the head, in bytes: most heads, and the body of a small response, fit.
    private static let firstRead = 8 << 10
    /// The number of bytes of a piece of a large body: whole blocks.
    private static let pieceSize = 4 * EntryLayout.blockSize

    /// The largest body in bytes that is read as a whole.
    private static let largestInMemory: Int64 = 1 << 20

    private let file: OpenFile
    let folder: CacheFolder
    let name: String
    let layout: EntryLayout
    let status: FileStatus
    let entry: HttpCacheEntry
    /// The valid head's position and sequence number.
    private let head: (index: Int, sequence: UInt32)

    /// Opens the file of an entry; nil where there is none.
    ///
    /// - Throws: `damagedEntry` for a file that isn't what was written. It was removed.
    init?(_ name: String, in folder: CacheFolder, isWritable: Bool = false) throws(HttpCacheFolderError) {
        do throws(HttpCacheFolderError) {
            guard let file = try folder.file(name, isWritable: isWritable) else { return nil }
            (status, layout, entry, head) = try Self.read(file, name, folder)
            self.file = file
        } catch {
            if error.code == .damagedEntry { folder.remove(name) }
            throw error
        }
        self.folder = folder
        self.name = name
    }

    private typealias Content = (
        status: FileStatus, layout: EntryLayout, entry: HttpCacheEntry, head: (index: Int, sequence: UInt32)
    )

    private static func read(
        _ file: OpenFile, _ name: String, _ folder: CacheFolder
    ) throws(HttpCacheFolderError) -> Content {
        guard let status = file.status, status.isRegular else { throw folder.damage(of: name, "is no regular file") }
        guard var front = file.read(Int(min(Int64(firstRead), status.size)), at: 0) else {
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
        return (status, layout, entry, head)
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

    /// The body as the cache reads it: in memory up to 1 MiB, otherwise in pieces that the queue reads.
    ///
    /// - Throws: `damagedEntry` for a body up to 1 MiB. A larger one is verified piece by piece.
    func cacheBody(on queue: DispatchQueue) throws(HttpCacheFolderError) -> HttpCacheBody {
        if layout.bodySize <= Self.largestInMemory { return HttpCacheBody(try body()) }
        let position = Mutex<Int64>(0)
        return HttpCacheBody(length: layout.bodySize) { [self] in
            let start = position.withLock { $0 }
            let piece = try await queue.result { try self.piece(at: start) }
            position.withLock { $0 = start + Int64(piece?.count ?? 0) }
            return piece
        }
    }

    /// Returns the whole body.
    ///
    /// - Throws: `damagedEntry`; the file was removed.
    func body() throws(HttpCacheFolderError) -> Data {
        try blocks(from: 0, size: Int(layout.bodySize))
    }

    /// Returns the piece of the body at this position, a multiple of a piece's size; nil at the end.
    ///
    /// - Throws: `damagedEntry`; the file was removed.
    func piece(at position: Int64) throws(HttpCacheFolderError) -> Data? {
        let size = min(Int64(Self.pieceSize), layout.bodySize - position)
        return size > 0 ? try blocks(from: Int(position / Int64(EntryLayout.blockSize)), size: Int(size)) : nil
    }

    private func blocks(from first: Int, size: Int) throws(HttpCacheFolderError) -> Data {
        if size == 0 { return Data() }
        let position = Int64(layout.bodyPosition) + Int64(first) * Int64(EntryLayout.blockSize)
        var data = Data(count: size)
        let count = data.withUnsafeMutableBytes { file.read(into: $0, at: position) }
        let sums = layout.checksumsPosition + 8 * Int64(first)
        let expected = file.read(8 * ((size + EntryLayout.blockSize - 1) / EntryLayout.blockSize), at: sums)
        guard let count, let expected else { throw .system(folder.path, file: name, "can't be read") }
        let isValid =
            count == size
            && data.withUnsafeBytes { layout.checksums(ofBlocksFrom: first, $0) } == Self.checksums(expected)
        guard isValid else {
            folder.remove(name)
            throw folder.damage(of: name, "is damaged")
        }
        return data
    }

    private static func checksums(_ bytes: [UInt8]) -> [UInt64] {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            var sums: [UInt64] = []
            while let sum = reader.integer(UInt64.self) { sums.append(sum) }
            return sums
        }
    }

    // MARK: Changes

    /// Records a use, unless the last one was less than `resolution` nanoseconds ago.
    func recordUse(resolution: Int64) {
        let now = Int64(WallClock.now * 1e9)
        if abs(now - status.changed) >= resolution { file.touch() }
    }

    /// Replaces the head. Returns false where the new one is larger than the capacity.
    ///
    /// A crash leaves either of both heads.
    func update(_ entry: HttpCacheEntry, fsync: HttpCacheFsync) throws(HttpCacheFolderError) -> Bool {
        let new = EntryHead.bytes(of: entry)
        guard new.count <= layout.capacity, head.sequence < .max else { return false }
        let bytes = layout.bytes(ofHead: new, sequence: head.sequence + 1)
        guard file.write(bytes, at: Int64(layout.position(ofHead: 1 - head.index))),
            fsync == .never || file.synchronize()
        else { throw .system(folder.path, file: name, "can't be written") }
        return true
    }
}
