#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A strong validator of a response (RFC 9110 §8.8.1), which `If-Range` repeats: an entity tag, or a date.
///
/// It comes from a server or from a file and goes into a request, so it is nothing but what the RFC allows.
struct Validator: Equatable {
    /// Bytes of the longest one. A longer one is of no use.
    static let longest = 1024

    let text: String

    /// The field of a response that has it.
    var field: String { text.hasPrefix("\"") ? "ETag" : "Last-Modified" }

    /// nil for what is neither a strong entity tag nor a date.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest, Self.isStrongTag(text) || HttpDate(text, now: Date()) != nil else {
            return nil
        }
        self.text = text
    }

    /// The one of a response: its entity tag if it has one, or else its date, where that is at least a second older than
    /// the response, so that nothing can have changed in that second (RFC 9110 §8.8.2.2).
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

    /// RFC 9110 §8.8.3: `DQUOTE *etagc DQUOTE`. Bytes that were no UTF-8 have become U+FFFD: what would be repeated is not
    /// what the server sent.
    private static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count > 1, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return !text.unicodeScalars.contains("\u{FFFD}")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 || $0 >= 0x80 }
    }
}
