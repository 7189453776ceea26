import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the policy knows of a request.
struct CacheRequest: Sendable {
    let method: HttpMethod
    let mode: CacheMode
    let control: CacheControl
    /// Whether it asks for a part, or is conditional by itself, or has a body. Then only its caller can use the response.
    private(set) var isSpecial: Bool
    /// The part that it asks for, if it is special for that alone.
    let part: RequestedPart?
    let attempt: Int
    let headers: HttpHeaders
    /// The headers, in lower case, whose values the cache doesn't know, because a sender behind it sets them.
    var unknownHeaders: Set<String>
    /// The stored form of a header's value.
    let nominatedValue: @Sendable (String) -> String?

    init(
        _ request: HttpRequest, addsCookies: Bool = false, nominatedValue: @escaping @Sendable (String) -> String?
    ) {
        unknownHeaders = addsCookies ? ["cookie"] : []
        method = request.method
        mode = request.options.cacheMode
        attempt = request.attempt
        headers = request.headers
        self.nominatedValue = nominatedValue
        var control = CacheControl()
        var (range, isConditional, hasPragma) = (nil as String?, false, false)
        for field in request.headers.fields {
            let name = field.name
            switch name.utf8.count {
            case 5 where name.equalsIgnoringCase("Range"): range = range == nil ? field.value : ""
            case 6 where name.equalsIgnoringCase("Pragma"): hasPragma = true
            case 13 where name.equalsIgnoringCase("Cache-Control"): control.add(field.value)
            case 8, 13, 17, 19: isConditional = isConditional || Self.isCondition(name)
            default: break
            }
        }
        // §5.4: only without a Cache-Control.
        if hasPragma, control.isEmpty, request.headers.listMembers(of: "Pragma").contains("no-cache") {
            control.add("no-cache")
        }
        self.control = control
        isSpecial = !request.body.isEmpty || range != nil || isConditional
        let isPart = request.method == .get && request.body.isEmpty && !isConditional
        part = isPart ? range.flatMap { RequestedPart($0) } : nil
    }

    private static func isCondition(_ name: String) -> Bool {
        ["If-Match", "If-Range", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"].contains {
            name.equalsIgnoringCase($0)
        }
    }

    /// The same request for the whole body.
    var forWhole: CacheRequest {
        var request = self
        request.isSpecial = false
        return request
    }

    var isOnlyIfCached: Bool { mode.kind == .onlyIfCached || control.onlyIfCached }
    var isSafe: Bool { [.get, .head, .options, .trace].contains(method) }

    /// Whether a stored response may be served, and the response be stored.
    var usesCache: Bool {
        mode.kind != .none && !control.noStore && (method == .get || method == .head) && !isSpecial
    }

    /// Whether the response may be stored if it is what the URL represents after a `POST`.
    var mayStorePosted: Bool { method == .post && mode.kind != .none && !control.noStore }

    /// The staleness in seconds that the request accepts; nil for none.
    var acceptedStaleness: Double? {
        var accepted = control.maxStale.value
        if case .staleAtMost(let time) = mode.kind { accepted = max(accepted ?? 0, time / .seconds(1)) }
        if mode.kind == .onlyIfCached { accepted = .infinity }
        return accepted
    }
}

/// What a cache does with a request.
enum CacheDecision: Sendable {
    /// Serves a stored response, and validates it in the background if the reason is `whileRevalidating`.
    case serve(StoredChoice, CacheOutcome.StaleReason?)
    /// Sends the request, and asks the server whether one of these is still valid. The fallback is served if that fails and
    /// may be.
    case send(validating: [HttpCacheEntry] = [], fallback: StoredChoice? = nil)
    /// Fails with status 504.
    case fail
}

/// A stored response that matches the request.
struct StoredChoice: Sendable {
    let entry: HttpCacheEntry
    let control: CacheControl
    let freshness: Freshness

    init(_ entry: HttpCacheEntry, now: Double) {
        self.entry = entry
        control = CacheControl(entry.headers)
        freshness = Freshness(entry, control, now: now)
    }

    /// Whether it may be served when it is stale (§4.2.4).
    var mayBeStale: Bool { !control.mustRevalidate && !control.noCache.isWhole }
}

/// Decides what RFC 9111, RFC 5861 and RFC 8246 say for a private cache. Without I/O and without a clock.
enum CachePolicy {
    /// The most variants that one request asks for.
    private static let mostValidators = 8
    /// The most headers that `Vary` may nominate. A response with more isn't stored, because each takes memory.
    static let mostNominated = 50

