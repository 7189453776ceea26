#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HttpCache {
    /// Creates a cache in a folder, which outlives the process and which several processes may share.
    ///
    /// ```swift
    /// let folder = URL.cachesDirectory.appending(path: "com.example.app/http")
    /// let cache = try HttpCache(folder: folder, limit: 100_000_000)
    /// ```
    ///
    /// ``HttpCacheFolderStore`` has the rules of the folder.
    ///
    /// - Parameters:
    ///   - folder: a folder for the cache alone. It is created if it doesn't exist.
    ///   - limit: how many bytes the files may take, each rounded up to 4 KiB.
    ///   - offlineStaleness: the most time that a response may be stale for when it is served because no server can be
    ///     reached; zero to fail then.
    ///   - fsync: whether storing waits until the disk has the response.
    /// - Throws: ``HttpCacheFolderError`` where the folder can't be used.
    public convenience init(
        folder: URL, limit: Int, offlineStaleness: Duration = .seconds(7 * 86_400), fsync: HttpCacheFsync = .never
    ) throws(HttpCacheFolderError) {
        let store = try HttpCacheFolderStore(folder: folder, limit: limit, fsync: fsync)
        self.init(store: store, offlineStaleness: offlineStaleness)
    }
}
