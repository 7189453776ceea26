#if os(Linux) && compiler(>=6.2)  // Exit tests.
import Glibc
import HttpMessages
import Synchronization
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Downloads of 500 MB through a cache. The peak memory is that of a whole process, so each test has a dedicated one.
struct BigDownloadTests {
    @Test func aStreamNeitherFillsAFolderNorTheMemory() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try await expectSpace(in: HttpCacheFolderStore.make(folder, bytes: 80_000_000), .stream)
        }
    }

    @Test func aStreamEvictsNothingFromMemory() async throws {
        await #expect(processExitsWith: .success) {
            try await expectSpace(in: HttpCacheMemoryStore(limit: 80_000_000), .stream)
        }
    }

    @Test func aFileNeitherFillsAFolderNorTheMemory() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let file = BodyDestination.file(folder.place())
            try await expectSpace(in: HttpCacheFolderStore.make(folder, bytes: 80_000_000), file)
        }
    }

    @Test func aFileEvictsNothingFromMemory() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try await expectSpace(in: HttpCacheMemoryStore(limit: 80_000_000), .file(folder.place()))
        }
    }

    /// One that the folder takes, smaller because checksums are slow in a debug build.
    @Test func whatIsStoredAndServedIsNotInMemory() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let store = try HttpCacheFolderStore.make(folder, bytes: 1_000_000_000)
            let cache = HttpCache(store: store)
            let sender = CachingSender(next: DownloadServer(size: 100_000_000), cache: cache)
            let lab = CacheLab()
            _ = try await read(sender.send(lab.request(.get, "/small", .stream)))
            let before = peakKilobytes()
            #expect(try await read(sender.send(lab.request(.get, "/big", .stream))) == 100_000_000)
            await cache.waitForWrites()
            let stored = try await sender.send(lab.request(.get, "/big", .stream))
            #expect(stored.cache?.isStored == true)
            #expect(try await read(stored) == 100_000_000)
            expectGrowth(since: before)
        }
    }
}

/// A download of 500 MB leaves what is stored, and takes less than 32 MiB of memory.
private func expectSpace(in store: any HttpCacheStore, _ destination: BodyDestination) async throws {
    let cache = HttpCache(store: store)
    let sender = CachingSender(next: DownloadServer(size: 500_000_000), cache: cache)
    let lab = CacheLab()
    for number in 0..<10 { _ = try await sender.send(lab.request(.get, "/\(number)", .memory)) }
    // Brings what is kept anyway, such as a buffer of the largest body that the store takes.
    let almost = CachingSender(next: DownloadServer(size: 10_500_000), cache: cache)
    _ = try await read(almost.send(lab.request(.get, "/big", destination)))
    let before = peakKilobytes()
    #expect(try await read(sender.send(lab.request(.get, "/big", destination))) == 500_000_000)
    expectGrowth(since: before)
    let statistics = await cache.statistics
    #expect(statistics.entries == 10 && statistics.evictions == 0 && statistics.storeFailures == 0)
    for number in 0..<10 {
        #expect(try await sender.send(lab.request(.get, "/\(number)", .memory)).cache?.isStored == true)
    }
}

extension CacheLab {
    fileprivate func request(
        _ method: HttpMethod, _ path: String, _ destination: BodyDestination
    ) throws -> HttpRequest {
        var request = try request(method, path)
        request.options.destination = destination
        return request
    }
}

/// The number of bytes of a body.
private func read(_ response: HttpResponse) async throws -> Int {
    if let file = response.file {
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        return Int(status.st_size)
    }
    var count = 0
    for try await piece in try #require(response.bytes) { count += piece.count }
    return count
}

/// The peak memory has grown by less than 32 MiB. Address Sanitizer keeps what was freed for a while, so that it isn't
/// checked there.
private func expectGrowth(since before: Int) {
    let growth = peakKilobytes() - before
    #expect(growth < 32 << 10 || dlsym(nil, "__asan_init") != nil, "\(growth) KiB")
}

/// The most memory in KiB that the process ever had.
private func peakKilobytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
}

/// Responds to `/big` with a body of this size, without its length, and to anything else with a few bytes.
private struct DownloadServer: RequestSender, TraitDeclaring {
    let size: Int
    var traits: SenderTraits { SenderTraits() }

    func send(_ request: HttpRequest) async throws -> HttpResponse {
        let isBig = request.url.path == "/big"
        var response = HttpResponse(request: request, status: 200, headers: ["Cache-Control": "max-age=60"])
        switch request.options.destination {
        case .stream: response.bytes = stream(isBig ? size : 16)
        case .file(let url, _):
            // All of it is a hole, which takes no space.
            try #require(creat(url.path, 0o600) >= 0 && truncate(url.path, off_t(size)) == 0)
            response.file = url
        default: response.data = body(16)
        }
        return response
    }

    private func stream(_ size: Int) -> ByteStream {
        let rest = Mutex(size)
        let piece = body(256 << 10)
        return BodyPump.stream {
            let count = rest.withLock { rest in
                defer { rest -= min(rest, piece.count) }
                return min(rest, piece.count)
            }
            return count == 0 ? nil : piece.prefix(count)
        }
    }
}
#endif
