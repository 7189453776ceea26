public import HttpMessages
import ResponseProcessing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads from a response how long a server wants no more requests: which headers a ``RateLimit`` follows.
///
/// A rule of your own:
///
/// ```swift
/// let rule = RateLimitRule { response in
///     response.headers["X-Quota-Left"] == "0" ? .seconds(60) : nil
/// }
/// ```
///
/// A pause of more than an hour counts as an hour.
public struct RateLimitRule: Sendable {
    /// The time until the server accepts requests again; nil while it does.
    let pause: @Sendable (HttpResponse) -> Duration?

    /// Creates a rule.
    ///
    /// - Parameter pause: returns the time for which no request is sent; nil for none. Called once for each response,
    ///   whatever its status, on any thread, several times at once.
    public init(_ pause: @escaping @Sendable (HttpResponse) -> Duration?) {
        self.pause = pause
    }

    /// Heeds `Retry-After` (RFC 9110 §10.2.3) of a response with 429 or 503.
    public static let retryAfter = RateLimitRule { $0.retryAfter(for: [429, 503]) }

    /// The headers of GitHub's REST API. Where `X-RateLimit-Remaining` is 0, the pause lasts until `X-RateLimit-Reset`, in
    /// seconds since 1970 by the clock of the server. A response with 403, 429 or 503 pauses for its `Retry-After` at
    /// least.
    public static let github = RateLimitRule { response in
        let retryAfter = response.retryAfter(for: [403, 429, 503])
        guard response.headers["X-RateLimit-Remaining"] == "0",
            let reset = response.headers["X-RateLimit-Reset"].flatMap(WholeNumber.init)
        else { return retryAfter }
        let rest = Double(reset.value) - response.serverTime.timeIntervalSince1970
        return max(retryAfter ?? .zero, .seconds(max(0, rest)))
    }

    /// The fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10), and their forms in earlier
    /// drafts: one field with `remaining=` and `reset=`, and the fields `RateLimit-Remaining` and `RateLimit-Reset`.
    ///
    /// Where nothing remains of a quota, the pause lasts until its reset. Without a time of the reset it lasts for the
    /// window of the policy. `Retry-After` of a response with 429 or 503 wins, as the draft says.
    public static let rateLimitFields = RateLimitRule { response in
        response.retryAfter(for: [429, 503]) ?? RateLimitFields(response.headers).pause
    }
}

extension HttpResponse {
    fileprivate func retryAfter(for statuses: Set<Int>) -> Duration? {
        statuses.contains(status) ? HttpError(self).retryAfter : nil
    }

    /// The time at the server: its `Date`, or the client's time without one.
    fileprivate var serverTime: Date {
        let now = Date()
        return headers["Date"].flatMap { HttpDate($0, now: now)?.date } ?? now
    }
}

/// A number of up to 15 digits and without a sign, as an integer of RFC 9651 §3.3.1 can be.
struct WholeNumber {
    let value: Int64

    init?(_ text: some StringProtocol) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let value = Int64(text)
        else { return nil }
        self.value = value
    }
}
