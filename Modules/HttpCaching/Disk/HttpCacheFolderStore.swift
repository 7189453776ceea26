import Dispatch
import HttpMessages
import NodeCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps responses in a folder, which several processes may share. ``HttpCache/init(folder:limit:offlineStaleness:fsync:)`` uses one.
///
/// - **Size**: the least recently used responses are removed in the background when their files take more than the
///   limit, or there are more than 100,000. Until that is done the limit may be exceeded by a quarter, and by an eighth
///   for each other process.
/// - **Large responses**: one with more than an eighth of the limit isn't stored, so that a download doesn't evict
///   everything else.
/// - **Memory**: bodies of more than 1 MiB are read and written piece by piece.
/// - **Crashes**: a response is written under a temporary name and renamed when it is complete. Head and body have
///   checksums. A damaged file is removed, and is a miss; only a body over 16 MiB that is streamed fails at the damaged
///   piece, with ``HttpCacheFolderError/Code/damagedEntry``.
/// - **Access**: the folder has the mode 0700 and its files 0600. Links in it are not followed. Responses are not
///   encrypted.
/// - **Other files** in the folder stay. `CACHEDIR.TAG` lets backup programs skip the folder.
/// - **Threads**: queues of the store wait for the disk, and no thread of Swift's pool does.
///
/// Errors are ``HttpCacheFolderError``.
public final class HttpCacheFolderStore: HttpCacheStore {
    struct Options: Sendable {
        var limit: FolderUsage.Limit
        var fsync = HttpCacheFsync.never
        /// A use within this number of nanoseconds after the last one isn't recorded: it would be a write for each hit.
        var useResolution: Int64 = 10_000_000_000

        /// The largest file of an entry in bytes. A large download evicts at most this much.
        var largestEntry: Int64 { limit.bytes / 8 }
    }

    /// The number of entries that a folder keeps, whatever their size is.
    static let mostEntries = 100_000

    let folder: CacheFolder
    let options: Options
    let usageState: Mutex<FolderUsage>
    /// The number of calls of `removeAll()`. A writer that began before the last one commits nothing.
    let removals = Mutex(0)
    private let secretState = Mutex<[UInt8]?>(nil)
    let recent = RecentLookups()
    /// Changes of one key run on one of these, one after the other. A slow disk delays at most this number of threads.
    private let keyQueues = (0..<8).map { _ in DispatchQueue(label: "netchain.cache") }
    /// Runs scans and evictions.
    let scanQueue = DispatchQueue(label: "netchain.cache-scan", qos: .utility)
    /// Runs removals that read the whole folder, so that they don't wait for an eviction.
    let removalQueue = DispatchQueue(label: "netchain.cache-removal")

    /// Opens the folder, or creates it with the mode 0700. Waits for a few system calls; the scan runs in the background.
    ///
    /// An existing folder that other users can access is closed to them if it is empty or a cache already.
    ///
    /// - Parameters:
    ///   - folder: a folder for the cache alone, by a file URL.
    ///   - limit: how many bytes the files may take, each rounded up to 4 KiB.
    ///   - fsync: whether storing waits until the disk has the response.
    /// - Throws: ``HttpCacheFolderError`` where the folder can't be created or written, belongs to another user, or is
    ///   open to other users and contains other files.
    public convenience init(folder: URL, limit: Int, fsync: HttpCacheFsync = .never) throws(HttpCacheFolderError) {
        guard folder.isFileURL, !folder.path.isEmpty else {
            throw HttpCacheFolderError(.unusableFolder, folder.absoluteString, "is no file URL.")
        }
        let limit = FolderUsage.Limit(bytes: Int64(max(0, limit)), entries: Self.mostEntries)
        try self.init(folder.path, Options(limit: limit, fsync: fsync))
    }

    init(_ path: String, _ options: Options) throws(HttpCacheFolderError) {
        folder = try CacheFolder(path: path)
        self.options = options
        usageState = Mutex(FolderUsage(limit: options.limit))
        requestScan()
    }

    func queue(of key: HttpCacheKey) -> DispatchQueue {
        keyQueues[Int(UInt(bitPattern: key.url.hashValue) % UInt(keyQueues.count))]
    }

    // MARK: Reading

