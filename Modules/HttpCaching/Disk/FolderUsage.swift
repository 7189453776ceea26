/// Decides when a folder is scanned, and what its entries need: a value without I/O.
///
/// The sums follow each change that this process makes. Those of other processes are found by the next scan. It also
/// corrects sums that are too high: they may count a file twice, or one that another process has evicted.
struct FolderUsage: Sendable {
    /// The most that a folder may keep.
    struct Limit: Equatable, Sendable {
        /// The space of all files in bytes.
        var bytes: Int64
        var entries: Int

        /// After an eviction nine tenths of the limit are used, so that evictions are rare.
        var afterEviction: Limit { Limit(bytes: bytes / 10 * 9, entries: entries - entries / 10) }
        /// After this much was stored a scan finds what other processes have stored meanwhile.
        fileprivate var betweenScans: Limit { Limit(bytes: bytes / 8, entries: max(1, entries / 8)) }
    }

    /// A file that a scan has found.
    struct Found: Equatable, Sendable {
        let name: String
        let space: Int64
        /// The last use in nanoseconds since 1970.
        let used: Int64
    }

    let limit: Limit
    private(set) var bytes: Int64 = 0
    private(set) var entries = 0
    private(set) var evictions = 0
    /// What was stored since the last scan began.
    private var stored = Limit(bytes: 0, entries: 0)
    /// Whether a scan was requested and has not begun.
    private var isScanRequested = true

    /// The usage of a folder whose first scan was requested.
    init(limit: Limit) {
        self.limit = limit
    }

    /// Whether evictions lag behind: the limit is exceeded by a quarter. Nothing is stored until they have caught up, so
    /// that the folder has a bound however slow the disk is.
    var isFull: Bool {
        // The sum of the limit and a quarter may be too large for a number.
        bytes - limit.bytes > limit.bytes / 4 || entries - limit.entries > max(1, limit.entries / 4)
    }

    private var isExceeded: Bool { bytes > limit.bytes || entries > limit.entries }

    /// Records that a file was stored. Returns whether the caller must request a scan.
    mutating func store(space: Int64, replacing replaced: Int64?) -> Bool {
        bytes += space - (replaced ?? 0)
        entries += replaced == nil ? 1 : 0
        stored.bytes += space
        stored.entries += 1
        let between = limit.betweenScans
        let isDue = isExceeded || stored.bytes > between.bytes || stored.entries > between.entries
        return isDue && requestScan()
    }

    /// Returns whether the caller must request a scan: not if one is requested already.
    mutating func requestScan() -> Bool {
        defer { isScanRequested = true }
        return !isScanRequested
    }

    /// Records that a file was removed.
    mutating func subtract(space: Int64, isEviction: Bool = false) {
        // The file may be that of another process, which no scan has found.
        bytes = max(0, bytes - space)
        entries = max(0, entries - 1)
        if isEviction { evictions += 1 }
    }

    /// Begins a list of the files, for a scan or an eviction.
    mutating func beginScan() {
        isScanRequested = false
        stored = Limit(bytes: 0, entries: 0)
    }

    /// Records the sums that a scan has found, or an eviction has left. Returns whether entries must be evicted.
    ///
    /// Files that were stored meanwhile may be counted twice. That brings the next scan forward.
    mutating func endScan(bytes: Int64, entries: Int) -> Bool {
        self.bytes = bytes + stored.bytes
        self.entries = entries + stored.entries
        return isExceeded
    }

    /// Returns the least recently used of the files, whose removal frees what the limit requires.
    static func surplus(of files: [Found], beyond limit: Limit) -> ArraySlice<Found> {
        var bytes = files.reduce(0) { $0 + $1.space }
        var entries = files.count
        guard bytes > limit.bytes || entries > limit.entries else { return [] }
        let rest = limit.afterEviction
        let sorted = files.sorted { $0.used < $1.used }
        let end = sorted.firstIndex { file in
            if bytes <= rest.bytes, entries <= rest.entries { return true }
            bytes -= file.space
            entries -= 1
            return false
        }
        return sorted[..<(end ?? sorted.endIndex)]
    }
}