    /// Decides before anything is sent.
    ///
    /// - Parameters:
    ///   - stored: the stored responses for the request's URL that its session may get.
    ///   - now: the time in seconds since 1970.
    static func decide(_ request: CacheRequest, stored: [HttpCacheEntry], now: Double) -> CacheDecision {
        guard request.usesCache else { return request.isOnlyIfCached ? .fail : .send() }
        let matching = stored.filter { matches($0, request) }
        if matching.isEmpty {
            if request.isOnlyIfCached { return .fail }
            return request.mode.kind == .reload ? .send() : validatingOthers(stored, request)
        }
        guard request.mode.kind != .reload, let choice = choice(of: matching, request, now: now) else {
            return request.isOnlyIfCached ? .fail : .send()
        }
        let entry = choice.entry
        if let decision = serving(choice, request) { return decision }
        if request.isOnlyIfCached { return .fail }
        let isWanted = !choice.mayBeStale || request.control.noCache.isWhole || request.mode.kind == .revalidate
        // A stale error is worth no more than a new one.
        let fallback = isWanted || entry.status >= 400 ? nil : choice
        // The response to a `HEAD` updates the stored one without a condition (§4.3.5).
        guard request.method == .get, Validators(entry).exist else { return .send(fallback: fallback) }
        return .send(validating: [entry], fallback: fallback)
    }

    /// The latest of several responses (§4.1). An error of a server counts only while it is fresh, where there is another
    /// one, and no stored error for another attempt, because it would end all of them.
    private static func choice(of matching: [HttpCacheEntry], _ request: CacheRequest, now: Double) -> StoredChoice? {
        let latest = matching.sorted { isOlder($1, $0) }.map { StoredChoice($0, now: now) }
        let usable = request.attempt > 1 ? latest.filter { $0.entry.status < 400 } : latest
        return usable.first { $0.entry.status < 500 || $0.freshness.isFresh } ?? usable.first
    }

    /// The decision to serve a stored response; nil if it must be validated.
    private static func serving(_ choice: StoredChoice, _ request: CacheRequest) -> CacheDecision? {
        let (control, freshness) = (choice.control, choice.freshness)
        if control.noCache.isWhole || request.control.noCache.isWhole { return nil }
        let isImmutable = control.isImmutable && freshness.isFresh
        if request.mode.kind == .revalidate { return isImmutable ? .serve(choice, nil) : nil }
        // RFC 8246 §2: an immutable response isn't validated while it is fresh, though the request prefers a younger one.
        let isYoung = isImmutable || freshness.age <= request.control.maxAge.value ?? .infinity
        let minFresh = request.control.minFresh == .invalid ? .infinity : request.control.minFresh.value ?? 0
        if freshness.isFresh, isYoung, -freshness.staleness >= minFresh { return .serve(choice, nil) }
        // The mode accepts what is stored. The header `only-if-cached` accepts what the request's other directives do.
        let isAnyAccepted = request.mode.kind == .onlyIfCached
        guard choice.mayBeStale, isAnyAccepted || isYoung && minFresh == 0 else { return nil }
        if let accepted = request.acceptedStaleness, freshness.staleness <= accepted {
            return .serve(choice, freshness.isFresh ? nil : .accepted)
        }
        if let limit = control.staleWhileRevalidate.value, freshness.staleness <= limit, request.method == .get,
            !request.isOnlyIfCached
        {
            return .serve(choice, .whileRevalidating)
        }
        return nil
    }

    /// Asks whether one of the variants for other requests is the response, by their strong tags (§4.3.1).
    private static func validatingOthers(_ stored: [HttpCacheEntry], _ request: CacheRequest) -> CacheDecision {
        guard request.method == .get else { return .send() }
        return .send(validating: Array(stored.filter { Validators($0).hasStrongTag }.prefix(mostValidators)))
    }

    /// Whether the headers that `Vary` nominates are those of the request (§4.1). No request matches `*`.
    static func matches(_ entry: HttpCacheEntry, _ request: CacheRequest) -> Bool {
        isKnown(entry.nominated.map(\.name), request)
            && entry.nominated.allSatisfy { $0.value == request.nominatedValue($0.name) }
    }

    /// Whether the cache knows what the nominated headers of a request are.
    static func isKnown(_ names: [String], _ request: CacheRequest) -> Bool {
        names.allSatisfy { $0 != "*" && !request.unknownHeaders.contains($0) }
    }

    /// Whether the first one was generated earlier, by its `Date`: of several, the latest is used (§4.1).
    static func isOlder(_ left: HttpCacheEntry, _ right: HttpCacheEntry) -> Bool {
        func dates(_ entry: HttpCacheEntry) -> (Double, Double) {
            let received = Freshness.seconds(entry.responseTime)
            return (entry.headers["Date"].flatMap { CacheDate.seconds($0, now: received) } ?? received, received)
        }
        return dates(left) < dates(right)
    }
}
