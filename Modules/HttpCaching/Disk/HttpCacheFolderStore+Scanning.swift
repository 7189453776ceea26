import Dispatch
import NodeCore
import Synchronization

// What reads the whole folder.
extension HttpCacheFolderStore {
    func requestScan() {
        scanQueue.async { [weak self] in
            self?.removeLeftFolders()
            // A folder that can't be read keeps its former sums. The next request reports the failure.
            _ = try? self?.scan()
        }
    }

    /// Sums up the entries, removes files that a crash has left, and evicts the least recently used entries where a
    /// limit is exceeded. Returns the sums after that.
    @discardableResult
    func scan() throws(HttpCacheFolderError) -> FolderUsage.Limit {
        usageState.withLock { $0.beginScan() }
        var bytes: Int64 = 0
        var entries = 0
        var temporary: [String] = []
        try folder.forEachName { name in
            if EntryName.session(ofTemporary: name.bytes) != nil { temporary.append(name.path) }
        }
        try folder.forEachEntry { name in
            if EntryName.session(ofEntry: name.bytes) != nil {
                guard let status = name.status else { return }
                bytes += status.space
                entries += 1
            } else if EntryName.session(ofTemporary: name.bytes) != nil {
                temporary.append(name.path)
            }
        }
        for name in temporary { removeIfLeft(name) }
        guard usageState.withLock({ $0.endScan(bytes: bytes, entries: entries) }) else {
            return FolderUsage.Limit(bytes: bytes, entries: entries)
        }
        return try evict()
    }

    /// Removes a file that was not changed for a minute and whose writer doesn't run any more. A younger one may not be
    /// locked yet.
    private func removeIfLeft(_ name: String) {
        guard let file = try? folder.file(name), let status = file.status,
            abs(FileStatus.now - status.changed) > 60_000_000_000, file.lock()
        else { return }
        _ = try? folder.remove(name)
    }

    /// Removes the folders of entries that were removed, also by a process that ended before it was done.
    func removeLeftFolders() {
        var names: [String] = []
        try? folder.forEachName { name in
            if EntryName.isRemoved(name.bytes) { names.append(name.path) }
        }
        for name in names { try? folder.removeFolder(name) }
    }

    private func evict() throws(HttpCacheFolderError) -> FolderUsage.Limit {
        let now = FileStatus.now
        var files: [FolderUsage.Found] = []
        usageState.withLock { $0.beginScan() }
        try folder.forEachEntry { name in
            guard EntryName.session(ofEntry: name.bytes) != nil, let status = name.status else { return }
            files.append(FolderUsage.Found(name: name.path, space: status.space, used: status.lastUse(now: now)))
        }
        let surplus = FolderUsage.surplus(of: files, beyond: options.limit)
        try forEachFirstLast(surplus.map(\.name)) { [self] name throws(HttpCacheFolderError) in
            try remove(name, isEviction: true)
        }
        let bytes = files.reduce(0) { $0 + $1.space } - surplus.reduce(0) { $0 + $1.space }
        let left = FolderUsage.Limit(bytes: bytes, entries: files.count - surplus.count)
        // Other processes have removed some of the files, which nothing has subtracted.
        usageState.withLock { _ = $0.endScan(bytes: left.bytes, entries: left.entries) }
        return left
    }

    /// What the folder keeps, also of other processes. Scans the folder.
    public func usage() async throws -> HttpCacheUsage {
        try await scanQueue.result { [self] in
            let sums = try scan()
            let evictions = usageState.withLock { $0.evictions }
            return HttpCacheUsage(entries: sums.entries, bytes: sums.bytes, evictions: evictions)
        }
    }

    /// Removes the entries that the closure selects. Reads the head of each entry.
    public func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws {
        try await removalQueue.result { [self] in
            defer { recent.removeAll() }
            let entries = try names { EntryName.session(ofEntry: $0) != nil }
            try forEachFirstLast(entries) { [self] name throws(HttpCacheFolderError) in
                if let file = try openedIfWhole(name), isSelected(file.entry) { try remove(name) }
            }
        }
    }

