public import Logging
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An HTTP request: the output of the request-building nodes, and the input of a ``RequestSender``.
///
/// ```swift
/// request.method                                // "\(…)" is GET, POST, …
/// request.url.path(percentEncoded: true)        // as it is sent; so is query(percentEncoded: true)
/// request.headers["Accept"] = "text/html"
/// try request.body.read()                       // throws for a stream, which only the sender reads
/// ```
///
/// Whatever belongs to one sending only, such as an access token, is added in `RequestCreatorNode`. Before that node
/// the request can be sent again.
public struct HttpRequest: AdmissionCarrying {
    private struct Members: Sendable {
        var method: HttpMethod
        var url: URL
        var headers: HttpHeaders
        var body: RequestBody
        var attempt: Int
        var options: RequestOptions
        var admissions: [any Admission] = []
        var credentialsOrigin: Origin?
        var madeAt: LogicalTime?
        var wait: RequestWait?
    }

    private var storage: CopyOnWrite<Members>

    /// The method.
    public var method: HttpMethod {
        get { storage.members.method }
        _modify { yield &storage.members.method }
    }

    /// The URL, query included. Its path and query are sent as they are, but libcurl 8.8 and later leave out a `?` without
    /// a query.
    public var url: URL {
        get { storage.members.url }
        _modify { yield &storage.members.url }
    }

    /// The headers. Downstream of `RequestCreatorNode` they include those of the metadata providers.
    public var headers: HttpHeaders {
        get { storage.members.headers }
        _modify { yield &storage.members.headers }
    }

    /// The body.
    public var body: RequestBody {
        get { storage.members.body }
        _modify { yield &storage.members.body }
    }

    /// The number of this sending of the request, counted from 1.
    public var attempt: Int {
        get { storage.members.attempt }
        _modify { yield &storage.members.attempt }
    }

    /// The request's options for the sender. A chain creates the request with them.
    public var options: RequestOptions {
        get { storage.members.options }
        _modify { yield &storage.members.options }
    }

    /// Whether the response is written to a file in several attempts. Unlike ``options``, it copies nothing.
    package var isResumedDownload: Bool {
        if case .file(_, true) = storage.members.options.destination { true } else { false }
    }

    /// Whether a link of a response led to another origin. Unlike ``options``, it copies nothing.
    package var isLinkToOtherOrigin: Bool { storage.members.options.isLinkToOtherOrigin }

    #if os(Linux)
    /// The path of the Unix domain socket. Unlike ``options``, it copies nothing.
    package var unixSocket: String? { storage.members.options.unixSocket }
    #endif

    /// The admissions that the gates granted.
    package var admissions: [any Admission] {
        get { storage.members.admissions }
        _modify { yield &storage.members.admissions }
    }

    /// The origin that the chain's credentials are for, where middleware has sent the request elsewhere; nil for that of
    /// ``url``.
    package var credentialsOrigin: Origin? {
        get { storage.members.credentialsOrigin }
        _modify { yield &storage.members.credentialsOrigin }
    }

    /// Whether the chain's credentials are for another origin.
    package var isElsewhere: Bool { credentialsOrigin.map { $0 != Origin(url) } ?? false }

    /// When the chain was called that sends the request; nil for a request that no chain has made.
    package var madeAt: LogicalTime? {
        get { storage.members.madeAt }
        _modify { yield &storage.members.madeAt }
    }

    /// Whether only a cache responds to the request.
    package var isForCacheOnly: Bool { options.cacheMode == .onlyIfCached && !options.lacksCache }

    /// What the request waits for before it is sent, for the error of a deadline; nil for a request without one.
    package var wait: RequestWait? {
        get { storage.members.wait }
        _modify { yield &storage.members.wait }
    }

    /// Creates a request.
    public init(
        method: HttpMethod, url: URL, headers: HttpHeaders = HttpHeaders(), body: RequestBody = .empty,
        attempt: Int = 1,
        options: RequestOptions = RequestOptions()
    ) {
        storage = CopyOnWrite(
            Members(method: method, url: url, headers: headers, body: body, attempt: attempt, options: options))
    }