    /// The random secret in the folder.
    public func secret() async throws -> [UInt8] {
        if let secret = secretState.withLock({ $0 }) { return secret }
        return try await keyQueues[0].result { [self] in
            let secret = try StoreSecret.bytes(in: folder)
            secretState.withLock { $0 = secret }
            return secret
        }
    }

    /// The stored responses for a key, at most 8. An error if one is damaged.
    public func entries(for key: HttpCacheKey) async throws -> [HttpCacheEntry] {
        try await entries(for: [key])
    }

    /// The stored responses for several keys of one URL. An error if one is damaged.
    public func entries(for keys: [HttpCacheKey]) async throws -> [HttpCacheEntry] {
        guard let first = keys.first else { return [] }
        // The kernel has the names of a folder in memory after its first use, so that this waits for no disk.
        let hash = EntryName.UrlHash(first.url)
        let mayExist = keys.contains { key in
            let name = EntryName.first(of: key, key.url == first.url ? hash : EntryName.UrlHash(key.url))
            return name.map { folder.status(of: $0) != nil } ?? false
        }
        guard mayExist else { return [] }
        if let files = recent.files(for: keys) { return files.map(\.entry) }
        return try await queue(of: first).result { [self] in
            let files = try files(of: keys)
            recent.add(files, for: keys)
            return files.map(\.entry)
        }
    }

    /// The body of a stored response.
    public func body(of entry: HttpCacheEntry) async throws -> HttpCacheBody? {
        let queue = queue(of: entry.key)
        if let file = recent.file(of: entry.id) {
            if file.isUseDue(resolution: options.useResolution) { queue.async { file.recordUse() } }
            return try file.cacheBody(on: queue)
        }
        return try await queue.result { [self] in
            guard let file = try file(of: entry) else { return nil }
            if file.isUseDue(resolution: options.useResolution) { file.recordUse() }
            return try file.cacheBody(on: queue)
        }
    }

    // MARK: Writing

    /// Puts a finished file in its place, unless entries were removed since its writer began. Runs on the key's queue.
    ///
    /// - Parameter removals: the number of removals when the writer began.
    func place(
        _ file: EntryFileWriter, _ entry: HttpCacheEntry, size: Int64, replacing replaced: Set<UUID>, removals: Int
    ) throws(HttpCacheFolderError) {
        guard removals == self.removals.withLock({ $0 }) else { return }
        guard let (name, others) = target(for: entry.key, replacing: replaced) else { return }
        let former = folder.status(of: name)
        try file.place(as: name, fsync: options.fsync)
        // A removal, which runs on another queue, may have found no variant for the first name.
        if !EntryName.isFirst(name), let first = EntryName.first(of: entry.key, .init(entry.key.url)),
            folder.status(of: first) == nil
        {
            _ = try folder.rename(name, to: first)
        }
        let space = FileStatus.space(ofSize: size)
        if usageState.withLock({ $0.store(space: space, replacing: former?.space) }) { requestScan() }
        recent.remove(url: entry.key.url)
        for other in others { try remove(other) }
    }

    /// The name of a new entry: that of one that it replaces, or a free one, or that of the least recently used one.
    /// With the names of others that it replaces.
    private func target(for key: HttpCacheKey, replacing replaced: Set<UUID>) -> (name: String, others: [String])? {
        var matching: [String] = []
        var free: String?
        var oldest: (name: String, used: Int64)?
        guard let first = EntryName.first(of: key, EntryName.UrlHash(key.url)) else { return nil }
        // Without the first one there are no others.
        if folder.status(of: first) == nil { return (first, []) }
        let now = FileStatus.now
        for name in EntryName.others(than: first, from: 0) {
            guard let status = folder.status(of: name) else {
                free = free ?? name
                continue
            }
            if !replaced.isEmpty, let file = try? EntryFile(name, in: folder), replaced.contains(file.entry.id) {
                matching.append(name)
            }
            let used = status.lastUse(now: now)
            if used < oldest?.used ?? .max { oldest = (name, used) }
        }
        let name = matching.first ?? free ?? oldest?.name
        return name.map { ($0, Array(matching.dropFirst())) }
    }

