#if os(Linux) && compiler(>=6.2)  // Exit tests.
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

/// Processes that use one folder at once.
struct FolderStoreProcessesTests {
    /// The folder that a process and its children share.
    private static func folder(of process: pid_t) -> String {
        FileManager.default.temporaryDirectory.appending(path: "netchain-processes-\(process)").path
    }

    @Test func processesStoreUpdateAndRemoveAtOnce() async throws {
        let path = Self.folder(of: getpid())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let own = try Self.open(path)
        let secret = try await own.secret()
        async let first: Void = Self.runProcess()
        async let second: Void = Self.runProcess()
        let served = try await Self.change(own)
        _ = await (first, second)
        #expect(served > 0)
        #expect(try await Self.open(path).secret() == secret)
        for number in 0..<10 { try await Self.verify(own, Self.url(number)) }
        let usage = try await own.usage()
        #expect(usage.entries > 0 && usage.bytes <= 4_000_000)
    }

    private static func runProcess() async {
        await #expect(processExitsWith: .success) {
            let served = try await Self.change(Self.open(Self.folder(of: getppid())))
            #expect(served > 0)
        }
    }

    private static func url(_ number: Int) -> String { "http://a/\(number)" }

    private static func open(_ path: String) throws -> HttpCacheFolderStore {
        let limit = FolderUsage.Limit(bytes: 4_000_000, entries: 100)
        return try HttpCacheFolderStore(path, .init(limit: limit, useResolution: 0))
    }

    /// Stores, updates and removes entries in several tasks. Returns how many bodies were served.
    private static func change(_ store: HttpCacheFolderStore) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var served = 0
                    for _ in 0..<60 {
                        let url = url(Int.random(in: 0..<10))
                        served += try await verify(store, url)
                        try await changeOne(store, url)
                    }
                    return served
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func changeOne(_ store: HttpCacheFolderStore, _ url: String) async throws {
        let old = try await store.entries(for: HttpCacheKey(url: url))
        var entry = HttpCacheEntry.make(url)
        let size = [0, 100, 20_000, 70_000, 300_000].randomElement() ?? 0
        entry.headers["X-Size"] = "\(size)"
        guard let writer = try await store.write(entry) else { return }
        try await writer.append(Data("\(entry.id)".utf8))
        try await writer.append(body(size))
        try await writer.commit(replacing: old)
        // A validation, sometimes with a head that needs another file.
        entry.headers["X-Validated"] = String(repeating: "a", count: [1, 2000].randomElement() ?? 0)
        try await store.update(entry)
        if Int.random(in: 0..<10) == 0 { try await store.remove([entry]) }
        if Int.random(in: 0..<100) == 0 { try await store.remove(urls: [url]) }
    }

    /// Reads the entries of a URL, each of which has its own body. Returns how many there were.
    @discardableResult
    private static func verify(_ store: HttpCacheFolderStore, _ url: String) async throws -> Int {
        var served = 0
        for entry in try await store.entries(for: HttpCacheKey(url: url)) {
            // Another process may have removed it meanwhile.
            guard let found = try await store.body(of: entry) else { continue }
            let size = try #require(entry.headers["X-Size"].flatMap(Int.init))
            #expect(try await found.bytes() == Data("\(entry.id)".utf8) + body(size))
            served += 1
        }
        return served
    }
}
#endif
