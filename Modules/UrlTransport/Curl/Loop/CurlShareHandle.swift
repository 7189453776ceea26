#if os(Linux)
import CNetChainCurl

/// Owns a libcurl share handle for the easy handles of one event loop. Only the loop's thread uses it, so it has no
/// locks.
final class CurlShareHandle {
    let raw: UnsafeMutableRawPointer

    private init?(_ choose: (UnsafeMutableRawPointer) -> CURLSHcode) {
        guard let raw = curl_share_init() else { return nil }
        self.raw = raw
        guard choose(raw) == CURLSHE_OK else { return nil }
    }

    deinit {
        curl_share_cleanup(raw)
    }

    /// Creates a share of TLS sessions and, with `withCookies`, of cookies. Without the share, libcurl before 8.12
    /// keeps TLS sessions in the easy handle.
    static func sessions(withCookies: Bool) -> CurlShareHandle? {
        CurlShareHandle { raw in
            let result = netchain_share_tls_sessions(raw)
            return withCookies && result == CURLSHE_OK ? netchain_share_cookies(raw) : result
        }
    }
}
#endif
