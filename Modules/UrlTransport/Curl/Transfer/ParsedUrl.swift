#if os(Linux)
import CNetChainCurl

/// A URL as libcurl has parsed it.
final class ParsedUrl {
    let raw: OpaquePointer

    /// Returns nil for a URL that libcurl can't parse, or if it has no memory.
    fileprivate init?(_ text: String) {
        guard let raw = curl_url() else { return nil }
        self.raw = raw
        // The same flag as `CURLOPT_PATH_AS_IS`.
        guard curl_url_set(raw, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK else { return nil }
    }

    /// Creates a copy with a query.
    fileprivate init?(_ base: ParsedUrl, query: String) {
        guard let raw = curl_url_dup(base.raw) else { return nil }
        self.raw = raw
        guard curl_url_set(raw, CURLUPART_QUERY, query, 0) == CURLUE_OK else { return nil }
    }

    deinit {
        curl_url_cleanup(raw)
    }
}

/// The URLs of the last requests of an event loop, parsed, without their queries.
struct ParsedUrls {
    private static let most = 64
    /// The most bytes of a URL that is kept.
    private static let longest = 256

    private var all: [String: ParsedUrl] = [:]

    /// Returns the URL, parsed; nil if libcurl has to parse it for its transfer.
    ///
    /// - Parameter text: a URL without user info.
    mutating func parsed(_ text: String) -> ParsedUrl? {
        if let url = all[text] { return url }
        let bytes = text.utf8
        guard bytes.count <= Self.longest else { return nil }
        guard let mark = bytes.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return keep(text)
        }
        let query = bytes[mark...].dropFirst()
        // libcurl changes other queries: it writes the digits of `%2F` in lowercase.
        guard bytes[mark] == UInt8(ascii: "?"), !query.isEmpty, query.allSatisfy(\.isPlainInQuery) else { return nil }
        let base = String(text[..<mark])
        return (all[base] ?? keep(base)).flatMap { ParsedUrl($0, query: String(Substring(query))) }
    }

    private mutating func keep(_ text: String) -> ParsedUrl? {
        if all.count >= Self.most { all = [:] }
        let url = ParsedUrl(text)
        all[text] = url
        return url
    }
}

extension UInt8 {
    fileprivate var isPlainInQuery: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        // - . _ ~ = & , :
        case 0x2D, 0x2E, 0x5F, 0x7E, 0x3D, 0x26, 0x2C, 0x3A: true
        default: false
        }
    }
}
#endif
