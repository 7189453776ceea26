#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages
import NodeCore

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

extension Origin {
    /// Creates the origin that libcurl would connect to; nil for a URL that libcurl can't parse or doesn't support.
    init?(asLibcurlReads url: URL) {
        if let plain = Origin(plain: url) {
            self = plain
            return
        }
        guard let parser = curl_url() else { return nil }
        defer { curl_url_cleanup(parser) }
        guard curl_url_set(parser, CURLUPART_URL, url.textForLibcurl, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parser), let host = Self.part(CURLUPART_HOST, of: parser),
            let port = Self.part(CURLUPART_PORT, of: parser).flatMap({ Int($0) })
        else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }

    private static func part(_ part: CURLUPart, of parser: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        defer { curl_free(text) }
        guard curl_url_get(parser, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK else { return nil }
        return text.map { String(cString: $0) }
    }
}

extension URL {
    /// The text with its host in ASCII. libcurl would convert other hosts only if it has libidn2, and the process a UTF-8
    /// locale.
    var textForLibcurl: String {
        guard Origin(plain: self) == nil, let text = UrlText(absoluteString.utf8) else { return absoluteString }
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
#endif
