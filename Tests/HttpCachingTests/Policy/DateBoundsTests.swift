import HttpMessages
import Testing

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A store may return any date: damaged, or written by a machine with a wrong clock.
@Suite struct DateBoundsTests {
    private static let beyond = [
        Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, -1, 253_402_300_800,
    ]

    private func entry(_ time: Double, _ headers: HttpHeaders) -> HttpCacheEntry {
        HttpCacheEntry(
            key: HttpCacheKey(url: "https://example.com/a"), nominated: [], status: 200, headers: headers,
            requestTime: Date(timeIntervalSince1970: time), responseTime: Date(timeIntervalSince1970: time))
    }

    @Test(arguments: beyond) func aDateBeyondTheYearsOfHttpIsRead(_ time: Double) async throws {
        let lab = CacheLab()
        // A two-digit year needs the time of arrival.
        for date in ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let entry = entry(time, ["Cache-Control": "max-age=60", "Date": date, "ETag": "\"1\""])
            let memory = try #require(lab.store as? HttpCacheMemoryStore)
            let writer = try #require(memory.write(entry))
            try await writer.commit(replacing: [entry])
            let request = CacheRequest(try lab.request()) { _ in nil }
            _ = CachePolicy.decide(request, stored: [entry, entry], now: lab.now)
            let age = Freshness(entry, CacheControl(entry.headers), now: lab.now).age
            #expect(age >= 0 && (age == .infinity || age < 1e12))
            let response = try await lab.get("/a", [("Cache-Control", "max-stale")])
            #expect(response.status == 200)
            try await lab.cache.removeAll()
        }
    }

    @Test(arguments: beyond) func aFileWithSuchADateIsDamaged(_ time: Double) {
        let bytes = EntryHead.bytes(of: entry(time, [:]))
        #expect(bytes.withUnsafeBytes { EntryHead.entry($0, bodyLength: 0) } == nil)
        let valid = EntryHead.bytes(of: entry(253_402_300_799, [:]))
        #expect(valid.withUnsafeBytes { EntryHead.entry($0, bodyLength: 0) } != nil)
    }
}
