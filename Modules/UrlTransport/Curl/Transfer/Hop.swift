#if os(Linux)
import CNetChainCurl
import FoundationEssentials
import HttpMessages

/// One exchange with a server, while libcurl performs it. A redirect's next hop and a second sending are separate
/// hops. Used by the event loop's thread alone.
final class Hop {
    /// The first property, so that it is released first: libcurl may call back while it cleans the handle up.
    let easy: CurlEasyHandle
    /// What ``easy`` is used for. It is no longer usual after an option was set during the hop.
    @exclusivity(unchecked) var kind: HandleKind
    let transfer: CurlTransfer
    let plan: HopPlan
    /// The connections of the origin that the hop may use.
    let part: Pool.Part
    let multi: CurlMultiHandle
    let table: ConnectionTable
    @exclusivity(unchecked) var exchange = Exchange()
    /// The fields of the last head.
    @exclusivity(unchecked) var headers = HeaderBlock()
    @exclusivity(unchecked) var connection = HopConnection()
    @exclusivity(unchecked) var times = HopTimes()
    /// The hop's cookies, if it keeps them apart from the shared ones.
    var cookies: HopCookies?
    /// Detects a stall, for a limit with a fraction of a second.
    var stallClock: StallClock?
    /// False once the limits of time have ended: see ``endTimeLimits()``.
    var hasTimeLimits = true
    /// The trace for a recorder; nil without one.
    @exclusivity(unchecked) var trace: HopTrace?
    /// libcurl's result; nil while it performs the hop.
    @exclusivity(unchecked) var result: CURLcode?

    /// Returns nil if libcurl has no memory.
    init?(
        _ transfer: CurlTransfer, _ table: ConnectionTable, _ part: Pool.Part, _ multi: CurlMultiHandle,
        _ spares: inout SpareHandles
    ) {
        let plan = transfer.plan
        trace = HopTrace(plan.hopLog)
        if plan.mayBeHttp2, !plan.request.mayBeSentTwice { table.observesStreams = true }
        kind = HandleKind(
            plan, transfer.options, observesReports: trace != nil || plan.mayBeHttp2 && table.observesStreams)
        guard let easy = spares.take(kind) ?? CurlEasyHandle() else { return nil }
        self.easy = easy
        self.plan = plan
        self.transfer = transfer
        self.part = part
        self.multi = multi
        self.table = table
        easy.hop = self
    }

    /// Returns the hop of a callback. While libcurl may call back, the event loop retains the transfer, and the transfer
    /// its hop, except while the hop is being released with its handle.
    static func of(_ context: UnsafeRawPointer?) -> Hop? {
        guard let context else { return nil }
        let hop = Unmanaged<CurlEasyHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.hop }
        return hop.map { unsafeDowncast($0, to: Hop.self) }
    }

    static func of(easy: UnsafeMutableRawPointer) -> Hop? {
        var context: UnsafePointer<CChar>?
        guard netchain_get_string(easy, CURLINFO_PRIVATE, &context) == CURLE_OK else { return nil }
        return of(context)
    }

    /// Whether another hop may use the handle, which libcurl has completed with this result.
    func mayHandleBeUsedAgain(_ result: CURLcode) -> Bool {
        kind.isUsual && result == CURLE_OK && exchange.abortReason == nil && hasWholeResponse
            // Of an address that didn't connect, for instance. libcurl 8.5 would report it for the next hop, too.
            && easy.long(CURLINFO_OS_ERRNO) == 0
    }

    /// Whether libcurl has begun the hop. Before that, a handle that is used again reports its last hop.
    var hasBegun: Bool { times.sendStart != nil || connection.openedSocket != nil || result != nil }

    var request: HttpRequest { plan.request }

    var configuration: CurlConfiguration { plan.settings.configuration }

    /// Whether the final response was received to its end, whatever became of the request's body.
    var hasWholeResponse: Bool { transfer.responseBody?.isWhole ?? false }
}

struct HopTimes {
    /// When the hop was passed to libcurl.
    let start = Moment.now
    var sendStart: Moment?
    var firstByte: Moment?
    var lastProgress: Moment?
}

/// Records what libcurl sends in a hop, and when. Only libcurl knows the headers that it adds, so its debug callback
/// reports each piece of data.
struct HopTrace {
    let hopLog: HopLog
    /// The head of the request as libcurl sent it.
    private(set) var sentHead: [UInt8] = []
    private(set) var lastSent: ContinuousClock.Instant?
    /// The status line of the last head.
    var statusLine: [UInt8] = []

    /// Returns nil without an open log.
    init?(_ hopLog: HopLog?) {
        guard let hopLog, hopLog.isOpen else { return nil }
        self.hopLog = hopLog
    }

    mutating func didSend(_ type: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch type {
        case CURLINFO_HEADER_OUT:
            // Another head after a complete one: the request after CONNECT, or the same request over another
            // connection.
            if sentHead.suffix(4).elementsEqual("\r\n\r\n".utf8) { sentHead = [] }
            sentHead.append(contentsOf: bytes)
            lastSent = .now
        case CURLINFO_DATA_OUT: lastSent = .now
        default: break
        }
    }

    /// Writes the result of the hop to the log.
    ///
    /// - Parameters:
    ///   - response: the response as received, complete or not.
    ///   - headerBytes: bytes of the response's fields.
    func write(_ response: HttpResponse?, _ failure: TransportError?, headerBytes: Int) {
        let wentToProxy = sentHead.starts(with: "CONNECT ".utf8)
        hopLog.end { hop in
            hop.sentHead = wentToProxy ? [] : sentHead
            hop.lastSent = lastSent
            hop.response = response
            hop.failure = failure
            hop.statusLine = response == nil ? [] : statusLine
            hop.responseHeadSize = statusLine.count + headerBytes + 2
        }
    }
}

