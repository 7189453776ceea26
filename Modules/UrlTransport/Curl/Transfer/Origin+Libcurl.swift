#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages
import NodeCore

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
