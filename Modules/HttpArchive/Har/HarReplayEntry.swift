import HttpMessages
import Logging
import Models
import NodeCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response of a HAR file, which the replaying sender looks up by its method and address.
struct HarReplayEntry: Sendable {
    let method: String
    let url: URL
    /// What ``address(of:)`` makes of the URL.
    let address: String
    let status: Int
    let headers: HttpHeaders
    let body: Data
    /// Why the entry can't be replayed; nil when it can.
    let problem: String?

    /// Reads an entry. nil without a method, or with a URL that is none, such as that of a page that a browser made.
    init?(_ json: Json) {
        guard let method = json["request"]?["method"]?.string, let text = json["request"]?["url"]?.string,
            let url = URL(parsing: text), let address = Self.address(of: text)
        else { return nil }
        self.method = method
        self.url = url
        self.address = address
        let response = json["response"]
        status = response?["status"]?.int ?? 0
        var headers = HttpHeaders()
        for field in response?["headers"]?.array ?? [] {
            // A browser writes the pseudo-header fields of HTTP/2 (RFC 9113 §8.3), too.
            guard let name = field["name"]?.string, let value = field["value"]?.string, !name.hasPrefix(":") else {
                continue
            }
            headers.add(name: name, value: value)
        }
        self.headers = headers
        let content = response?["content"]
        let size = content?["size"]?.int
        let body = content?["text"]?.string.map { text in
            content?["encoding"]?.string?.lowercased() == "base64"
                ? Self.decoded(text, size: size) : Data(text.utf8)
        }
        self.body = body ?? Data()
        problem =
            if let error = (json["_error"] ?? response?["_error"])?.string {
                "was recorded with an error: \(error)"
            } else if status <= 0 {
                "was recorded without a response"
            } else if body == nil, let size, size > 0 {
                "was recorded without its body: a recorder keeps it with bodies: .upTo(bytes:)"
            } else {
                nil
            }
    }

    /// The target of a redirect as an address; nil for other responses.
    var target: String? {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers["Location"] else { return nil }
        return RedirectRule.target(of: location, from: url).flatMap { Self.address(of: $0.absoluteString) }
    }

    /// The normalized form in which URLs of browsers and of requests are compared (RFC 3986 §6.2); nil for a text without
    /// scheme and host.
    ///
    /// Scheme and host are in lower case. The default port and the fragment are left out. An empty path is `/`. Escapes
    /// are where the RFC requires them, in upper case. Secrets are masked by the standard rules.
    static func address(of text: String) -> String? {
        guard var url = UrlText(text.utf8), let scheme = url.scheme, let authority = url.authority else { return nil }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        var start = "\(name)://"
        if let userInfo = authority.userInfo { start += String(decoding: userInfo, as: UTF8.self) + "@" }
        start += String(decoding: authority.host, as: UTF8.self).lowercased()
        let port = String(decoding: authority.port ?? [], as: UTF8.self)
        if !port.isEmpty, port != ["http": "80", "https": "443"][name] { start += ":\(port)" }
        url.scheme = nil
        url.authority = nil
        url.fragment = nil
        if url.path.isEmpty { url.path = [UInt8(ascii: "/")] }
        return Redaction.standard.url(start + String(decoding: upperCaseEscapes(url), as: UTF8.self))
    }

    private static func upperCaseEscapes(_ url: UrlText) -> [UInt8] {
        var bytes = url.path
        if let query = url.query { bytes += [UInt8(ascii: "?")] + query }
        for index in bytes.indices where Percent.escaped(in: bytes[...], at: index) != nil {
            for place in index + 1...index + 2 where bytes[place] >= UInt8(ascii: "a") { bytes[place] -= 0x20 }
        }
        return bytes
    }

    /// The bytes of a text in Base64, with line breaks (RFC 2045 §6.8) and without padding (RFC 4648 §3.2), too. A text
    /// that only claims to be Base64 is the body itself.
    ///
    /// - Parameter size: how many bytes the file says that the body has.
    private static func decoded(_ text: String, size: Int?) -> Data {
        var code = text.utf8.filter { $0 > 0x20 && $0 != UInt8(ascii: "=") }
        code += Array(repeating: UInt8(ascii: "="), count: (4 - code.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(code)), size != text.utf8.count || size == data.count else {
            return Data(text.utf8)
        }
        return data
    }
}