/// What a hop sends, where, and what it may do. It is decided before libcurl performs the hop.
struct HopPlan {
    /// The caller's request, or the request that follows a redirect.
    var request: HttpRequest
    /// The server, as libcurl reads the request's URL.
    let origin: Origin
    /// Whether the URL has the plain form of most URLs (``Origin/init(plain:)``).
    let hasPlainUrl: Bool
    /// Whether the hop must not use an existing connection.
    var needsNewConnection = false
    /// Whether the server has rejected HTTP/2 (``Pool/requiresHttp1``).
    var requiresHttp1 = false
    /// Whether a redirect has led to another origin, even if a later one led back. The request's Unix domain socket and a
    /// client certificate without `origins` are for the first origin, and are not used after that.
    private(set) var hasLeftOrigin = false
    /// Whether libcurl has to send a body, which may be of zero bytes: these methods expect one (RFC 9110 §8.6).
    let hasBody: Bool
    /// The path of the Unix domain socket that the hop uses; nil for TCP.
    private(set) var unixSocket: String?
    /// Records the hop; nil without a recorder.
    let hopLog: HopLog?
    let settings: CurlSettings

    init(_ request: HttpRequest, _ settings: CurlSettings, hopLog: HopLog? = nil) {
        self.request = request
        let plain = Origin(plain: request.url)
        hasPlainUrl = plain != nil
        origin = plain ?? Origin(asLibcurlReads: request.url) ?? Origin(request.url)
        hasBody =
            !request.body.isEmpty || request.method == .post || request.method == .put || request.method == .patch
        unixSocket = request.options.unixSocket
        self.hopLog = hopLog
        self.settings = settings
    }

    /// Returns the plan of the hop that follows this one.
    func nextPlan(for request: HttpRequest) -> HopPlan {
        var next = HopPlan(request, settings, hopLog: hopLog)
        next.hasLeftOrigin = hasLeftOrigin || next.origin != origin
        if next.hasLeftOrigin { next.unixSocket = nil }
        return next
    }

    /// The request's URL as libcurl gets it.
    var urlText: String { hasPlainUrl ? request.url.absoluteString : request.url.textForLibcurl }

    /// Whether the hop may go through a proxy.
    var mayUseProxy: Bool { settings.hasProxy && unixSocket == nil }

    /// Whether the connection may speak HTTP/2. Without TLS nothing is negotiated.
    var mayBeHttp2: Bool {
        switch settings.configuration.httpVersion {
        case .automatic:
            !requiresHttp1 && origin.isHttps && LibcurlWorkarounds.supportsHttp2
                && LibcurlWorkarounds.maySendOverHttp2(request.body)
        case .http1: false
        case .http2PriorKnowledge: true
        }
    }

    /// Whether the hop gets a new connection, which is closed after it. libcurl doesn't report which connection to a Unix
    /// domain socket it would use again, old versions report none, and one version can't reuse HTTP/2 without TLS
    /// (``LibcurlWorkarounds``).
    var usesConnectionOnce: Bool {
        !LibcurlWorkarounds.asksBeforeSending || unixSocket != nil
            || mayBeHttp2 && !origin.isHttps && !LibcurlWorkarounds.canReusePlainHttp2
    }

    /// Whether the hop may use a connection at the same time as other requests.
    var sharesConnections: Bool {
        mayBeHttp2 && !usesConnectionOnce && settings.configuration.connections.maxIdle > 0
    }

    /// Whether the server may receive the certificate.
    ///
    /// libcurl reuses connections and TLS sessions only between transfers with the same certificate, or between
    /// transfers without one.
    func mayShow(_ certificate: CurlConfiguration.Tls.ClientCertificate) -> Bool {
        guard let origins = certificate.origins else { return !hasLeftOrigin }
        return origins.contains { Origin(asLibcurlReads: $0) == origin }
    }

    /// Returns the request that a redirect with this status leads to. ``RedirectRule`` says which headers it has.
    ///
    /// - Parameters:
    ///   - target: the `Location`.
    ///   - count: the number of redirects that were followed before this one.
    ///   - original: the request that errors describe.
    func redirected(
        _ status: Int, to target: String, count: Int, original: HttpRequest
    ) throws(TransportError) -> HttpRequest {
        // libcurl parses the URL, because another parser could derive another origin.
        try RedirectRule(settings.configuration.redirects).next(
            after: request, status: status, to: target, count: count, original: original
        ) {
            Origin(asLibcurlReads: $0)
        }
    }
}

/// What is known of the connection that a hop uses.
struct HopConnection {
    /// The connection that the request was sent over; nil while it is unknown.
    var used: Connection?
    /// The socket that was opened last for this hop.
    var openedSocket: Int32?
    /// The `errno` of the last socket that couldn't be opened; 0 for none. libcurl doesn't report it.
    var socketError: Int32 = 0
    /// The TLS session of ``used``, if streams are observed.
    var tlsSession: UnsafeRawPointer?
    /// The number of the request's stream, with HTTP/2.
    var stream: Int?
    /// Whether the server requested a client certificate in the TLS handshake of a new connection.
    var hasCertificateRequest = false
    /// Whether the server has announced the end of its data (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false

    /// Whether the server has said that it doesn't process the request's stream.
    var isExcluded: Bool {
        guard let stream, let last = used?.lastStream else { return false }
        return stream > last
    }
}
#endif
