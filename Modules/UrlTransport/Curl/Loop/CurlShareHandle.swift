#if os(Linux)
import CNetChainCurl

/// What the easy handles of one event loop share. Only its thread uses it, so it needs no locks.
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

    /// TLS sessions, which versions before 8.12 keep in the easy handle otherwise, and cookies where they are kept.
    static func sessions(withCookies: Bool) -> CurlShareHandle? {
        CurlShareHandle { raw in
            let result = netchain_share_tls_sessions(raw)
            return withCookies && result == CURLSHE_OK ? netchain_share_cookies(raw) : result
        }
    }

    /// Connections.
    static func connections() -> CurlShareHandle? {
        CurlShareHandle(netchain_share_connections)
    }
}

/// Has libcurl forget the connection of a completed transfer, so that it doesn't walk all connections to find it
/// (``LibcurlWorkarounds``).
struct ConnectionForgetting {
    /// Up to this many connections, the walk costs less.
    private static let fewConnections = 128

    /// A share that never has a connection; nil once libcurl is known not to forget.
    private lazy var none: CurlShareHandle? = .connections()

    /// Only for a transfer that libcurl has completed: what one in progress shares must not change.
    mutating func forget(_ easy: CurlEasyHandle, _ share: CurlShareHandle, connectionCount: Int) {
        guard connectionCount > Self.fewConnections, let none else { return }
        if netchain_forget_connection(easy.raw, none.raw, share.raw) == 0 { self.none = nil }
    }
}
#endif
