import Testing

@testable import HttpCaching

/// When a folder is scanned, and what is evicted, without a disk.
struct FolderUsageTests {
    private let limit = FolderUsage.Limit(bytes: 1000, entries: 10)

    private func scanned(bytes: Int64 = 0, entries: Int = 0) -> FolderUsage {
        var usage = FolderUsage(limit: limit)
        usage.beginScan()
        _ = usage.endScan(bytes: bytes, entries: entries)
        return usage
    }

    @Test func theFirstScanIsRequestedOnce() {
        var usage = FolderUsage(limit: limit)
        let isRequested = usage.store(space: 5000, replacing: nil)
        usage.beginScan()
        let isExceeded = usage.endScan(bytes: 5000, entries: 1)
        #expect(!isRequested && isExceeded)
    }

    @Test func exceedingTheBytesRequestsOneScan() {
        var usage = scanned(bytes: 950, entries: 5)
        let requests = [50, 1, 1].map { usage.store(space: $0, replacing: nil) }
        #expect(requests == [false, true, false])
        usage.beginScan()
        let isExceeded = usage.endScan(bytes: 1002, entries: 8)
        #expect(isExceeded)
    }

    @Test func exceedingTheEntriesRequestsAScan() {
        var usage = scanned(bytes: 10, entries: 10)
        let isRequested = usage.store(space: 1, replacing: nil)
        #expect(isRequested)
    }

    @Test func aReplacementAddsNoEntry() {
        var usage = scanned(bytes: 10, entries: 10)
        let isRequested = usage.store(space: 20, replacing: 10)
        #expect(!isRequested)
        #expect(usage.bytes == 20)
        #expect(usage.entries == 10)
    }

    /// Other processes may have stored as much.
    @Test func anEighthOfTheLimitRequestsAScan() {
        var usage = scanned()
        let requests = [125, 1].map { usage.store(space: $0, replacing: 1) }
        #expect(requests == [false, true])
    }

    @Test func whatIsStoredDuringAScanCounts() {
        var usage = FolderUsage(limit: limit)
        usage.beginScan()
        _ = usage.store(space: 100, replacing: nil)
        let isExceeded = usage.endScan(bytes: 500, entries: 5)
        #expect(!isExceeded)
        #expect(usage.bytes == 600)
        #expect(usage.entries == 6)
    }

    @Test(arguments: [(1250, 12, false), (1251, 12, true), (0, 13, true)])
    func nothingIsStoredWhileEvictionsLagBehind(bytes: Int64, entries: Int, isFull: Bool) {
        #expect(scanned(bytes: bytes, entries: entries).isFull == isFull)
    }

    /// The sums may be wrong, because other processes have evicted what they count.
    @Test func whatIsRefusedRequestsOneScan() {
        var usage = scanned(bytes: 1251, entries: 1)
        let requests = (0..<2).map { _ in usage.requestScan() }
        #expect(requests == [true, false])
    }

    @Test func theLargestLimitIsNeverFull() {
        var usage = FolderUsage(limit: .init(bytes: .max, entries: .max))
        usage.beginScan()
        let isRequested = usage.store(space: 4096, replacing: nil)
        let isExceeded = usage.endScan(bytes: 4096, entries: 1)
        #expect(!usage.isFull && !isRequested && !isExceeded)
        #expect(FolderUsage.surplus(of: files(1), beyond: usage.limit).isEmpty)
    }

    @Test func theSumsAreNeverNegative() {
        var usage = scanned(bytes: 5, entries: 0)
        usage.subtract(space: 10, isEviction: true)
        #expect(usage.bytes == 0)
        #expect(usage.entries == 0)
        #expect(usage.evictions == 1)
    }

    // MARK: Eviction

    private func files(_ spaces: Int64...) -> [FolderUsage.Found] {
        // The first one is the most recently used.
        spaces.enumerated().map { .init(name: "\($0.offset)", space: $0.element, used: -Int64($0.offset)) }
    }

    private func evicted(_ files: [FolderUsage.Found]) -> [String] {
        FolderUsage.surplus(of: files, beyond: limit).map(\.name)
    }

    @Test func nothingIsEvictedAtTheLimit() {
        #expect(evicted(files(500, 500)).isEmpty)
        #expect(evicted([]).isEmpty)
    }

    @Test func theLeastRecentlyUsedAreEvictedToNineTenths() {
        #expect(evicted(files(500, 400, 50, 51)) == ["3", "2"])
        #expect(evicted(files(100, 901)) == ["1"])
        #expect(evicted(files(2000)) == ["0"])
    }

    @Test func moreThanTheEntriesAreEvicted() {
        let files = (0..<11).map { FolderUsage.Found(name: "\($0)", space: 1, used: Int64($0)) }
        #expect(evicted(files) == ["0", "1"])
    }
}
