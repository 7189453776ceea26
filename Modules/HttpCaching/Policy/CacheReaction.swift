import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The head of a response, and when it was requested and received, in seconds since 1970.
struct ResponseHead: Sendable {
    let status: Int
    let headers: HttpHeaders
    let requestTime: Double
    let responseTime: Double
    let fields: DecisiveFields

    init(status: Int, headers: HttpHeaders, requestTime: Double, responseTime: Double) {
        self.status = status
        self.headers = headers
        self.requestTime = requestTime
        self.responseTime = responseTime
        fields = DecisiveFields(headers)
    }
}

/// What a cache does with a response.
enum CacheReaction: Sendable {
    /// Returns it. These stored responses can't be used any more.
    case pass(removing: [HttpCacheEntry])
    /// Returns it, and stores it.
    case store(HttpCacheEntry, replacing: [HttpCacheEntry])
    /// The server confirmed a stored response, which is served with these headers. It is updated, or removed if it must
    /// not be kept.
    case freshen(HttpCacheEntry, HttpHeaders, isKept: Bool)
    /// Returns the response to a `HEAD`, which has updated the stored headers.
    case update(HttpCacheEntry)
    /// The 304 confirms nothing that is stored: the request is sent again without conditions.
    case sendAgain
    /// Serves a stale response instead of the error.
    case serveStale(StoredChoice)
}

extension CachePolicy {
    /// What the policy knows when a response arrives.
    struct Sent: Sendable {
        var request: CacheRequest
        /// The stored responses whose validators were sent.
        var validated: [HttpCacheEntry] = []
        var fallback: StoredChoice?
        /// The stored responses that match the request.
        var matching: [HttpCacheEntry] = []
        /// The keys for the response, if it is for its session, or for everyone.
        var key: HttpCacheKey
        var publicKey: HttpCacheKey
        /// Whether the store keeps cookies and secrets of a response that isn't for everyone: one in memory.
        var keepsSecrets: Bool
        /// Whether any other store leaves out a header of the response, by the bytes of its name.
        var isLeftOut: @Sendable (UnsafeRawBufferPointer) -> Bool
        /// Whether the request validates a stale response that was served.
        var isInBackground = false

        /// Whether a response with this status shows that the matching ones aren't current any more. An error
        /// doesn't: they may be served later. An error of the request does in the background (§4.3.3): otherwise deleted
        /// content would be served until it is too stale.
        func supersedes(_ status: Int) -> Bool {
            switch status {
            case 304, 408, 429: false
            case 400..<500: isInBackground
            default: status < 400
            }
        }

        fileprivate func stored(
            _ headers: HttpHeaders, _ control: CacheControl, connection: [String], isForEveryone: Bool
        ) -> HttpHeaders {
            StoredHeaders.stored(
                headers, control, connection: connection, isForEveryone: isForEveryone,
                isLeftOut: keepsSecrets && !isForEveryone ? StoredHeaders.isNeverStored : isLeftOut)
        }
    }

    /// Decides what a response is used for.
    static func react(to head: ResponseHead, _ sent: Sent) -> CacheReaction {
        if head.status == 304, !sent.validated.isEmpty {
            guard let entry = sent.validated.confirmed(by: head.headers) else { return .sendAgain }
            return freshened(entry, head, sent)
        }
        if StatusRules.isServerError(head.status), let fallback = sent.fallback,
            allowsStale(fallback, sent.request, at: head.responseTime)
        {
            return .serveStale(fallback)
        }
        if sent.request.method == .head { return reactToHead(head, sent) }
        let superseded = sent.supersedes(head.status) ? sent.matching : []
        guard sent.request.method == .get, isStorable(head, sent.request) else {
            return .pass(removing: superseded)
        }
        let entry = entry(head, sent)
        if entry.key.session == .once { return .pass(removing: superseded) }
        // An error that is stale at once would only replace what is useful offline.
        if head.status >= 400, Freshness(entry, head.fields.control, now: head.responseTime).lifetime <= 0 {
            return .pass(removing: superseded)
        }
        // A server's error is stored beside the response that is served again later.
        let replaced = head.status < 500 ? sent.matching : sent.matching.filter { $0.status >= 500 }
        return .store(entry, replacing: replaced)
    }

    /// Whether a stale response may be served instead of an error (RFC 5861 §4).
    static func allowsStale(_ choice: StoredChoice, _ request: CacheRequest, at now: Double) -> Bool {
        let limits = [choice.control.staleIfError.value, request.control.staleIfError.value].compactMap { $0 }
        guard choice.mayBeStale, let limit = limits.max() else { return false }
        return StoredChoice(choice.entry, now: now).freshness.staleness <= limit
    }

    // MARK: - Storing (RFC 9111 §3)