    /// Creates a request that a chain sends, which was called at this time.
    package init(
        method: HttpMethod, url: URL, headers: HttpHeaders, options: RequestOptions, madeAt: LogicalTime?
    ) {
        storage = CopyOnWrite(
            Members(
                method: method, url: url, headers: headers, body: .empty, attempt: 1, options: options, madeAt: madeAt))
    }
}

extension HttpRequest {
    /// Unavailable: names the property.
    @available(*, unavailable, message: "write request.url.path(percentEncoded: true), which is sent, or url.path")
    public var path: String { url.path }
}

extension HttpRequest {
    package var isHttps: Bool {
        Origin(url).isHttps
    }

    /// Whether a server may get the request twice: its method and headers allow it, and its body can still be sent.
    package var mayBeSentTwice: Bool { method.mayRepeat(with: headers) && body.canBeSent }

    /// Whether the request asks the server for a 100 (Continue) before its body (RFC 9110 §10.1.1).
    package var expectsContinue: Bool { headers["Expect"]?.lowercased().contains("100-continue") == true }

    /// Adds an `Idempotency-Key`, unless the method is idempotent or the request has one.
    ///
    /// The value is a random UUID as a string of RFC 9651, which is quoted (draft-ietf-httpapi-idempotency-key-header-07
    /// §2.1). Servers that take any text, such as Stripe's, take the quotes for a part of the key.
    package mutating func addIdempotencyKey() {
        guard !method.mayRepeat(with: headers) else { return }
        headers["Idempotency-Key"] = "\"\(UUID().uuidString.lowercased())\""
    }
}

/// The options of one request, beyond the configuration of its sender.
public struct RequestOptions: Sendable {
    /// Called with the progress of the transfer, in bytes.
    ///
    /// - Thread: that of the libcurl sender, or the delegate queue of the URLSession sender, whatever the chain's
    ///   setting for callbacks is. The closure must return quickly and update its user interface elsewhere, such as on
    ///   the main actor.
    /// - Rate: at most twenty times a second while bytes move, and once at the completion of each exchange with a
    ///   server. So a redirect or a retry restarts at zero.
    public var onProgress: (@Sendable (TransferProgress) -> Void)?
    /// The time limit of the whole request; nil for that of the sender's configuration.
    public var timeout: Duration?
    /// The longest time without a byte in either direction; zero for no limit, nil for that of the sender's configuration.
    public var stallTimeout: Duration?
    /// How much of the request's timeout was spent before the sender got it: ``timeout`` is the rest.
    package var spentTime = Duration.zero
    /// Headers for the request's origin only: see ``OriginSecrets``.
    package var secretHeaders: Set<String> = []
    /// Whether the request must not use an existing connection: on one like it, the request was lost before.
    package var needsNewConnection = false
    /// Whether `timeout` and `stallTimeout` end when the head of the response has arrived, because the body is a stream of
    /// values, with pauses of any length. Only for ``BodyDestination/stream``.
    package var limitsHeadOnly = false
    /// Whether a server chose the URL, at another origin than that of its own response: no client certificate is shown.
    package var isLinkToOtherOrigin = false
    /// Whether a request whose method isn't idempotent gets an `Idempotency-Key`.
    package var isRepeatable = false
    /// Records each exchange with a server; nil without a recorder.
    package var hopLog: HopLog?
    /// Decode the bodies of error responses. A chain sets those of its client.
    package var coders = ResponseCoders()

    /// Whether the chain accepts the status of a success; nil for each of them.
    package var acceptsSuccess: (@Sendable (Int) -> Bool)?

    /// How the request's secrets are masked in its description, errors, HAR files and curl commands. A chain adds the
    /// names of its `log(redaction:)`.
    public var redaction = Redaction.standard

    /// Whether the request's client is known to have no cache.
    package var lacksCache = false

    /// How the request uses the cache of its client, if there is one.
    public var cacheMode = CacheMode.standard

    /// Where the body of a successful response goes.
    public var destination: BodyDestination

