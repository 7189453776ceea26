import NodeCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Scheme, host and port (RFC 6454). Connections and secrets are bound to it. A host beyond ASCII is in its ASCII form,
/// and an IPv6 address in brackets.
package struct Origin: Hashable {
    package let scheme: String
    package let host: String
    package let port: Int
    /// Whether the scheme is `https`; stored because each request checks it.
    package let isHttps: Bool

    package init(_ url: URL) {
        self = Origin(plain: url) ?? Origin(UrlText(url.absoluteString.utf8))
    }

    private init(_ url: UrlText?) {
        func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
        self.init(
            scheme: text(url?.scheme), host: text(url?.authority?.host), port: Int(text(url?.authority?.port)))
    }

    /// Hashes no scheme, because nearly every port has one.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
    }

    /// - Parameter port: nil for that of the scheme.
    package init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        isHttps = self.scheme == "https"
        self.port = port ?? (isHttps ? 443 : 80)
    }
}

extension Origin {
    /// Whether a server is at this host and port.
    package func isAt(_ host: String, _ port: Int) -> Bool {
        (self.host == host.lowercased() || self.host == "[\(host.lowercased())]") && self.port == port
    }

    /// Parses the plain form of most URLs without Foundation: a scheme, a host in lowercase ASCII, an optional port,
    /// and no user info. Returns nil for any other URL.
    package init?(plain url: URL) {
        let read = url.absoluteString.utf8.withContiguousStorageIfAvailable { Origin(plain: $0) }
        guard let read, let origin = read else { return nil }
        self = origin
    }

    private init?(plain text: UnsafeBufferPointer<UInt8>) {
        // `http://` or `https://`
        guard text.count > 8, text[0] == 0x68, text[1] == 0x74, text[2] == 0x74, text[3] == 0x70 else { return nil }
        let isHttps = text[4] == 0x73
        let start = isHttps ? 8 : 7
        guard text[start - 3] == 0x3A, text[start - 2] == 0x2F, text[start - 1] == 0x2F else { return nil }
        var end = start
        while end < text.count, text[end].isPlainHostCharacter { end += 1 }
        guard end > start else { return nil }
        var port = isHttps ? 443 : 80
        var rest = end
        if rest < text.count, text[rest] == 0x3A {
            rest += 1
            port = 0
            let digits = rest
            while rest < text.count, rest - digits < 5, case 0x30...0x39 = text[rest] {
                port = port * 10 + Int(text[rest] - 0x30)
                rest += 1
            }
            guard rest > digits, port <= 65_535 else { return nil }
        }
        // `/`, `?` or `#`
        guard rest == text.count || text[rest] == 0x2F || text[rest] == 0x3F || text[rest] == 0x23 else { return nil }
        scheme = isHttps ? "https" : "http"
        host = String(decoding: text[start..<end], as: UTF8.self)
        self.port = port
        self.isHttps = isHttps
    }
}

extension UInt8 {
    fileprivate var isPlainHostCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
    }
}
