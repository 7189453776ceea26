/// One spelling for the URLs that are the same (RFC 9110 §4.2.3). An unsafe request would otherwise not invalidate what was
/// stored for another spelling of its URL.
enum NormalUrl {
    /// The URL with its scheme and host in lower case, without the port of its scheme, with `/` for an empty path, and
    /// without its fragment.
    static func text(_ url: String) -> String {
        let plain = url.utf8.firstIndex(of: 0x23).map { url[..<$0] } ?? url[...]
        guard let mark = plain.firstRange(of: "://") else { return String(plain) }
        let scheme = plain[..<mark.lowerBound].lowercased()
        let authority = plain[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let hostStart = authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex
        let rest = plain[authority.endIndex...]
        return scheme + "://" + authority[..<hostStart] + host(authority[hostStart...].lowercased(), scheme)
            + (rest.hasPrefix("/") ? "" : "/") + rest
    }

    private static func host(_ host: String, _ scheme: String) -> Substring {
        guard let colon = host.lastIndex(of: ":") else { return host[...] }
        let port = host[colon...].dropFirst()
        return port.isEmpty || port == (scheme == "http" ? "80" : "443") ? host[..<colon] : host[...]
    }
}
