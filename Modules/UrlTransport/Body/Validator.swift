#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A strong validator of a response (RFC 9110 §8.8.1), which `If-Range` repeats: an entity tag or a date.
///
/// It comes from a server or a file and is sent in a request, so it is restricted to the syntax of the RFC.
struct Validator: Equatable {
    /// The maximum length in bytes. A longer validator is ignored.
    static let longest = 1024

    let text: String

    /// The response field that contains the validator.
    var field: String { text.hasPrefix("\"") ? "ETag" : "Last-Modified" }

    /// Returns nil unless the text is a strong entity tag or a date.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest, Self.isStrongTag(text) || HttpDate(text, now: Date()) != nil else {
            return nil
        }
        self.text = text
    }

    /// The validator of a response: its entity tag, or without one its modification date. The date must be at least a
    /// second before the response's, so that it is strong (RFC 9110 §8.8.2.2).
    init?(of headers: HttpHeaders) {
        if let tag = headers["ETag"] {
            guard Self.isStrongTag(tag) else { return nil }
            self.init(tag)
            return
        }
        let now = Date()
        guard let text = headers["Last-Modified"], let modified = HttpDate(text, now: now)?.date,
            let sent = headers["Date"].flatMap({ HttpDate($0, now: now)?.date }),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        self.init(text)
    }

    /// Whether it is a strong entity tag, `DQUOTE *etagc DQUOTE` (RFC 9110 §8.8.3). Bytes that are not UTF-8 were
    /// decoded as U+FFFD, so the text is not what the server sent.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count > 1, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return !text.unicodeScalars.contains("\u{FFFD}")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 || $0 >= 0x80 }
    }
}
