import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HttpCacheFolderStore {
    /// A store with small limits, which records each use.
    static func make(
        _ folder: TestFolder, bytes: Int64 = 100_000_000, entries: Int = 1000, fsync: HttpCacheFsync = .never
    ) throws -> HttpCacheFolderStore {
        let limit = FolderUsage.Limit(bytes: bytes, entries: entries)
        return try HttpCacheFolderStore(folder.cachePath, Options(limit: limit, fsync: fsync, useResolution: 0))
    }

    /// Stores the body in one piece. Returns whether the store takes it.
    @discardableResult
    func put(_ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry] = []) async throws -> Bool {
        guard let writer = try await write(entry) else { return false }
        try await writer.append(body)
        try await writer.commit(replacing: replaced)
        return true
    }

    /// The body of the only entry for the key; nil where there is none.
    func onlyBody(for key: HttpCacheKey) async throws -> Data? {
        let entries = try await entries(for: key)
        #expect(entries.count <= 1)
        guard let entry = entries.first, let body = try await body(of: entry) else { return nil }
        return try await body.bytes()
    }
}

extension HttpCacheBody {
    /// All bytes, whose number is checked.
    func bytes() async throws -> Data {
        var bytes = Data()
        switch source {
        case .data(let data): bytes = data
        case .pieces(let next): while let piece = try await next() { bytes += piece }
        }
        #expect(Int64(bytes.count) == length)
        return bytes
    }
}

extension HttpCacheEntry {
    static func make(
        _ url: String = "http://a/", session: HttpCacheSession = .anonymous, nominated: [Nominated] = [],
        status: Int = 200, headers: HttpHeaders = ["Content-Type": "text/plain", "ETag": "\"1\""], length: Int64? = nil
    ) -> HttpCacheEntry {
        HttpCacheEntry(
            key: HttpCacheKey(url: url, session: session), nominated: nominated, status: status, headers: headers,
            requestTime: Date(timeIntervalSince1970: 1_700_000_000.25),
            responseTime: Date(timeIntervalSince1970: 1_700_000_001.5), bodyLength: length)
    }

    /// Whether all members but the body's length are the same.
    func isSame(as other: HttpCacheEntry) -> Bool {
        id == other.id && key == other.key && nominated == other.nominated && status == other.status
            && headers == other.headers && requestTime == other.requestTime && responseTime == other.responseTime
    }
}

extension TestFolder {
    /// The path of a cache's folder inside, which is not created.
    var cachePath: String { place("cache").path }

    /// The paths of the files in the cache's folder, from there, but those of its mark and secret, sorted.
    var cacheNames: [String] {
        func names(_ subfolder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: cachePath + "/" + subfolder)) ?? []
        }
        let others = [CacheFolder.tag, StoreSecret.fileName, EntryName.entries]
        let beside = names("").filter { !others.contains($0) && !$0.hasPrefix("removed-") }
        return (beside + EntryName.parts.flatMap { part in names(part).map { part + "/" + $0 } }).sorted()
    }

    /// Creates the folders of an entry's file. Returns its path.
    func makePlace(for key: HttpCacheKey) throws -> String {
        let name = EntryName.all(of: key)[0]
        let url = place("cache/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        return url.path
    }

    /// The path of the only entry's file.
    func onlyFile() throws -> String {
        let names = cacheNames
        try #require(names.count == 1)
        return "\(cachePath)/\(names[0])"
    }
}

/// Bytes that differ from place to place.
func body(_ count: Int) -> Data {
    var bytes = Data(capacity: count)
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
}

/// A prime number of bytes, so that no block of a body is like another one.
private let pattern: [UInt8] = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
