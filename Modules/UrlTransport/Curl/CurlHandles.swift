#if os(Linux)
import CNetChainCurl

/// One libcurl easy handle with what its settings point to. Used by one thread at a time: the loop's.
final class CurlEasyHandle {
    let raw: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// Why libcurl didn't take a setting, the first such: without it a transfer would not be what was asked for, and
    /// with a pin of the server's key, for instance, not safe.
    private(set) var refusal: CURLcode?
    /// The transfer under way: what libcurl's callbacks are about.
    var transfer: CurlTransfer? {
        didSet { called = transfer.map(Unmanaged.passUnretained) }
    }

    /// The same for the callbacks, of which each would count its reference.
    private var called: Unmanaged<CurlTransfer>?
    /// What the settings were made for, where the next transfer may use them as they are.
    private var shape: CurlTransferShape?
    private var url: String?
    /// Its parts, where it was taken apart.
    private var urlParts: OpaquePointer?

    /// nil when libcurl has no memory for it.
    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        prepare()
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        curl_url_cleanup(urlParts)
        errorText.deallocate()
    }

    /// Forgets all settings; connections and TLS sessions live in the multi handle and stay.
    func reset() {
        // libcurl forgets this list without freeing it (as of 7.88).
        netchain_set_string(raw, CURLOPT_COOKIEFILE, nil)
        curl_easy_reset(raw)
        curl_slist_free_all(headerList)
        headerList = nil
        shape = nil
        url = nil
        prepare()
    }

    /// Gets ready for the next transfer. Returns whether the settings of the last one serve it, all but the URL.
    func begin(_ shape: CurlTransferShape?) -> Bool {
        if let shape, shape == self.shape {
            errorText[0] = 0
            return true
        }
        if self.shape != nil { reset() }
        return false
    }

    /// Keeps the settings for transfers of the same shape.
    func keep(for shape: CurlTransferShape?) {
        self.shape = refusal == nil ? shape : nil
    }

    /// Ends the transfer; settings that may serve another one stay.
    func end(isSuccess: Bool) {
        transfer = nil
        if shape == nil || !isSuccess { reset() }
    }

    /// Calls `body` with the transfer under way of the handle that a callback of libcurl's was given.
    static func withTransfer<Result>(
        of context: UnsafeMutableRawPointer?, else fallback: Result, _ body: (CurlTransfer) -> Result
    ) -> Result {
        guard let context else { return fallback }
        // The loop holds the handle, and the handle the transfer, as long as libcurl may call.
        return Unmanaged<CurlEasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { handle in
            guard let called = handle.called else { return fallback }
            return called._withUnsafeGuaranteedRef(body)
        }
    }

    /// The handle that libcurl tells of.
    static func of(_ raw: UnsafeMutableRawPointer) -> CurlEasyHandle? {
        var context: UnsafePointer<CChar>?
        guard netchain_get_string(raw, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
        return Unmanaged<CurlEasyHandle>.fromOpaque(UnsafeRawPointer(context)).takeUnretainedValue()
    }

    /// Where the transfer goes.
    ///
    /// A URL that is written as nearly all are is handed over taken apart too. libcurl would take the text apart for each
    /// transfer and put it together again, which is a tenth of a small request. Others are a text alone: the copy that
    /// libcurl makes of the parts loses the zone of an address (before 8.3).
    func set(url text: String, isPlain: Bool) {
        guard text != url else { return }
        // The parts before the text, which newer versions forget when they are given parts.
        set(CURLOPT_CURLU, isPlain ? takeApart(text).map { UnsafeMutableRawPointer($0) } : nil)
        set(CURLOPT_URL, text)
        url = text
    }

    /// nil for what is no URL to libcurl, which then says so itself when the transfer begins.
    private func takeApart(_ text: String) -> OpaquePointer? {
        urlParts = urlParts ?? curl_url()
        guard let urlParts else { return nil }
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
        let result = text.withCString { curl_url_set(urlParts, CURLUPART_URL, $0, flags) }
        return result == CURLUE_OK ? urlParts : nil
    }

    private func prepare() {
        errorText[0] = 0
        refusal = nil
        note(netchain_set_pointer(raw, CURLOPT_ERRORBUFFER, errorText))
        note(netchain_set_pointer(raw, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque()))
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
        guard curlIsReady, let poller = CurlPoller(idleConnections: idleConnections), let raw = curl_multi_init() else {
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

    /// Cookies.
    static func cookies() -> CurlShareHandle? {
        CurlShareHandle(netchain_share_cookies)
    }

    /// Connections.
    static func connections() -> CurlShareHandle? {
        CurlShareHandle(netchain_share_connections)
    }
}

/// libcurl's process-wide set-up, once.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
#endif