    #if os(Linux)
    /// The absolute path of a Unix domain socket that the request is sent to, instead of its URL's host; at most 107
    /// bytes. nil, the default, for TCP.
    ///
    /// The URL's host then only names the `Host` header, and no proxy is used. A redirect to another origin, and all
    /// hops after it, use TCP. Each request has a connection of its own. Only `CurlRequestSender` can send it.
    public var unixSocket: String?
    #endif

    /// Creates options with the sender's defaults.
    public init(
        timeout: Duration? = nil, destination: BodyDestination = .memory,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.destination = destination
        self.timeout = timeout
        self.onProgress = onProgress
    }
}

extension RequestOptions {
    /// Whether the body of a response with this status goes to the ``destination``. Any other is in memory, so that an error
    /// keeps it, and neither an open stream nor the place of the caller's file.
    package func hasDestination(_ status: Int) -> Bool {
        (200..<300).contains(status) && acceptsSuccess?(status) ?? true
    }

    /// Adds the options of a chain to those of a request that was made without them. What these set stays.
    package mutating func add(_ chain: RequestOptions) {
        onProgress = onProgress ?? chain.onProgress
        timeout = timeout ?? chain.timeout
        stallTimeout = stallTimeout ?? chain.stallTimeout
        spentTime = max(spentTime, chain.spentTime)
        secretHeaders.formUnion(chain.secretHeaders)
        needsNewConnection = needsNewConnection || chain.needsNewConnection
        hopLog = hopLog ?? chain.hopLog
        limitsHeadOnly = limitsHeadOnly || chain.limitsHeadOnly
        isRepeatable = isRepeatable || chain.isRepeatable
        isLinkToOtherOrigin = isLinkToOtherOrigin || chain.isLinkToOtherOrigin
        coders = chain.coders
        acceptsSuccess = acceptsSuccess ?? chain.acceptsSuccess
        if !redaction.isOff { redaction = chain.redaction.merging(redaction) }
        if cacheMode == .standard { cacheMode = chain.cacheMode }
        lacksCache = lacksCache || chain.lacksCache
        if case .memory = destination { destination = chain.destination }
        #if os(Linux)
        unixSocket = unixSocket ?? chain.unixSocket
        #endif
    }
}

/// The progress of a transfer. Sizes are bytes of the message body as transferred.
public struct TransferProgress: Equatable, Sendable {
    /// Bytes of the body sent so far.
    public var sent: Int64
    /// Bytes of the body to send; nil when not known.
    public var totalToSend: Int64?
    /// Bytes of the response body received so far. In a download to a file, the body of an error response isn't
    /// counted.
    public var received: Int64
    /// Bytes of the response body to receive; nil when the server doesn't announce them.
    public var totalToReceive: Int64?

    /// Bytes of the file that earlier attempts left, where a download is resumed. `received` and `totalToReceive` don't
    /// include them. They are reported from the first call on, and become 0 when the server sends the whole file.
    public var alreadyReceived: Int64

    /// How much of the request body was sent, from 0 to 1; nil when its size isn't known.
    public var fractionSent: Double? {
        guard let totalToSend, totalToSend >= sent, sent >= 0 else { return nil }
        return totalToSend > 0 ? Double(sent) / Double(totalToSend) : 1
    }

    /// How much of the response body is there, from 0 to 1, with what earlier attempts left; nil when the server doesn't
    /// announce its size.
    public var fractionReceived: Double? {
        guard let totalToReceive, totalToReceive >= received, received >= 0 else { return nil }
        let total = Double(alreadyReceived) + Double(totalToReceive)
        return total > 0 ? (Double(alreadyReceived) + Double(received)) / total : 1
    }

    /// Creates a progress.
    public init(
        sent: Int64, totalToSend: Int64?, received: Int64, totalToReceive: Int64?, alreadyReceived: Int64 = 0
    ) {
        self.sent = sent
        self.totalToSend = totalToSend
        self.received = received
        self.totalToReceive = totalToReceive
        self.alreadyReceived = alreadyReceived
    }
}

extension HttpRequest: MaskedValue {
    /// Method, URL and the body's size, with secrets masked.
    public var description: String {
        line(options.redaction)
    }
}
