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
    /// Whether the server speaks HTTP/1; nil before the first response. Once true it stays true, because a later status line
    /// may name another version.
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

    /// Whether a request may be sent over the connection that libcurl has chosen.
    enum Check: Equatable {
        case send
        /// The connection is unusable: the request needs a new one.
        case reconnect
        /// The server closed a new connection before the first request.
        case closed
        /// The server of a new connection sent something before the first request.
        case unsolicitedData
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

    /// Since when it has no request; nil if it has one.
    var idleSince: Moment? { health == .idle || health == .suspect(requests: 0) ? lastEnd : nil }
}

/// The state machine of a connection's health. It has no I/O: ``Connection`` reports events to it, and
/// ``ConnectionTable`` does what it returns.
enum ConnectionHealth: Equatable {
    /// Its socket is opened.
    case connecting
    /// A request was sent over it.
    case busy(requests: Int)
    /// The last of its requests has completed.
    ///
    /// libcurl closes it:
    /// - when a later request looks for a connection, and it is older than `idleTimeout` or `lifetime`, its server has
    ///   closed it, or the table has shut it down;
    /// - when a request ends while more than `maxIdle` are idle (``Pools/takeConnectionLimit(of:)``);
    /// - when its request ends, if `maxIdle` is 0 or the connection is used once (``HopPlan/usesConnectionOnce``);
    /// - over HTTP/1, when a request ends before its response: it was canceled, or has failed. Over HTTP/2 only its stream is
    ///   reset;
    /// - with its multi handle (``MultiHandles/removeUnused()``), at the latest at the end of the loop's thread.
    ///
    /// The table shuts it down after `idleTimeout`, before a request if its server is about to close it, or over HTTP/1 has
    /// sent something, and when the network has changed.
    case idle
    /// A request timed out or was canceled after a silence, or failed before any byte was received
    /// (``Connection/didEnd(_:sent:now:)``), or the network has changed since. No request is sent over it before a byte
    /// is received. Without requests, the table shuts it down after `idleTimeout`.
    case suspect(requests: Int)
    /// It gets no further request.
    case closing

    /// What to do before a request is sent.
    enum Decision: Equatable {
        case send
        /// The connection is checked first: unsolicited data since the last response makes it unusable.
        case check
        /// The request needs a new connection. This one is shut down if it has no request.
        case avoid(shutsDown: Bool)
    }

    /// Decides about a request that is about to be sent.
    ///
    /// - Parameters:
    ///   - isHttp1: whether the connection is known to be HTTP/1, so that it has one request at a time.
    ///   - lastResponseIsWhole: whether the response to its last request was received. libcurl may send the next request
    ///     before it reports the completion of the last one.
    ///   - isExpired: whether the server is about to close the connection if it is idle.
    mutating func willSend(isHttp1: Bool, lastResponseIsWhole: Bool, isExpired: Bool) -> Decision {
        switch self {
        case .idle where isExpired:
            self = .closing
            return .avoid(shutsDown: true)
        case .connecting:
            self = .busy(requests: 1)
            return .send
        case .idle:
            self = .busy(requests: 1)
            return isHttp1 ? .check : .send
        case .busy where isHttp1 && !lastResponseIsWhole: return .avoid(shutsDown: false)
        case .busy(let requests):
            self = .busy(requests: requests + 1)
            return isHttp1 ? .check : .send
        case .suspect(let requests):
            if requests == 0 { self = .closing }
            return .avoid(shutsDown: requests == 0)
        case .closing: return .avoid(shutsDown: false)
        }
    }

    /// Records that the network has changed, so that the connection may be dead. Returns whether it is shut down.
    mutating func networkDidChange() -> Bool {
        switch self {
        case .busy(let requests): self = .suspect(requests: requests)
        case .idle:
            self = .closing
            return true
        case .connecting, .suspect, .closing: break
        }
        return false
    }

    mutating func didReceive() {
        if case .suspect(let requests) = self { self = requests == 0 ? .idle : .busy(requests: requests) }
    }

    /// Records the completion of a request that was sent.
    ///
    /// - Parameter isSilent: whether it timed out or was canceled after a long silence, or failed on a connection that
    ///   has received nothing.
    mutating func didEnd(isSilent: Bool) {
        switch self {
        case .connecting, .idle, .closing: break
        case .busy(let requests) where isSilent: self = .suspect(requests: requests - 1)
        case .busy(let requests): self = requests == 1 ? .idle : .busy(requests: requests - 1)
        case .suspect(let requests): self = .suspect(requests: max(0, requests - 1))
        }
    }
}
#endif
