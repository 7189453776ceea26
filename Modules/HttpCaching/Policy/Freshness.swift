import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What can be calculated of a response: its age and how long it is fresh (RFC 9111 §4.2). Times are seconds.
struct Freshness: Equatable, Sendable {
    /// The most that a heuristic lifetime may be: a day.
    static let greatestHeuristic = 86_400.0
    /// The part of the time since the last modification that is a heuristic lifetime (§4.2.2).
    static let heuristicPart = 0.1
    /// The most by which the time of the response may be ahead, because the clocks of two processes differ. Beyond, its
    /// age isn't known.
    static let clockTolerance = 60.0

    /// How long the response is fresh, from its generation on.
    let lifetime: Double
    /// Its age; infinite where it isn't known.
    let age: Double

    var isFresh: Bool { lifetime > age }

    /// How long it has been stale; negative for how long it will be fresh.
    var staleness: Double { age - lifetime }

    init(lifetime: Double, age: Double) {
        self.lifetime = lifetime
        self.age = age
    }

    init(_ entry: HttpCacheEntry, _ control: CacheControl, now: Double) {
        let received = Self.seconds(entry.responseTime)
        let date = entry.headers["Date"].flatMap { CacheDate.seconds($0, now: received) }
        lifetime = Self.lifetime(of: entry, control, date: date ?? received)
        let resident = now - received
        guard resident >= -Self.clockTolerance else {
            age = .infinity
            return
        }
        // §4.2.3, with its names.
        let apparentAge = max(0, received - (date ?? received))
        let responseDelay = max(0, received - Self.seconds(entry.requestTime))
        let correctedAge = Self.ageValue(entry.headers) + responseDelay
        age = max(apparentAge, correctedAge) + max(0, resident)
    }

    /// The seconds since 1970 of a time that a store has kept: of the years 1970 to 9999, whatever it returns.
    static func seconds(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970
        return seconds.isFinite ? min(max(0, seconds), CacheDate.greatest) : 0
    }

    /// The first member of the first `Age`; 0 where it is no number (§5.1).
    static func ageValue(_ headers: HttpHeaders) -> Double {
        guard let value = headers["Age"] else { return 0 }
        let first = value.utf8.prefix { $0 != 0x2C }
        return DecimalNumber.parse(Substring(first).trimmed.utf8) ?? 0
    }

    /// The freshness lifetime (§4.2.1). `s-maxage` is for shared caches.
    private static func lifetime(of entry: HttpCacheEntry, _ control: CacheControl, date: Double) -> Double {
        if let maxAge = control.maxAge.value { return maxAge }
        if let expires = entry.headers["Expires"] {
            // A date that can't be read, such as 0, has passed (§5.3).
            return CacheDate.seconds(expires, now: date).map { max(0, $0 - date) } ?? 0
        }
        guard control.isPublic || StatusRules.isHeuristicallyCacheable(entry.status),
            let modified = entry.headers["Last-Modified"].flatMap({ CacheDate.seconds($0, now: date) })
        else { return 0 }
        return min(max(0, date - modified) * heuristicPart, greatestHeuristic)
    }
}

/// What a cache knows of status codes.
enum StatusRules {
    /// The codes whose responses have a heuristic lifetime (RFC 9110 §15.1), without 206, which isn't stored.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// The codes whose responses aren't stored: parts, confirmations, challenges, and those that are for one request or
    /// client (RFC 6585 §3 to §6).
    static func isNeverStored(_ status: Int) -> Bool {
        switch status {
        case 206, 304, 401, 407, 428, 429, 431, 511: true
        default: false
        }
    }

    /// The codes whose caching requirements this cache knows, for `must-understand` (RFC 9111 §5.2.2.3): those of RFC 9110
    /// §15, but 206 and 304, and the further codes of RFC 6585 and RFC 7725.
    static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// Whether a response is an error of a server for `stale-if-error` (RFC 5861 §4).
    static func isServerError(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }
}
