#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Dispatch
import Glibc
import HttpMessages
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How often a process is killed; `Scripts/check.sh cache-kill` says more.
private let kills = getenv("NETCHAIN_CACHE_KILLS").flatMap { Int(String(cString: $0)) } ?? 3

/// A process that is killed in the middle of writing.
struct FolderStoreKillTests {
    /// The folder that a process and its child share.
    private static func folder(of process: pid_t) -> String {
        FileManager.default.temporaryDirectory.appending(path: "netchain-kill-\(process)").path
    }

    @Test func noDamagedEntryIsServedAfterAKill() async throws {
        let path = Self.folder(of: getpid())
        defer { try? FileManager.default.removeItem(atPath: path) }
        var served = 0
        var unfinished = 0
        for _ in 0..<kills {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                try await Self.writeUntilKilled(Self.folder(of: getppid()))
            }
            served += try await Self.verify(path)
            unfinished += try await Self.removeUnfinished(path)
        }
        print("cache kills: \(kills), \(served) bodies verified, \(unfinished) files were being written")
        #expect(served > 0)
    }

    private static func open(_ path: String) throws -> HttpCacheFolderStore {
        let limit = FolderUsage.Limit(bytes: 20_000_000, entries: 1000)
        return try HttpCacheFolderStore(path, .init(limit: limit, useResolution: 0))
    }

    /// Stores, updates and removes entries in several tasks, until the process kills itself.
    private static func writeUntilKilled(_ path: String) async throws {
        let store = try open(path)
        // So that there is an entry, also on a slow machine.
        try await change(store)
        let delay = DispatchTimeInterval.microseconds(.random(in: 5_000...100_000))
        DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + delay) { kill(getpid(), SIGKILL) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while true { try await change(store) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func change(_ store: HttpCacheFolderStore) async throws {
        let url = "http://a/\(Int.random(in: 0..<20))"
        let old = try await store.entries(for: HttpCacheKey(url: url))
        var entry = HttpCacheEntry.make(url)
        let size = [0, 100, 20_000, 70_000, 300_000, 1_500_000].randomElement() ?? 0
        entry.headers["X-Size"] = "\(size)"
        let content = Data("\(entry.id)".utf8) + body(size)
        if Bool.random() {
            try await store.store(entry, content, replacing: old)
        } else {
            guard let writer = try await store.write(entry) else { return }
            for start in stride(from: 0, to: content.count, by: 100_000) {
                try await writer.append(content[start..<min(start + 100_000, content.count)])
            }
            try await writer.commit(replacing: old)
        }
        // A validation, sometimes with a head that needs another file.
        entry.headers["X-Validated"] = String(repeating: "a", count: [1, 5, 2000].randomElement() ?? 0)
        try await store.update(entry)
        if Int.random(in: 0..<20) == 0 { try await store.remove([entry]) }
    }

    /// Has a store remove what the killed process was writing. Returns the number of those files.
    private static func removeUnfinished(_ path: String) async throws -> Int {
        func names() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains(".new-") }
        }
        let unfinished = try names()
        // A store leaves younger files alone.
        for name in unfinished {
            let anHourAgo = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: -3600)]
            try FileManager.default.setAttributes(anHourAgo, ofItemAtPath: "\(path)/\(name)")
        }
        _ = try await open(path).usage()
        #expect(try names().isEmpty)
        return unfinished.count
    }

    /// Reads all entries as the next process does. Returns the number of bodies.
    private static func verify(_ path: String) async throws -> Int {
        let store = try open(path)
        var count = 0
        for number in 0..<20 {
            // An error would be a damaged file: a kill leaves none, because a file gets its name last.
            for entry in try await store.entries(for: HttpCacheKey(url: "http://a/\(number)")) {
                let size = try #require(entry.headers["X-Size"].flatMap(Int.init))
                let found = try #require(try await store.body(of: entry))
                #expect(try await found.bytes() == Data("\(entry.id)".utf8) + body(size))
                count += 1
            }
        }
        return count
    }
}
#endif
