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

    /// Creates a share of connections.
    static func connections() -> CurlShareHandle? {
        CurlShareHandle(netchain_share_connections)
    }
}

/// Has libcurl forget the connection of a completed transfer, so that it doesn't search all connections for it
/// (``LibcurlWorkarounds``). It saves an eighth of the processor time of a small request with 3,500 connections.
struct ConnectionForgetting {
    /// The number of connections up to which the search costs less.
    private static let fewConnections = 1_000

    /// A share without connections; nil if this libcurl doesn't forget connections.
    private lazy var none: CurlShareHandle? = .connections()

    /// Forgets the connection of a completed transfer. The share of a transfer in progress must not change.
    mutating func forget(_ easy: CurlEasyHandle, _ share: CurlShareHandle, connectionCount: Int) {
        guard connectionCount > Self.fewConnections, let none else { return }
        if netchain_forget_connection(easy.raw, none.raw, share.raw) == 0 { self.none = nil }
    }
}
#endif
