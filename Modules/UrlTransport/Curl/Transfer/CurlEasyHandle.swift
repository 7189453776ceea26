#if os(Linux)
import CNetChainCurl
import Glibc

/// Owns one libcurl easy handle and the memory that its options point to. Used by the event loop's thread alone.
///
/// A handle performs one hop, or several of one kind: see ``SpareHandles``. Hops share what is in the multi handle
/// (connections, addresses) and in ``CurlShareHandle``.
final class CurlEasyHandle {
    let raw: UnsafeMutableRawPointer
    /// The ``Hop`` that the handle performs, which owns the handle; nil while no hop does. Callbacks find it here, so that
    /// none sees an earlier hop.
    @exclusivity(unchecked) unowned(unsafe) var hop: AnyObject?
    /// The number of hops that the handle has performed.
    @exclusivity(unchecked) var hops = 0
    private let errorText: UnsafeMutablePointer<CChar>
    // What libcurl has references to.
    @exclusivity(unchecked) private var headerLines: CurlList?
    @exclusivity(unchecked) private var addresses: CurlList?
    private var proxyHeaderLines: CurlList?
    @exclusivity(unchecked) private var url: ParsedUrl?
    private var share: CurlShareHandle?
    /// The first error of an option. The transfer must not start then: it may lack a security setting, such as a pinned
    /// public key.
    @exclusivity(unchecked) private(set) var rejection: CURLcode?

    /// Returns nil if libcurl can't allocate a handle.
    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText[0] = 0
        set(CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_PRIVATE, context)
    }

    deinit {
        curl_easy_cleanup(raw)
        errorText.deallocate()
    }

    /// What libcurl passes to callbacks.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Removes what the last hop has left, before the options of another one are set.
    func prepareForNextHop() {
        hop = nil
        errorText[0] = 0
    }

    func check(_ result: CURLcode) {
        if result != CURLE_OK, rejection == nil { rejection = result }
    }

    /// libcurl's message about the last failure; empty when there is none.
    var errorMessage: String {
        String(cString: errorText)
    }

    func set(_ option: CURLoption, _ value: Int) {
        check(netchain_set_long(raw, option, value))
    }

    func set(_ option: CURLoption, _ value: Bool) {
        check(netchain_set_long(raw, option, value ? 1 : 0))
    }

    func set(_ option: CURLoption, offset value: Int64) {
        check(netchain_set_offset(raw, option, curl_off_t(value)))
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String?) {
        // Passing the optional itself would copy the text first.
        guard let value else { return check(netchain_set_string(raw, option, nil)) }
        value.withCString { check(netchain_set_string(raw, option, $0)) }
    }

    /// libcurl copies the text, which contains no NUL.
    func set(_ option: CURLoption, bytes: [UInt8]) {
        CurlList.withCString(bytes) { check(netchain_set_string(raw, option, $0)) }
    }

    /// Sets the URL. A parsed one is the same as `text`: libcurl copies it, where it would parse, compose and print the
    /// text. That saves 8 % of the instructions of a small request.
    func setUrl(_ text: String, _ parsed: ParsedUrl?) {
        // First, because libcurl 8.12 and newer drops the text with it.
        set(CURLOPT_CURLU, parsed.map { UnsafeMutableRawPointer($0.raw) })
        url = parsed
        set(CURLOPT_URL, text)
    }

    /// Shares what the share handle has.
    func setShare(_ share: CurlShareHandle) {
        set(CURLOPT_SHARE, share.raw)
        self.share = share
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        check(netchain_set_pointer(raw, option, value))
    }

    /// Sets an option with a list, whose last lines are `bytes`.
    func set(_ option: CURLoption, _ lines: [String], bytes: [[UInt8]] = []) {
        guard let list = CurlList(lines, bytes: bytes) else { return check(CURLE_OUT_OF_MEMORY) }
        set(option, list)
    }

    /// Sets an option with a list, which other handles may have, too; nil for none.
    func set(_ option: CURLoption, _ list: CurlList?) {
        check(netchain_set_list(raw, option, list?.raw))
        switch option {
        case CURLOPT_HTTPHEADER: headerLines = list
        case CURLOPT_RESOLVE: addresses = list
        default: proxyHeaderLines = list
        }
    }

    /// Whether TLS has decrypted bytes of the connection that libcurl has not read.
    var hasDecryptedBytes: Bool {
        netchain_has_decrypted_bytes(
            raw, UnsafeMutableRawPointer(bitPattern: tlsPending.openssl),
            UnsafeMutableRawPointer(bitPattern: tlsPending.gnutls)) != 0
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

    /// The lines of a list, as bytes: what a server sent need not be UTF-8.
    func lines(_ info: CURLINFO) -> [[UInt8]] {
        var list: UnsafeMutablePointer<curl_slist>?
        netchain_get_list(raw, info, &list)
        defer { curl_slist_free_all(list) }
        var lines: [[UInt8]] = []
        var next = list
        while let line = next {
            if let text = line.pointee.data {
                lines.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
            }
            next = line.pointee.next
        }
        return lines
    }

    /// A time, which libcurl reports in microseconds.
    func duration(_ info: CURLINFO) -> Duration {
        .microseconds(offset(info))
    }
}

/// Owns a list of libcurl. Easy handles only read it, so several may share it.
final class CurlList: @unchecked Sendable {  // immutable
    /// nil for an empty list.
    let raw: UnsafeMutablePointer<curl_slist>?

    /// Creates a list, whose last lines are `bytes`, without a NUL. Returns nil if libcurl has no memory.
    init?(_ lines: [String], bytes: [[UInt8]] = []) {
        var list: UnsafeMutablePointer<curl_slist>?
        func append(_ line: UnsafePointer<CChar>) -> Bool {
            guard let extended = curl_slist_append(list, line) else { return false }
            list = extended
            return true
        }
        let isWhole =
            lines.allSatisfy { $0.withCString(append) } && bytes.allSatisfy { Self.withCString($0, append) }
        raw = list
        if !isWhole { return nil }
    }

    deinit {
        curl_slist_free_all(raw)
    }

    static func withCString<Result>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        var text = bytes.map { CChar(bitPattern: $0) }
        text.append(0)
        return text.withUnsafeBufferPointer { text in
            // A buffer with an element has an address.
            text.baseAddress.map(body) ?? body("")
        }
    }
}
#endif
