#if os(Linux)
/// A connection of an event loop, from the opening of its socket to its close. Used by the loop's thread alone.
final class Connection {
    /// The addresses that libcurl reports for the connection of a request.
    struct Addresses: Hashable {
        let remote: String
        let remotePort: Int32
        let localPort: Int32

        /// Hashes the local port alone, because nearly every connection has its own.
        func hash(into hasher: inout Hasher) {
            hasher.combine(localPort)
        }
    }

    /// The socket's descriptor. Another connection may have it after the close.
    let socket: Int32
    /// The part of the hop that it was opened for.
    let part: Pool.Part?
    /// Whether the ``StreamAdmission`` of ``part`` counts it: a request was sent over it that might share it with others.
    var isCounted = false
    /// nil until libcurl has reported them.
    var addresses: Addresses?
    /// Whether an HTTP/1 response was received; nil before the first response. It stays true: a server may write
    /// another version into a later one.
    private(set) var isHttp1: Bool?
    /// Whether the response to the last request was received wholly.
    var lastResponseIsWhole = false
    /// When the last bytes of a response were received.
    private(set) var lastReceived: Moment?
    /// The last stream that the server processes, once it has sent GOAWAY without an error, or with HTTP_1_1_REQUIRED.
    private(set) var lastStream: Int?
    /// Whether the server has sent GOAWAY with an error.
    private(set) var hasGoAwayError = false
    /// Whether the server has sent GOAWAY with HTTP_1_1_REQUIRED.
    private(set) var requiresHttp1 = false
    /// How long the server lets the connection be idle, where it says so.
    private var keepAlive: Duration?
    /// When the last request over the connection ended.
    private var lastEnd: Moment?
    var health = ConnectionHealth.connecting
    /// Whether libcurl has closed the socket.
    var isClosed = false

    init(socket: Int32, for part: Pool.Part? = nil) {
        self.socket = socket
        self.part = part
    }

    /// The requests in progress on a busy connection that isn't known to be HTTP/1; 1 for any other connection.
    var streams: Int {
        if isHttp1 != true, case .busy(let requests) = health { requests } else { 1 }
    }

    func didReceiveStatusLine(isHttp1: Bool) {
        if self.isHttp1 != true { self.isHttp1 = isHttp1 }
        didReceive()
    }

    func didReceiveKeepAlive(seconds: Int64) {
        keepAlive = .seconds(min(seconds, 1 << 32))
    }

    /// Whether the server closes the connection soon, or has done so, because it was idle for as long as the server
    /// announced: within a second, or half of a shorter time.
    func isPastKeepAlive(_ now: @autoclosure () -> Moment = .now) -> Bool {
        guard let keepAlive, let lastEnd else { return false }
        return lastEnd.duration(to: now()) >= keepAlive - min(.seconds(1), keepAlive / 2)
    }

    func didReceive(_ now: Moment = .now) {
        lastReceived = now
        health.didReceive()
    }

    /// Records a GOAWAY. A server may send several, with falling numbers (RFC 9113 §6.8).
    func didReceiveGoAway(lastStream: Int, _ reason: LibcurlWorkarounds.GoAwayReason) {
        switch reason {
        case .error: return hasGoAwayError = true
        case .requiresHttp1: requiresHttp1 = true
        case .shutdown: break
        }
        self.lastStream = min(self.lastStream ?? lastStream, lastStream)
    }

    enum RequestEnd {
        /// The next hop or the response follows.
        case ended
        case failed
        case timedOut
        case canceled
    }

    /// A request that ends after so long without a byte makes the connection suspect. Callers cancel sooner for reasons of
    /// their own.
    private static let suspiciousSilence = Duration.seconds(1)

    /// Records the completion of a request. A short timeout needs no second of silence: half of the request's time is
    /// enough.
    func didEnd(_ end: RequestEnd, sent: Moment, now: Moment = .now) {
        let silence = max(sent, lastReceived ?? sent).duration(to: now)
        let isSilent =
            switch end {
            case .ended: false
            // libcurl keeps a connection whose server has reset it before the request was written.
            case .failed: lastReceived == nil
            case .timedOut: silence >= min(Self.suspiciousSilence, sent.duration(to: now) / 2)
            case .canceled: silence >= Self.suspiciousSilence
            }
        health.didEnd(isSilent: isSilent)
        lastEnd = now
    }

    /// Since when it is idle; nil if it isn't.
    var idleSince: Moment? { health == .idle ? lastEnd : nil }
}
#endif
