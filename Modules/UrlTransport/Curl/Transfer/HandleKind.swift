#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

/// What the options of a handle depend on that are set once, before its first hop, besides the settings of the sender.
struct HandleKind: Equatable {
    let isHttps: Bool
    let mayBeHttp2: Bool
    /// Whether libcurl reports what it sends, and streams that a server of HTTP/2 refuses.
    let observesReports: Bool
    /// Whether the hop needs only these options and those that each hop sets. Only such hops use a handle
    /// that has performed another one.
    var isUsual: Bool

    init(_ plan: HopPlan, _ options: RequestOptions, observesReports: Bool) {
        isHttps = plan.origin.isHttps
        mayBeHttp2 = plan.mayBeHttp2
        self.observesReports = observesReports
        isUsual =
            plan.settings.hasUsualHops && plan.request.method == .get && !plan.hasBody && plan.unixSocket == nil
            && plan.hopLog == nil && !plan.needsNewConnection && !plan.usesConnectionOnce && plan.hasPlainUrl
            && options.onProgress == nil && options.destination.isMemory
            && (plan.request.headers.isEmpty || plan.request.headers["Host"] == nil)
    }
}

extension BodyDestination {
    fileprivate var isMemory: Bool {
        if case .memory = self { true } else { false }
    }
}

extension CurlEasyHandle {
    /// Sets the options that all hops of a kind share. Nothing here depends on a request.
    func setOptions(of kind: HandleKind, _ settings: CurlSettings, _ share: CurlShareHandle) {
        // What the request says is sent. libcurl would remove dot segments.
        set(CURLOPT_PATH_AS_IS, true)
        set(CURLOPT_NOSIGNAL, true)
        check(netchain_restrict_schemes(raw))
        netchain_leave_lookups_alone(raw)
        setShare(share)
        set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectTimeout)
        if kind.isHttps || settings.hasProxy { setTls(settings.configuration.tls) }
        if !settings.hasProxy { setNoProxy() }
        let version =
            switch settings.configuration.httpVersion {
            case .automatic where kind.mayBeHttp2: CURL_HTTP_VERSION_2TLS
            case .automatic, .http1: CURL_HTTP_VERSION_1_1
            case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
            }
        set(CURLOPT_HTTP_VERSION, Int(version))
        set(CURLOPT_MAXAGE_CONN, settings.idleTimeout)
        if let lifetime = settings.connectionLifetime { netchain_limit_connection_lifetime(raw, lifetime) }
        if settings.configuration.connections.maxIdle == 0 { set(CURLOPT_FORBID_REUSE, true) }
        let addresses = settings.configuration.addresses
        switch addresses.family {
        case .any: break
        case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        if let interface = addresses.interface { set(CURLOPT_INTERFACE, interface) }
        // The sender decodes bodies itself (``LibcurlWorkarounds``).
        set(CURLOPT_HTTP_CONTENT_DECODING, false)
        set(CURLOPT_HTTP_TRANSFER_DECODING, false)
        // By default, libcurl follows no redirects. But after a rejected `Expect` or rejected credentials it would send
        // the request again, as a redirect to the same URL. The limit of 0 prevents that.
        set(CURLOPT_MAXREDIRS, 0)
    }

    /// Makes libcurl use no proxy. Otherwise it would read each environment variable for each request. That takes time and
    /// is unsafe while another thread calls setenv(3).
    func setNoProxy() {
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
    }

    private func setTls(_ tls: CurlConfiguration.Tls) {
        if tls.trustRoots == .system { netchain_use_authority_file_alone(raw) }
        set(tls.server, .server)
        if !tls.pins.isEmpty { set(CURLOPT_PINNEDPUBLICKEY, tls.curlPins) }
    }

    func set(_ verification: CurlConfiguration.Tls.Verification, _ options: VerificationOptions) {
        if !verification.verifiesServer {
            set(options.verifiesPeer, false)
            set(options.verifiesHost, 0)
        }
        if case .file(let url) = verification.trustRoots {
            set(options.authorityFile, url.path)
            set(options.authorityFolder, nil as String?)
        }
        let version = verification.minimumVersion == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
        set(options.version, Int(version))
    }
}

/// libcurl's options for the verification of a peer.
struct VerificationOptions {
    let verifiesPeer, verifiesHost, authorityFile, authorityFolder, version: CURLoption

    static let server = VerificationOptions(
        verifiesPeer: CURLOPT_SSL_VERIFYPEER, verifiesHost: CURLOPT_SSL_VERIFYHOST, authorityFile: CURLOPT_CAINFO,
        authorityFolder: CURLOPT_CAPATH, version: CURLOPT_SSLVERSION)
    static let proxy = VerificationOptions(
        verifiesPeer: CURLOPT_PROXY_SSL_VERIFYPEER, verifiesHost: CURLOPT_PROXY_SSL_VERIFYHOST,
        authorityFile: CURLOPT_PROXY_CAINFO, authorityFolder: CURLOPT_PROXY_CAPATH, version: CURLOPT_PROXY_SSLVERSION)
}
#endif