    /// Opens the file of an entry; nil where there is none, and for a damaged one, which is never served.
    private func openedIfWhole(_ name: String) throws(HttpCacheFolderError) -> EntryFile? {
        do throws(HttpCacheFolderError) {
            return try EntryFile(name, in: folder)
        } catch {
            if error.code == .damagedEntry { return nil }
            throw error
        }
    }

    /// Removes all entries: none can be found after it returns. Their files are removed in the background, or when the
    /// folder is next opened.
    public func removeAll() async throws {
        try await discardWriters()
        try await removalQueue.result { [self] in
            _ = try folder.rename(EntryName.entries, to: EntryName.removed())
            recent.removeAll()
            try scan()
        }
        scanQueue.async { [self] in removeLeftFolders() }
    }

    /// Removes the entries of the sessions that the closure selects, and what other processes are writing for them.
    /// Reads no file.
    public func removeSessions(where isSelected: @escaping @Sendable (HttpCacheSession) -> Bool) async throws {
        try await removalQueue.result { [self] in
            defer { recent.removeAll() }
            let failures = Failures()
            failures.collect { () throws(HttpCacheFolderError) in
                let entries = try names { EntryName.session(ofEntry: $0).map(isSelected) ?? false }
                try forEachFirstLast(entries) { [self] name throws(HttpCacheFolderError) in try remove(name) }
            }
            for name in try names(where: { EntryName.session(ofTemporary: $0).map(isSelected) ?? false }) {
                failures.collect { () throws(HttpCacheFolderError) in try folder.remove(name) }
            }
            try failures.throwFirst()
        }
    }

    /// Removes the entries of these URLs, of all sessions. Reads no file.
    public func remove(urls: Set<String>) async throws {
        try await removalQueue.result { [self] in
            let failures = Failures()
            for url in urls { failures.collect { () throws(HttpCacheFolderError) in try removeEntries(of: url) } }
            try failures.throwFirst()
        }
    }

    private func removeEntries(of url: String) throws(HttpCacheFolderError) {
        defer { recent.remove(url: url) }
        let hash = EntryName.UrlHash(url)
        var names: [String] = []
        try folder.forEachName(in: hash.part) { name in
            if EntryName.isEntry(name.bytes, of: hash) { names.append(name.path) }
        }
        try forEachFirstLast(names) { [self] name throws(HttpCacheFolderError) in try remove(name) }
    }

    /// Calls `remove` for all names, also after a failure. The first name of a key comes last, because its removal gives
    /// it to another variant.
    ///
    /// - Throws: the first failure.
    private func forEachFirstLast(
        _ names: [String], _ remove: @escaping @Sendable (String) throws(HttpCacheFolderError) -> Void
    ) throws(HttpCacheFolderError) {
        let failures = Failures()
        let collected: @Sendable (String) -> Void = { name in
            failures.collect { () throws(HttpCacheFolderError) in try remove(name) }
        }
        Removers.forEach(names.filter { !EntryName.isFirst($0) }, collected)
        Removers.forEach(names.filter(EntryName.isFirst), collected)
        try failures.throwFirst()
    }

    func names(where isIncluded: (UnsafeRawBufferPointer) -> Bool) throws(HttpCacheFolderError) -> [String] {
        var names: [String] = []
        try folder.forEachEntry { name in
            if isIncluded(name.bytes) { names.append(name.path) }
        }
        return names
    }
}

/// Keeps the first failure of several operations, which may run on several threads.
private final class Failures: Sendable {
    private let first = Mutex<HttpCacheFolderError?>(nil)

    func collect(_ operation: () throws(HttpCacheFolderError) -> Void) {
        do throws(HttpCacheFolderError) {
            try operation()
        } catch {
            first.withLock { $0 = $0 ?? error }
        }
    }

    func throwFirst() throws(HttpCacheFolderError) {
        if let failure = first.withLock({ $0 }) { throw failure }
    }
}
