#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A strong validator of a response (RFC 9110 §8.8.1), which `If-Range` repeats: an entity tag or a date.
///
/// It comes from a server or a file and is sent in a request, so it is restricted to the syntax of the RFC.
struct Validator: Equatable {
    /// The maximum length in bytes. A longer validator is ignored.
    static let longest = 1024

    /// The value, with the bytes that the server sent.
    private let value: HttpHeaders.Field

    var text: String { value.value }
    var bytes: [UInt8] { value.valueBytes }

    /// The response field that contains the validator.
    var field: String { text.hasPrefix("\"") ? "ETag" : "Last-Modified" }

    /// The field that repeats the validator byte for byte (RFC 9110 §13.1.5).
    var ifRange: HttpHeaders.Field { HttpHeaders.Field(name: "If-Range", valueBytes: bytes) }

    static func == (left: Validator, right: Validator) -> Bool { left.bytes == right.bytes }

    /// Returns nil unless the text is a strong entity tag or a date.
    init?(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// Returns nil unless the bytes are a strong entity tag or a date.
    init?(bytes: some Collection<UInt8>) {
        value = HttpHeaders.Field(name: "", valueBytes: bytes)
        guard bytes.count <= Self.longest, Self.isStrongTag(bytes) || HttpDate(value.value, now: Date()) != nil else {
            return nil
        }
    }

    /// The validator of a response: its entity tag, or without one its modification date. The date must be at least a
    /// second before the response's, so that it is strong (RFC 9110 §8.8.2.2).
    init?(of headers: HttpHeaders) {
        if let tag = headers.first("ETag") {
            guard Self.isStrongTag(tag.valueBytes) else { return nil }
            self.init(bytes: tag.valueBytes)
            return
        }
        let now = Date()
        guard let text = headers["Last-Modified"], let modified = HttpDate(text, now: now)?.date,
            let sent = headers["Date"].flatMap({ HttpDate($0, now: now)?.date }),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        self.init(text)
    }

    /// Whether the response has the same validator, or none.
    func matches(_ headers: HttpHeaders) -> Bool {
        headers.first(field).map { $0.valueBytes == bytes } ?? true
    }

    /// Whether it is a strong entity tag, `DQUOTE *etagc DQUOTE` (RFC 9110 §8.8.3). Its bytes need not be UTF-8.
    private static func isStrongTag(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count > 1, bytes.first == 0x22 else { return false }
        let rest = bytes.dropFirst()
        return rest.firstIndex(of: 0x22) == rest.index(rest.startIndex, offsetBy: rest.count - 1)
            && rest.allSatisfy { 0x21...0x7E ~= $0 || $0 >= 0x80 }
    }
}
