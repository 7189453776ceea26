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

    /// - Parameter isToMemoryAlone: whether the response goes to memory, without progress.
    init(_ plan: borrowing HopPlan, isToMemoryAlone: Bool, observesReports: Bool) {
        isHttps = plan.origin.isHttps
        mayBeHttp2 = plan.mayBeHttp2
        self.observesReports = observesReports
        isUsual =
            plan.settings.hasUsualHops && plan.request.method == .get && !plan.hasBody && plan.unixSocket == nil
            && plan.hopLog == nil && !plan.needsNewConnection && !plan.usesConnectionOnce && plan.hasPlainUrl
            && isToMemoryAlone && (plan.request.headers.isEmpty || plan.request.headers["Host"] == nil)
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
        if kind.isUsual, LibcurlWorkarounds.keepsLastHeader { set(CURLOPT_HEADER, true) }
        // Makes libcurl run the hop once a second. Without CURLOPT_LOW_SPEED_TIME it limits nothing.
        if kind.mayBeHttp2, LibcurlWorkarounds.mayForgetRefusedStreams { set(CURLOPT_LOW_SPEED_LIMIT, 1) }
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

/// Handles that have performed a hop, for later hops of the same kind. Used by the event loop's thread alone.
///
/// That saves 14 % of the instructions of a small request with libcurl 7.88, 16 at a time; with 8.14, 8 % of the processor
/// time; over HTTP/2, 10 % and 8 %. But no server and no request may have an effect on a later request. So:
/// - libcurl is 7.84 or newer (``LibcurlWorkarounds/canReuseHandles``), and `curl_easy_reset` isn't used: it keeps state.
/// - No response can reach the memory of an earlier one; before 8.1, a check of each header line ensures that
///   (``LibcurlWorkarounds/keepsLastHeader``).
/// - Only usual hops use such handles (``HandleKind/isUsual``). ``Hop/setUp(_:_:_:)`` sets the same options for each of
///   them; the others depend on the kind alone. `HandleOptionsTests` compares all with those of a new handle.
/// - A handle is kept after a success only: no error, no abort by a callback, a whole response.
/// - It performs at most ``mostHops``, so that what libcurl may collect in it has an end.
///
/// This can go when to create, set up and free a handle takes less than 5 % of a small request.
struct SpareHandles {
    private struct Spare {
        let kind: HandleKind
        let easy: CurlEasyHandle
        let lastUse: Moment
    }

    /// The most handles that an event loop keeps. More are freed.
    static let most = 64
    static let mostHops = 1_000
    /// How long a handle is kept without use; the event loop may check a minute later.
    private static let idleTimeout = Duration.seconds(60)

    /// The last one was kept last.
    private var all: [Spare] = []

    /// Removes and returns a handle of a kind; nil if there is none.
    mutating func take(_ kind: HandleKind) -> CurlEasyHandle? {
        guard kind.isUsual, let index = all.lastIndex(where: { $0.kind == kind }) else { return nil }
        return all.remove(at: index).easy
    }

    /// Keeps a handle whose hop has succeeded (``Hop/mayHandleBeUsedAgain(_:)``).
    mutating func add(_ easy: CurlEasyHandle, _ kind: HandleKind, lastUse: Moment) {
        guard easy.hops < Self.mostHops, all.count < Self.most else { return }
        easy.prepareForNextHop()
        all.append(Spare(kind: kind, easy: easy, lastUse: lastUse))
    }

    /// Frees handles that were not used for long.
    mutating func removeIdle(_ now: Moment) {
        guard let first = all.first, first.lastUse + Self.idleTimeout <= now else { return }
        all.removeAll { $0.lastUse + Self.idleTimeout <= now }
    }

    mutating func removeAll() {
        all = []
    }
}
#endif
