import HttpMessages

@testable import HttpCaching

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Any Cache-Control is read, and of two values of a directive the first one counts.
@Sendable func fuzzCacheControl(_ input: UnsafeRawBufferPointer) {
    let text = text(input)
    let control = CacheControl(["Cache-Control": text])
    for seconds in [control.maxAge, control.minFresh, control.staleIfError, control.staleWhileRevalidate] {
        require((0...DecimalNumber.greatest).contains(seconds.value ?? 0), "a number of seconds has bounds")
    }
    require(CacheControl(["Cache-Control": text + ","]).maxAge == control.maxAge, "an empty element is nothing")
    // A quoted string without an end takes what follows.
    let longer = CacheControl(HttpHeaders([.init(name: "cache-control", value: text), second]))
    require(control.maxAge == .absent || longer.maxAge == control.maxAge, "the first value counts")
    require(longer.noStore == control.noStore && longer.noCache == control.noCache, "nothing else is added")
}

private let second = HttpHeaders.Field(name: "Cache-Control", value: "max-age=7")

/// A date is that of the other parser, where that reads it, and is written as it is read.
@Sendable func fuzzCacheDates(_ input: UnsafeRawBufferPointer) {
    let text = text(input)
    let now = 1_700_000_000.0
    guard let seconds = CacheDate.seconds(text, now: now), seconds >= 0 else { return }
    if let other = HttpDate(text, now: Date(timeIntervalSince1970: now)) {
        require(seconds == other.date.timeIntervalSince1970, "the date is the same")
    }
    require(CacheDate.seconds(CacheDate.text(seconds), now: now) == seconds, "a date is written as it is read")
}

/// The policy decides for any headers, and serves only what may be served.
@Sendable func fuzzCachePolicy(_ input: UnsafeRawBufferPointer) {
    let parts = texts(input)
    var headers = HttpHeaders()
    let names = [
        "Cache-Control", "Expires", "Age", "Vary", "ETag", "Last-Modified", "Date", "Connection", "Content-Length",
    ]
    for (name, value) in zip(names, parts.dropFirst(2)) where !value.isEmpty { headers.add(name: name, value: value) }
    guard let url = URL(string: "https://h.com/") else { return }
    var request = HttpRequest(method: .get, url: url)
    if let control = parts.first, !control.isEmpty { request.headers["Cache-Control"] = control }
    let view = CacheRequest(request) { [request] in request.headers.nominatedValue(of: $0) }
    let key = HttpCacheKey(url: "https://h.com/")
    let sent = CachePolicy.Sent(
        request: view, key: key, publicKey: HttpCacheKey(url: key.url, session: .everyone), keepsSecrets: true,
        isLeftOut: { _ in false })
    let head = ResponseHead(
        status: parts.dropFirst().first.flatMap { Int($0) } ?? 200, headers: headers, requestTime: 1_700_000_000,
        responseTime: 1_700_000_001)
    guard case .store(let entry, _) = CachePolicy.react(to: head, sent) else { return }
    require(entry.bodyLength ?? 0 >= 0, "a length isn't negative")
    for wait in [0.0, 10, 1e6] {
        let decision = CachePolicy.decide(view, stored: [entry], now: head.responseTime + wait)
        guard case .serve(let choice, let reason) = decision else { continue }
        require(!choice.control.noCache.isWhole, "no-cache isn't served")
        require(
            reason == nil ? choice.freshness.isFresh : choice.mayBeStale, "what is served is fresh, or may be stale")
        require(choice.freshness.age >= 0, "an age isn't negative")
    }
    checkTimes(of: entry, view, input)
    var sentAgain = sent
    sentAgain.validated = [entry]
    let answer = ResponseHead(status: 304, headers: headers, requestTime: 1_700_000_002, responseTime: 1_700_000_003)
    if case .freshen(let updated, _, _) = CachePolicy.react(to: answer, sentAgain) {
        require(updated.id == entry.id && updated.bodyLength == entry.bodyLength, "a 304 keeps the body")
    }
}

/// A store may return any time.
private func checkTimes(of entry: HttpCacheEntry, _ view: CacheRequest, _ input: UnsafeRawBufferPointer) {
    guard input.count >= 16 else { return }
    let times = [0, 8].map { Double(bitPattern: input.loadUnaligned(fromByteOffset: $0, as: UInt64.self)) }
    var entry = entry
    (entry.requestTime, entry.responseTime) = (
        Date(timeIntervalSince1970: times[0]), Date(timeIntervalSince1970: times[1])
    )
    _ = CachePolicy.decide(view, stored: [entry, entry], now: 1_700_000_000)
    let age = Freshness(entry, CacheControl(entry.headers), now: 1_700_000_000).age
    require(age >= 0 && (age == .infinity || age < 1e12), "an age has bounds")
}
