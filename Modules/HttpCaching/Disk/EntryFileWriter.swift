#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes the file of an entry under a temporary name. Its functions wait for the disk. A file that isn't put in its
/// place is removed.
///
/// The file is locked while it is open, so that other processes can tell it from one that a crash has left.
final class EntryFileWriter: @unchecked Sendable {  // used by one thread at a time: its queue, and then the key's
    private let folder: CacheFolder
    private let temporaryName: String
    private let head: [UInt8]
    private var layout: EntryLayout
    private var file: OpenFile?
    private var checksums: [UInt64] = []
    private var isPlaced = false

    /// Creates a writer; nil for an entry whose head is too large. The first write creates the file.
    init?(_ entry: HttpCacheEntry, in folder: CacheFolder) {
        head = EntryHead.bytes(of: entry)
        guard let capacity = EntryLayout.capacity(for: head) else { return nil }
        self.folder = folder
        temporaryName = EntryName.temporary(for: entry.key)
        layout = EntryLayout(capacity: capacity)
    }

    deinit {
        if file != nil, !isPlaced { _ = try? folder.remove(temporaryName) }
    }

    /// The size of the file with a body of this size, in bytes.
    func fileSize(withBody size: Int64) -> Int64 {
        var layout = layout
        layout.bodySize = size
        return layout.fileSize
    }

    private func opened() throws(HttpCacheFolderError) -> OpenFile {
        if let file { return file }
        let new = try folder.create(temporaryName)
        file = new
        return new
    }

    /// Appends whole blocks of the body.
    func append(_ blocks: [UInt8]) throws(HttpCacheFolderError) {
        let isNew = file == nil
        let file = try opened()
        // One that is finished at once is too young to be removed.
        if isNew { _ = file.lock() }
        let position = layout.checksumsPosition
        checksums += blocks.withUnsafeBytes { layout.checksums(ofBlocksFrom: checksums.count, $0) }
        layout.bodySize += Int64(blocks.count)
        try write(blocks, to: file, at: position)
    }

    /// Writes the rest of the body, its checksums, and then what makes the file valid. Returns its size.
    func finish(_ rest: [UInt8], fsync: HttpCacheFsync) throws(HttpCacheFolderError) -> Int64 {
        let file = try opened()
        let position = layout.checksumsPosition
        let isWhole = layout.bodySize == 0
        checksums += rest.withUnsafeBytes { layout.checksums(ofBlocksFrom: checksums.count, $0) }
        layout.bodySize += Int64(rest.count)
        var end = ByteWriter(bytes: rest)
        for sum in checksums { end.append(sum) }
        let front =
            layout.prologue + layout.bytes(ofHead: head, sequence: 1) + [UInt8](repeating: 0, count: layout.headSize)
        if isWhole {
            // One call writes a small response.
            try write(front + end.bytes, to: file, at: 0)
        } else {
            try write(end.bytes, to: file, at: position)
            try write(front, to: file, at: 0)
        }
        guard fsync == .never || file.synchronize() else { throw .system(folder.path, "can't be written") }
        return layout.fileSize
    }

    private func write(_ bytes: [UInt8], to file: OpenFile, at position: Int64) throws(HttpCacheFolderError) {
        guard file.write(bytes, at: position) else { throw .system(folder.path, "can't be written") }
    }

    /// Puts the finished file in its place, instead of one that is there.
    func place(as name: String, fsync: HttpCacheFsync) throws(HttpCacheFolderError) {
        guard try folder.rename(temporaryName, to: name) else {
            throw HttpCacheFolderError(
                .failedSystemCall, folder.path, file: temporaryName, "was removed while it was written.")
        }
        isPlaced = true
        file = nil
        if fsync == .always { try folder.synchronize(partOf: name) }
    }
}
