#if os(Linux)
import FoundationEssentials
import HttpMessages

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

    init(_ request: HttpRequest, _ settings: CurlSettings, plainOrigin: Origin? = nil, hopLog: HopLog? = nil) {
        self.request = request
        let plain = plainOrigin ?? Origin(plain: request.url)
        hasPlainUrl = plain != nil
        origin = plain ?? Origin(asLibcurlReads: request.url) ?? Origin(request.url)
        hasBody =
            !request.body.isEmpty || request.method == .post || request.method == .put || request.method == .patch
        unixSocket = request.unixSocket
        hasLeftOrigin = request.isLinkToOtherOrigin
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

    /// Whether libcurl counts each written byte of the request over HTTP/1. Over TLS it counts what it passes to OpenSSL
    /// when all of that is written. So the server may read the first records (16 KB) of a larger request uncounted.
    var isCountedExactly: Bool {
        guard origin.isHttps || mayUseProxy else { return true }
        guard let body = request.body.isEmpty ? 0 : request.body.length, body <= 4 << 10 else { return false }
        // The rest of a record is for the cookies that libcurl adds, at most 8 KB, and for other fields.
        let head = request.headers.reduce(urlText.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        return head <= 2 << 10
    }

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

    /// Returns the request that a redirect with this status leads to. ``RedirectRule`` says which headers it
    /// has, besides those for a proxy.
    ///
    /// - Parameters:
    ///   - target: the `Location`.
    ///   - count: the number of redirects that were followed before this one.
    ///   - original: the request that errors describe.
    func redirected(
        _ status: Int, to target: String, count: Int, original: HttpRequest
    ) throws(TransportError) -> HttpRequest {
        // libcurl parses the URL, because another parser could derive another origin.
        var next = try RedirectRule(settings.configuration.redirects).next(
            after: request, status: status, to: target, count: count, original: original
        ) {
            Origin(asLibcurlReads: $0)
        }
        // It is for the proxy, whatever the origin (RFC 9110 §11.7.2). The environment has a proxy for each scheme.
        let isSameProxy =
            if case .url = settings.configuration.proxy { true } else { next.url.scheme == request.url.scheme }
        let name = "Proxy-Authorization"
        if isSameProxy, next.headers[name] == nil {
            for value in request.headers.values(of: name) { next.headers.add(name: name, value: value) }
        }
        return next
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
