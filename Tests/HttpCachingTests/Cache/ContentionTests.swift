import HttpMessages
import NodeCore
import Synchronization
import TestSupport
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Many tasks use one cache while entries are removed and sessions end.
@Suite struct ContentionTests {
    /// Responds with the user and the URL of the request, so that a response of another request is seen.
    private struct Server: RequestSender {
        static func text(_ request: HttpRequest) -> String {
            "\(request.headers["Authorization"] ?? "no one") \(request.url.path)"
        }

        func send(_ request: HttpRequest) async throws -> HttpResponse {
            await Task.yield()
            let control = ["max-age=60", "max-age=0", "no-store", "public, max-age=60"].randomElement() ?? ""
            let isPublic = control.hasPrefix("public")
            return HttpResponse(
                request: request, status: 200, headers: ["Cache-Control": control, "ETag": "\"\(request.url.path)\""],
                data: Data((isPublic ? "everyone \(request.url.path)" : Self.text(request)).utf8))
        }
    }

    @Test(arguments: [false, true])
    func nothingIsMixedUpWhileSessionsEnd(isInFolder: Bool) async throws {
        let folder = try TestFolder()
        let store: any HttpCacheStore =
            isInFolder ? try HttpCacheFolderStore.make(folder) : HttpCacheMemoryStore(limit: 1_000_000)
        let cache = HttpCache(store: store)
        let sender = CachingSender(next: Server(), cache: cache)
        let admissions = (0..<4).map { _ in FakeAdmission() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for round in 0..<20 {
                        try await Self.use(sender, cache, admissions[task % 4], user: task % 4, number: task + round)
                    }
                }
            }
            try await group.waitForAll()
        }
        // What an ended session has stored is gone, also what was being written.
        for admission in admissions { admission.end() }
        await cache.waitForWrites()
        await eventually("the sessions' responses are removed") {
            if let memory = store as? HttpCacheMemoryStore { return !Self.hasSessions(memory) }
            return folder.cacheNames.allSatisfy { $0.contains("/-") || $0.contains("/public-") }
        }
        try await cache.removeAll()
        #expect(await cache.statistics.entries == 0)
    }

    private static func hasSessions(_ store: HttpCacheMemoryStore) -> Bool {
        let isFound = Mutex(false)
        store.remove { entry in
            if entry.key.session.hasCredentials { isFound.withLock { $0 = true } }
            return false
        }
        return isFound.withLock { $0 }
    }

    private static func use(
        _ sender: CachingSender, _ cache: HttpCache, _ admission: FakeAdmission, user: Int, number: Int
    ) async throws {
        guard let url = URL(string: "https://example.com/\(number % 7)") else { return }
        var request = HttpRequest(method: number % 31 == 0 ? .put : .get, url: url)
        request.headers["Authorization"] = "user \(user)"
        request.admissions = [admission]
        let response = try await sender.send(request)
        #expect(response.text == Server.text(request) || response.text == "everyone \(url.path)")
        switch number % 41 {
        case 0: try await cache.removeAll()
        case 1: try await cache.remove(for: url)
        case 2: try await cache.remove { $0.key.url.hasSuffix("3") }
        case 3: cache.sessionEnded(gate: admission.gate)
        default: break
        }
    }
}
