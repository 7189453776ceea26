import Foundation
import GRDB
import NetChainKit
import Synchronization

/// Keeps the responses of an `HttpCache` in a SQLite database, bodies included.
///
/// GRDB runs each statement on a queue of its own, so that no task waits for the disk.
final class SqliteStore: HttpCacheStore {
    private let database: DatabaseQueue
    private let limit: Int
    /// How often all entries were removed. A writer that began earlier commits nothing.
    private let removals = Mutex(0)

    /// Opens the database, or creates it.
    ///
    /// - Parameter limit: how many bytes the bodies may take. One with more than an eighth isn't stored.
    init(path: String, limit: Int) throws {
        // Another process may be writing.
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        database = try DatabaseQueue(path: path, configuration: configuration)
        self.limit = limit
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS secret (bytes BLOB NOT NULL);
                    CREATE TABLE IF NOT EXISTS response (
                        id TEXT PRIMARY KEY, url TEXT NOT NULL, session TEXT NOT NULL, head BLOB NOT NULL,
                        body BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL);
                    CREATE INDEX IF NOT EXISTS response_key ON response (url, session);
                    CREATE INDEX IF NOT EXISTS response_used ON response (used, size);
                    """)
        }
    }

    func secret() async throws -> [UInt8] {
        try await database.write { db in
            if let bytes = try Data.fetchOne(db, sql: "SELECT bytes FROM secret") { return Array(bytes) }
            let bytes = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }
            try db.execute(sql: "INSERT INTO secret VALUES (?)", arguments: [Data(bytes)])
            return bytes
        }
    }

    func entries(for key: HttpCacheKey) async throws -> [HttpCacheEntry] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT head, size FROM response WHERE url = ? AND session = ?",
                arguments: [key.url, key.session.rawValue]
            ).map(Self.entry)
        }
    }

    func body(of entry: HttpCacheEntry) async throws -> HttpCacheBody? {
        try await database.write { db in
            try Self.recordUse(of: entry, db)
            let body = try Data.fetchOne(
                db, sql: "SELECT body FROM response WHERE id = ?", arguments: [entry.id.uuidString])
            return body.map { HttpCacheBody($0) }
        }
    }

    var largestBody: Int { limit / 8 }

    func write(_ entry: HttpCacheEntry) async throws -> (any HttpCacheWriter)? {
        Int(entry.bodyLength ?? 0) <= largestBody ? SqliteWriter(self, entry, after: removals.withLock { $0 }) : nil
    }

    func insert(
        _ entry: HttpCacheEntry, _ body: Data, replacing replaced: [HttpCacheEntry], after removals: Int
    ) async throws {
        try await database.write { [self] db in
            guard removals == self.removals.withLock({ $0 }) else { return }
            try Self.remove(replaced, db)
            try db.execute(
                sql: "INSERT INTO response VALUES (?, ?, ?, ?, ?, ?, 0)",
                arguments: [
                    entry.id.uuidString, entry.key.url, entry.key.session.rawValue,
                    JSONEncoder().encode(StoredHead(entry)), body, body.count,
                ])
            try Self.recordUse(of: entry, db)
            // The least recently used ones, beyond the limit.
            try db.execute(
                sql: """
                    DELETE FROM response WHERE id IN (SELECT id FROM
                        (SELECT id, SUM(size) OVER (ORDER BY used DESC, id) AS total FROM response) WHERE total > ?)
                    """, arguments: [limit])
        }
    }

    func update(_ entry: HttpCacheEntry) async throws {
        try await database.write { db in
            try db.execute(
                sql: "UPDATE response SET head = ? WHERE id = ?",
                arguments: [JSONEncoder().encode(StoredHead(entry)), entry.id.uuidString])
            try Self.recordUse(of: entry, db)
        }
    }

    func remove(_ entries: [HttpCacheEntry]) async throws {
        try await database.write { db in try Self.remove(entries, db) }
    }

    func remove(where isSelected: @escaping @Sendable (HttpCacheEntry) -> Bool) async throws {
        try await database.write { db in
            let entries = try Row.fetchAll(db, sql: "SELECT head, size FROM response").map(Self.entry)
            try Self.remove(entries.filter(isSelected), db)
        }
    }

    func remove(urls: Set<String>) async throws {
        try await database.write { db in
            for url in urls { try db.execute(sql: "DELETE FROM response WHERE url = ?", arguments: [url]) }
        }
    }

    func removeAll() async throws {
        removals.withLock { $0 += 1 }
        try await database.write { db in try db.execute(sql: "DELETE FROM response") }
    }

    func usage() async throws -> HttpCacheUsage {
        try await database.read { db in
            let row = try Row.fetchOne(db, sql: "SELECT COUNT(*) AS entries, TOTAL(size) AS bytes FROM response")
            return HttpCacheUsage(entries: row?["entries"] ?? 0, bytes: row?["bytes"] ?? 0)
        }
    }

    private static func entry(_ row: Row) throws -> HttpCacheEntry {
        var entry = try JSONDecoder().decode(StoredHead.self, from: row["head"]).entry
        entry.bodyLength = row["size"]
        return entry
    }

    private static func recordUse(of entry: HttpCacheEntry, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE response SET used = ? WHERE id = ?",
            arguments: [Date().timeIntervalSince1970, entry.id.uuidString])
    }

    private static func remove(_ entries: [HttpCacheEntry], _ db: Database) throws {
        for entry in entries {
            try db.execute(sql: "DELETE FROM response WHERE id = ?", arguments: [entry.id.uuidString])
        }
    }
}
