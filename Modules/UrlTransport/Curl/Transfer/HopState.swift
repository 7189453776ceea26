#if os(Linux)
import NodeCore

/// The state of one exchange with a server. A redirect and a second sending have a new one.
struct HopState {
    /// The caller's request, or the request that follows a redirect.
    var request: HttpRequest
    /// The server, as libcurl reads the request's URL.
    let origin: Origin
    var phase = HopPhase()
    var requestBody: RequestBodyReader
    /// The fields of the last head.
    var headers = HeaderBlock()
    /// Receives the body; nil before the final head.
    var responseBody: ResponseBody?
    var connection = HopConnection()
    var times = HopTimes()
    /// Whether the server has announced the end of its data (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false
    /// The trace for a recorder; nil without one.
    var trace: HopTrace?

    init(_ request: HttpRequest, run: Run?, recorder: HopLog?) {
        self.request = request
        origin = Origin(asLibcurlReads: request.url) ?? Origin(request.url)
        requestBody = RequestBodyReader(request.body, run: run)
        trace = HopTrace(recorder)
    }

    var isHttps: Bool { origin.isHttps }

    /// Whether libcurl has to send a body, which may be of zero bytes: these methods expect one (RFC 9110 §8.6).
    var hasBody: Bool {
        !request.body.isEmpty || request.method == .post || request.method == .put || request.method == .patch
    }

    /// Whether the status is 2xx, so that a body goes to the request's destination.
    var isSuccess: Bool { (200..<300).contains(phase.status) }
}

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
    /// Whether the hop must not use an existing connection.
    var needsNew = false

    /// Whether the server has said that it doesn't process the request's stream.
    var isExcluded: Bool {
        guard let stream, let last = used?.lastStream else { return false }
        return stream > last
    }
}

struct HopTimes {
    /// When the hop was passed to libcurl.
    var start = Moment.now
    var sendStart: Moment?
    var firstByte: Moment?
    var lastProgress: Moment?
}
#endif