    /// Replaces the headers and the times of an entry, without a copy of its body if they fit in the same space.
    public func update(_ entry: HttpCacheEntry) async throws {
        try await queue(of: entry.key).result { [self] in
            // Read before the file is opened: a removal in between counts.
            let removals = removals.withLock { $0 }
            guard let file = try file(of: entry, isWritable: true) else { return }
            defer { recent.remove(url: entry.key.url) }
            if try file.update(entry, fsync: options.fsync) { return }
            try rewrite(file, entry, removals: removals)
        }
    }

    /// Copies the entry to a file with a larger capacity of the head, unless it is removed meanwhile.
    ///
    /// - Parameter removals: the number of removals before the entry was found.
    private func rewrite(
        _ file: EntryFile, _ entry: HttpCacheEntry, removals: Int
    ) throws(HttpCacheFolderError) {
        guard let copy = EntryFileWriter(entry, in: folder) else {
            try remove(file.name)
            return
        }
        var position: Int64 = 0
        var rest: [UInt8] = []
        while let piece = try file.piece(at: position) {
            if !rest.isEmpty { try copy.append(rest) }
            rest = Array(piece)
            position += Int64(piece.count)
        }
        let size = try copy.finish(rest, fsync: options.fsync)
        // Removals that list the folder run on another queue.
        guard try self.file(of: entry) != nil else { return }
        try place(copy, entry, size: size, replacing: [entry.id], removals: removals)
    }

    // MARK: Removing

    /// Removes entries.
    public func remove(_ entries: [HttpCacheEntry]) async throws {
        var failure: (any Error)?
        for entry in entries {
            do {
                try await queue(of: entry.key).result { [self] in
                    // Another process may have given it another name meanwhile.
                    while let file = try file(of: entry), try !remove(file.name) {}
                }
            } catch {
                failure = failure ?? error
            }
            recent.remove(url: entry.key.url)
        }
        if let failure { throw failure }
    }

    /// Makes the writers in progress commit nothing.
    func discardWriters() async throws {
        removals.withLock { $0 += 1 }
        // Those that are being put in their places are entries then.
        for queue in keyQueues { try await queue.result {} }
    }

    // MARK: Files

    /// The files of the keys' entries.
    ///
    /// - Throws: the first failure, after all files were opened, so that each damaged one is removed.
    private func files(of keys: [HttpCacheKey]) throws(HttpCacheFolderError) -> [EntryFile] {
        var files: [EntryFile] = []
        var failure: HttpCacheFolderError?
        for key in keys {
            for name in existing(of: key, isFirstNeeded: true) {
                do throws(HttpCacheFolderError) {
                    guard let file = try EntryFile(name, in: folder, readsBody: true) else { continue }
                    // Another key can have the same hash.
                    if file.entry.key == key { files.append(file) }
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return files
    }

    /// The file of an entry; nil where it was removed. It may be without a first name for a moment.
    ///
    /// - Throws: a failure of the key's files, if the entry's isn't found.
    private func file(
        of entry: HttpCacheEntry, isWritable: Bool = false
    ) throws(HttpCacheFolderError) -> EntryFile? {
        var failure: HttpCacheFolderError?
        for name in existing(of: entry.key) {
            do throws(HttpCacheFolderError) {
                let file = try EntryFile(name, in: folder, isWritable: isWritable)
                if let file, file.entry.id == entry.id { return file }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// The names of a key that are files, the first one last: if that is damaged, another one gets its name. Asking for
    /// the status of a file that isn't there takes half the time of opening it.
    ///
    /// - Parameter isFirstNeeded: whether there are none without the first one, so that a miss asks for one name.
    private func existing(of key: HttpCacheKey, isFirstNeeded: Bool = false) -> [String] {
        guard let first = EntryName.first(of: key, EntryName.UrlHash(key.url)) else { return [] }
        let hasFirst = folder.status(of: first) != nil
        if !hasFirst, isFirstNeeded { return [] }
        return EntryName.others(than: first).filter { folder.status(of: $0) != nil } + (hasFirst ? [first] : [])
    }

    /// Removes a file, and subtracts it from the sums. Returns whether it was there.
    @discardableResult
    func remove(_ name: String, isEviction: Bool = false) throws(HttpCacheFolderError) -> Bool {
        guard let status = folder.status(of: name), try folder.removeEntry(name) else { return false }
        usageState.withLock { $0.subtract(space: status.space, isEviction: isEviction) }
        return true
    }
}
