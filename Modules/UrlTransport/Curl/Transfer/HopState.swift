#if os(Linux)
import NodeCore

/// What belongs to one exchange with a server. A redirect and a second sending begin with a new one.
struct HopState {
    /// The request itself, or what a redirect made of it.
    var request: HttpRequest
    let isHttps: Bool
    var phase = TransferPhase()
    var requestBody: RequestBodyReader
    /// The fields of the last head.
    var headers = HeaderBlock()
    /// What takes the body, once the final head was received.
    var responseBody: ResponseBody?
    var connection = HopConnection()
    var times = HopTimes()
    /// Whether this is the second sending, after a connection broke.
    var isSecondSending = false
    /// Whether the server has announced the end of its data (close_notify, RFC 8446 §6.1).
    var hasCloseNotify = false
    /// What a recorder wants to know; nil without one.
    var trace: HopTrace?

    /// - Parameter run: the run that sends the request.
    init(_ request: HttpRequest, isHttps: Bool, run: Run?, recorder: HopLog?) {
        self.request = request
        self.isHttps = isHttps
        requestBody = RequestBodyReader(request.body, run: run)
        trace = HopTrace(recorder)
    }

    /// Whether libcurl has to send a body, which may be of zero bytes: these methods expect one (RFC 9110 §8.6).
    var hasBody: Bool {
        !request.body.isEmpty || request.method == .post || request.method == .put || request.method == .patch
    }

    /// Whether the response may have a body that goes to the request's destination.
    var isSuccess: Bool { (200..<300).contains(phase.status) }
}

/// The connection of a hop.
struct HopConnection {
    /// The connection that the request was sent over, as far as it is known.
    var used: Connection?
    /// The socket that was opened last for this hop.
    var openedSocket: Int32?
    /// The server's address.
    var remoteAddress: String?
    /// Whether the hop must not use an existing connection.
    var needsNew = false
}

/// When things of a hop happened.
struct HopTimes {
    /// When libcurl got the hop.
    var start = Moment.now
    /// When libcurl began to send the request.
    var sent: Moment?
    /// When the first byte of the response was received.
    var firstByte: Moment?
    /// When the progress was reported last.
    var lastProgress: Moment?
}
#endif