    /// Whether a private cache may store the response to a `GET`.
    static func isStorable(_ head: ResponseHead, _ request: CacheRequest) -> Bool {
        let (fields, control) = (head.fields, head.fields.control)
        guard head.status >= 200, !StatusRules.isNeverStored(head.status), !control.isCut else { return false }
        if control.mustUnderstand {
            guard StatusRules.isUnderstood(head.status) else { return false }
        } else if control.noStore {
            return false
        }
        guard fields.vary.count <= mostNominated, isKnown(fields.vary, request) else { return false }
        // It could never be used.
        if control.noCache.isWhole, !Validators(head.headers).exist { return false }
        return control.maxAge != .absent || control.isPublic || control.isPrivate != .absent
            || fields.hasExpires || StatusRules.isHeuristicallyCacheable(head.status)
    }

    /// What is stored of the response to a `POST`: nothing without explicit freshness.
    static func posted(_ head: ResponseHead, _ sent: Sent) -> HttpCacheEntry? {
        let isExplicit = head.fields.control.maxAge != .absent || head.fields.hasExpires
        return head.status == 200 && isExplicit && isStorable(head, sent.request) ? entry(head, sent) : nil
    }

    private static func entry(_ head: ResponseHead, _ sent: Sent) -> HttpCacheEntry {
        let (fields, control) = (head.fields, head.fields.control)
        var headers = sent.stored(
            head.headers, control, connection: fields.connection, isForEveryone: control.isForEveryone)
        // RFC 9110 §6.6.1: a recipient that caches a response without a date adds one.
        if !fields.hasDate { headers["Date"] = CacheDate.text(head.responseTime) }
        return HttpCacheEntry(
            key: control.isForEveryone ? sent.publicKey : sent.key, nominated: nominated(fields.vary, sent.request),
            status: head.status, headers: headers, requestTime: Date(timeIntervalSince1970: head.requestTime),
            responseTime: Date(timeIntervalSince1970: head.responseTime),
            bodyLength: fields.isEncoded ? nil : fields.contentLength)
    }

    private static func nominated(_ names: [String], _ request: CacheRequest) -> [HttpCacheEntry.Nominated] {
        names.map { HttpCacheEntry.Nominated(name: $0, value: request.nominatedValue($0)) }
    }

    // MARK: - Updating (§3.2, §4.3.4, §4.3.5)

    private static func freshened(_ entry: HttpCacheEntry, _ head: ResponseHead, _ sent: Sent) -> CacheReaction {
        var headers = StoredHeaders.updated(entry.headers, by: head.headers, date: head.responseTime)
        // A strong tag doesn't identify what was stored with a weak one. nginx sends it in the 304 for a response that it has
        // compressed, so that it confirms the response nevertheless.
        if Validators(head.headers).hasStrongTag, Validators(entry).tag != nil, !Validators(entry).hasStrongTag {
            headers["ETag"] = entry.headers["ETag"]
        }
        let isKept = isKept(entry, with: headers, sent.request)
        return .freshen(updated(entry, to: headers, head, sent), headers, isKept: isKept)
    }

    /// Whether a stored response may be kept with new headers, for all requests that it was stored for.
    private static func isKept(_ entry: HttpCacheEntry, with headers: HttpHeaders, _ request: CacheRequest) -> Bool {
        let control = CacheControl(headers)
        if control.noStore { return false }
        // It was stored for everyone because it was `public`. The response may be for one user only by now.
        if entry.key.session == .everyone, !control.isForEveryone { return false }
        let vary = headers.listMembers(of: "Vary")
        if vary.count > mostNominated { return false }
        if matches(entry, request) { return isKnown(vary, request) }
        // Of the request that it was stored for, only the nominated headers are known.
        return !vary.contains("*") && Set(vary) == Set(entry.nominated.map(\.name))
    }

    private static func updated(
        _ entry: HttpCacheEntry, to headers: HttpHeaders, _ head: ResponseHead, _ sent: Sent
    ) -> HttpCacheEntry {
        var entry = entry
        entry.headers = sent.stored(
            headers, CacheControl(headers), connection: headers.listMembers(of: "Connection"),
            isForEveryone: entry.key.session == .everyone)
        entry.requestTime = Date(timeIntervalSince1970: head.requestTime)
        entry.responseTime = Date(timeIntervalSince1970: head.responseTime)
        if matches(entry, sent.request) {
            entry.nominated = nominated(entry.headers.listMembers(of: "Vary"), sent.request)
        }
        return entry
    }

    private static func reactToHead(_ head: ResponseHead, _ sent: Sent) -> CacheReaction {
        guard let entry = sent.matching.max(by: { isOlder($0, $1) }),
            head.status == entry.status || head.status == 404 || head.status == 410
        else { return .pass(removing: []) }
        let names = ["ETag", "Last-Modified", "Content-Length"]
        let isSame = names.allSatisfy { head.headers[$0] == nil || head.headers[$0] == entry.headers[$0] }
        guard isSame, head.status == entry.status else { return .pass(removing: sent.matching) }
        let headers = StoredHeaders.updated(entry.headers, by: head.headers, date: head.responseTime)
        guard isKept(entry, with: headers, sent.request) else { return .pass(removing: [entry]) }
        return .update(updated(entry, to: headers, head, sent))
    }
}
