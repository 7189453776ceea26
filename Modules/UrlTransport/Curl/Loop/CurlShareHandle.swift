#if os(Linux)
import CNetChainCurl

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
#endif
