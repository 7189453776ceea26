import HttpMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The delay of a `Retry-After` header (RFC 9110 §10.2.3): a number of seconds, or a date in one of the three forms of
/// HTTP (§5.6.7). Anything else is ignored.
struct RetryAfter: Equatable {
    let delay: Duration

    /// Reads the header of a response. A date is compared with the server's clock, which `Date` shows, where the
    /// response has it.
    init?(_ headers: HttpHeaders) {
        guard let text = headers["Retry-After"] else { return nil }
        let now = Date()
        self.init(text, now: headers["Date"].flatMap { HttpDate($0, now: now)?.date } ?? now)
    }

    init?(_ text: String, now: Date) {
        if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // More digits than a number can hold are a very long time, longer than any policy allows.
            delay = .seconds(min(Int(text) ?? .max, 10 * 365 * 86_400))
        } else if let date = HttpDate(text, now: now)?.date {
            delay = .seconds(max(0, date.timeIntervalSince(now)))
        } else {
            return nil
        }
    }
}
