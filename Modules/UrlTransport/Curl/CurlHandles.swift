#if os(Linux)
import CNetChainCurl

/// One libcurl easy handle with what its settings point to. Used by the loop's thread only.
///
/// A handle performs one transfer: a redirect's next hop and a second try have their own. `curl_easy_reset` keeps state
/// that a server can use against the next transfer, in another set with each version of libcurl: the last header (a
/// double free in 7.84.0 to 8.0.1), the host that cookies are looked up for, the count of retries, the last `errno`.
/// What transfers share is in the multi handle (connections, addresses) and in ``CurlShareHandle``.
final class CurlEasyHandle {
    let raw: UnsafeMutableRawPointer
    /// What libcurl's callbacks are about.
    let transfer: CurlTransfer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// Why libcurl didn't take a setting, the first such: without it a transfer would not be what was asked for, and
    /// with a pin of the server's key, for instance, not safe.
    private(set) var refusal: CURLcode?

    /// nil when libcurl has no memory for it.
    init?(_ transfer: CurlTransfer) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        self.transfer = transfer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText[0] = 0
        note(netchain_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText))
        note(netchain_set_pointer(raw, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque()))
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Calls `body` with the transfer of the handle that a callback of libcurl's was given.
    static func withTransfer<Result>(
        of context: UnsafeMutableRawPointer?, else fallback: Result, _ body: (CurlTransfer) -> Result
    ) -> Result {
        guard let context else { return fallback }
        // The transfer holds the handle, and the loop the transfer, as long as libcurl may call.
        return Unmanaged<CurlEasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0.transfer) }
    }

    /// The handle that libcurl tells of.
    static func of(_ raw: UnsafeMutableRawPointer) -> CurlEasyHandle? {
        var context: UnsafePointer<CChar>?
        guard netchain_get_string(raw, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
        return Unmanaged<CurlEasyHandle>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue()
    }

    private func note(_ result: CURLcode) {
        if result != CURLE_OK, refusal == nil { refusal = result }
    }

    /// What libcurl said of the last failure; empty when it said nothing.
    var errorMessage: String {
        String(cString: errorText)
    }

    func set(_ option: CURLoption, _ value: Int) {
        note(netchain_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, _ value: Bool) {
        note(netchain_set_long(raw, option, value ? 1 : 0))
    }

    func set(_ option: CURLoption, offset value: Int64) {
        note(netchain_set_offset(raw, option, curl_off_t(value)))
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String?) {
        // Passed as it is, the text would be copied once more.
        if let value {
            value.withCString { note(netchain_set_string(raw, option, $0)) }
        } else {
            note(netchain_set_string(raw, option, nil))
        }
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        note(netchain_set_pointer(raw, option, value))
    }

    func set(headers lines: [String]) {
        curl_slist_free_all(headerList)
        headerList = nil
        for line in lines {
            let extended = line.withCString { curl_slist_append(headerList, $0) }
            if let extended { headerList = extended }
        }
        note(netchain_set_list(raw, CURLOPT_HTTPHEADER, headerList))
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        netchain_get_long(raw, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        netchain_get_offset(raw, info, &value)
        return Int64(value)
    }

    func string(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        netchain_get_string(raw, info, &value)
        return value.map { String(cString: $0) }
    }

    /// A time, which libcurl gives in microseconds.
    func duration(_ info: CURLINFO) -> Duration {
        .microseconds(offset(info))
    }
}

/// One libcurl multi handle: it owns the connections. All but `wakeUp` is for the loop's thread alone.
final class CurlMultiHandle: @unchecked Sendable {  // the loop's thread only, but for `wakeUp`
    let raw: UnsafeMutableRawPointer
    let poller: CurlPoller
    private var isOpen = true

    init?(idleConnections: Int) {
        guard curlSetUp.isReady, let poller = CurlPoller(idleConnections: idleConnections), let raw = curl_multi_init()
        else {
            return nil
        }
        self.raw = raw
        self.poller = poller
        poller.limitConnections(of: raw)
    }

    deinit {
        close()
    }

    /// Closes all connections. Nothing of the handle may be used afterwards, but `wakeUp` and `close` may be called.
    func close() {
        if isOpen { curl_multi_cleanup(raw) }
        isOpen = false
    }

    /// Ends the wait under way, or the next one. May be called from any thread.
    func wakeUp() {
        poller.wakeUp()
    }
}

/// What easy handles of one loop share. Only the loop's thread uses it, so it needs no locks.
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

/// libcurl's process-wide set-up, once. libcurl reads `SSLKEYLOGFILE` there and not later.
private let curlSetUp = (
    isReady: curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, hasKeyLog: netchain_environment_has_key_log() != 0
)

/// Whether the environment has libcurl log TLS keys: now, or when libcurl was set up. The set-up creates the file, so the
/// environment is checked first.
var curlHasKeyLog: Bool { netchain_environment_has_key_log() != 0 || curlSetUp.hasKeyLog }
#endif
