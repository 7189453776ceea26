#if os(Linux)
import CNetChainCurl
import Glibc
import HttpMessages

/// Owns a libcurl share handle for the easy handles of one event loop. Only the loop's thread uses it, so it has no
/// locks.
final class CurlShareHandle {
    let raw: UnsafeMutableRawPointer

    /// Shares TLS sessions and, with `withCookies`, cookies. Without the share, libcurl before 8.12 keeps TLS sessions in
    /// the easy handle. Returns nil if libcurl has no memory.
    init?(withCookies: Bool) {
        guard let raw = curl_share_init() else { return nil }
        self.raw = raw
        guard netchain_share_tls_sessions(raw) == CURLSHE_OK else { return nil }
        if withCookies, netchain_share_cookies(raw) != CURLSHE_OK { return nil }
    }

    deinit {
        curl_share_cleanup(raw)
    }
}

/// The stored cookies of an event loop, which its hops share through libcurl. Used by the loop's thread alone.
final class CookieJar {
    /// A handle with the shared cookies.
    private let easy: CurlEasyHandle
    /// What hops with cookies of their own share: all but the cookies.
    let shareWithoutCookies: CurlShareHandle

    /// Returns nil if libcurl has no memory.
    init?(_ share: CurlShareHandle) {
        guard let easy = CurlEasyHandle(), let other = CurlShareHandle(withCookies: false) else { return nil }
        self.easy = easy
        shareWithoutCookies = other
        easy.setShare(share)
        if easy.rejection != nil { return nil }
    }

    /// The cookies as lines of Netscape's file format.
    var lines: [[UInt8]] { easy.lines(CURLINFO_COOKIELIST) }

    func add(_ line: [UInt8]) {
        easy.set(CURLOPT_COOKIELIST, bytes: line)
    }

    /// Replaces the cookie by an expired one, which libcurl drops at its next use.
    func remove(_ line: [UInt8]) {
        var fields = CookieJar.fields(of: line)
        guard fields.count > 5 else { return }
        fields[4] = [UInt8(ascii: "1")]
        add(Array(fields.joined(separator: [CookieJar.tab])))
    }

    /// The name of a line's cookie.
    static func name(in line: [UInt8]) -> [UInt8] {
        let fields = fields(of: line)
        return fields.count > 5 ? Array(fields[5]) : []
    }

    /// Whether the time of expiration of a line's cookie has passed; a session's cookie has none.
    static func hasExpired(_ line: [UInt8]) -> Bool {
        let fields = fields(of: line)
        guard fields.count > 5, let expiration = Int(String(decoding: fields[4], as: UTF8.self)) else { return false }
        return expiration != 0 && expiration <= time(nil)
    }

    private static let tab = UInt8(ascii: "\t")

    /// Domain, whether it includes subdomains, path, whether it needs TLS, time of expiration, name, value.
    private static func fields(of line: [UInt8]) -> [ArraySlice<UInt8>] {
        line.split(separator: tab, omittingEmptySubsequences: false)
    }
}

/// The stored cookies of one hop whose request has cookies of its own.
///
/// Where names are equal, the request's cookie must replace the stored one, and libcurl would send both. So until the
/// response the hop has the stored cookies without those. Then they are added, because the response may remove one. What
/// the response changes is stored for all hops.
struct HopCookies {
    private let jar: CookieJar
    /// Stored cookies that the request replaces.
    private var withheld: [[UInt8]]
    /// The cookies of the hop before its response; nil until the response begins.
    private var known: Set<[UInt8]>?

    init(_ jar: CookieJar, for request: HttpRequest, on easy: CurlEasyHandle) {
        self.jar = jar
        let names = Set(HttpHeaders.cookieNames(in: request.headers.cookie ?? "").map { Array($0.utf8) })
        withheld = []
        for line in jar.lines {
            if names.contains(CookieJar.name(in: line)) {
                withheld.append(line)
            } else {
                easy.set(CURLOPT_COOKIELIST, bytes: line)
            }
        }
    }

    /// Adds the withheld cookies, when the response begins.
    mutating func responseBegins(on easy: CurlEasyHandle) {
        guard known == nil else { return }
        for line in withheld { easy.set(CURLOPT_COOKIELIST, bytes: line) }
        withheld = []
        known = Set(easy.lines(CURLINFO_COOKIELIST))
    }

    /// Stores what the head of the response has changed.
    mutating func store(from easy: CurlEasyHandle) {
        guard let known else { return }
        let now = Set(easy.lines(CURLINFO_COOKIELIST))
        // What has expired meanwhile was not removed by the response, and another hop may have renewed it.
        for line in known.subtracting(now) where !CookieJar.hasExpired(line) { jar.remove(line) }
        for line in now.subtracting(known) { jar.add(line) }
        self.known = now
    }
}
#endif
