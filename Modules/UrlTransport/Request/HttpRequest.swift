public import Logging
public import NodeCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An HTTP request: what the request-building nodes leave, and what a ``RequestSender`` gets.
///
/// What is added for one sending only, as an access token, is added in ``RequestCreatorNode``; before it, the request
/// can be sent again.
public struct HttpRequest: AdmissionCarrying {
    private struct Members: Sendable {
        var method: HttpMethod
        var url: URL
        var headers: HttpHeaders
        var body: RequestBody
        var attempt: Int
        var options: RequestOptions
        var admissions: [any Admission] = []
    }

    private var storage: CopyOnWrite<Members>

    /// The method.
    public var method: HttpMethod {
        get { storage.members.method }
        _modify { yield &storage.members.method }
    }

    /// Where it goes, query included. A `?` without a query is left out by libcurl 8.8 and newer.
    public var url: URL {
        get { storage.members.url }
        _modify { yield &storage.members.url }
    }

    /// The headers; behind ``RequestCreatorNode`` those of the metadata providers included.
    public var headers: HttpHeaders {
        get { storage.members.headers }
        _modify { yield &storage.members.headers }
    }

    /// The body.
    public var body: RequestBody {
        get { storage.members.body }
        _modify { yield &storage.members.body }
    }

    /// Which sending of the same request this is, counted from 1.
    public var attempt: Int {
        get { storage.members.attempt }
        _modify { yield &storage.members.attempt }
    }

    /// What is asked of the sender for this request; set by ``RequestCreatorNode``.
    public var options: RequestOptions {
        get { storage.members.options }
        _modify { yield &storage.members.options }
    }

    /// What the gates gave that admitted the request.
    package var admissions: [any Admission] {
        get { storage.members.admissions }
        _modify { yield &storage.members.admissions }
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
}

/// What one request asks of its sender beyond the sender's own configuration.
public struct RequestOptions: Sendable {
    /// Called with how far the transfer is, in bytes: on the thread of the libcurl sender, or the delegate queue of the
    /// URLSession sender, and never where callbacks are called; at most twenty times a second while
    /// something moves, and once more at the end of each exchange with a server, so that a redirect or a retry begins at
    /// zero again. It must return quickly, and do what it shows elsewhere, as on the main actor.
    public var onProgress: (@Sendable (TransferProgress) -> Void)?
    /// How long the whole request may take; nil leaves it to the sender's configuration.
    public var timeout: Duration?
    /// How long no byte may move in either direction; nil leaves it to the sender's configuration.
    public var stallTimeout: Duration?
    /// Headers that are for the request's origin only, besides those of the sender's configuration.
    package var secretHeaders: Set<String> = []
    /// What records each exchange with a server; nil for nothing.
    package var hops: HopLog?

    /// How the request's secrets are masked wherever it is described: in errors, HAR files, curl commands and its own
    /// description. A chain adds the names of its `log(redaction:)`.
    public var redaction = Redaction.standard

    /// Where the body of a successful answer goes.
    public var destination: BodyDestination

    /// Creates options that ask for nothing.
    public init(
        timeout: Duration? = nil, destination: BodyDestination = .memory,
        onProgress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.destination = destination
        self.timeout = timeout
        self.onProgress = onProgress
    }
}

/// How far a transfer is. Sizes are in bytes of the message body as they travel.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes of the body sent so far.
    public var sent: Int64
    /// Bytes of the body to send, nil when not known.
    public var totalToSend: Int64?
    /// Bytes of the answer's body received so far. In a download to a file the body of a refusal doesn't count.
    public var received: Int64
    /// Bytes of the answer's body to receive, nil when the server doesn't tell.
    public var totalToReceive: Int64?

    /// Bytes of a file that earlier attempts have left, where a download is resumed; the two above don't count them. They
    /// are reported from the first call on, and become 0 when the server sends the whole file.
    public var alreadyReceived: Int64

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
    /// Method, URL and the body's size; secrets masked.
    public var description: String {
        line(options.redaction)
    }
}
