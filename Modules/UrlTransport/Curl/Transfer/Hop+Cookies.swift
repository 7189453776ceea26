#if os(Linux)
import CNetChainCurl
import HttpMessages

extension Hop {
    /// Whether the request has cookies of its own, beside stored ones.
    var keepsCookiesApart: Bool { configuration.cookies == .memory && request.headers.cookie != nil }

    func keepCookiesApart(from jar: CookieJar) {
        easy.set(CURLOPT_SHARE, jar.shareWithoutCookies.raw)
        cookies = HopCookies(jar, for: request, on: easy)
    }
}
#endif
