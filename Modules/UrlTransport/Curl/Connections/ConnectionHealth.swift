#if os(Linux)
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
    /// - with its multi handle (``MultiHandles/removeUnused()``), at the latest at the end of the loop's thread.
    ///
    /// The table shuts it down after `idleTimeout`, before a request if its server is about to close it, or over HTTP/1 has
    /// sent something, and when the network has changed.
    case idle
    /// A request timed out or was canceled after a silence, or failed before any byte was received
    /// (``Connection/didEnd(_:sent:now:)``), or the network has changed since. No request is sent over it before a byte
    /// is received.
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
