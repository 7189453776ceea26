#if os(Linux)
/// Decides how many requests to an origin may look for a connection at a time, so that HTTP/2 opens as many connections
/// as its streams need. A state machine without I/O.
///
/// libcurl opens a connection for each request that finds no free stream and waits for no connection that is being opened.
struct StreamAdmission: Equatable {
    /// What responses and connections have shown.
    enum Sharing: Equatable {
        case unknown
        /// Each request has a connection, as with HTTP/1, or no connection could be opened.
        case unshared
        /// A connection has this many streams, or more.
        case streams(Int)
    }

    /// libcurl uses this many streams of a connection before it knows the server's limit. A higher limit is used, but not
    /// relied on.
    private static let mostStreams = 100
    /// The most requests that look for free streams at a time: the server's limit may be lower than expected. With 16, a
    /// small request of 64 at a time costs 17 % more processor time.
    private static let mostStarting = 32

    private(set) var sharing = Sharing.unknown
    /// The origin's requests in the multi handle that may share a connection.
    private(set) var requests = 0
    /// Those of them that are not sent yet: they look for a connection, or wait for a new one.
    private(set) var starting = 0
    /// The connections over which a request was sent.
    private(set) var usedConnections = 0

    /// Whether another request may start.
    ///
    /// Before anything is known (no response, second connection or failure), one request at a time looks for a connection.
    /// When all streams are in use, at most as many connections are opened as exist, and no more than the waiting requests
    /// need.
    ///
    /// - Parameter waiting: the requests that wait, this one included.
    func mayStart(waiting: Int) -> Bool {
        guard case .streams(let limit) = sharing else { return sharing == .unshared || starting == 0 }
        let hasFreeStream = requests < usedConnections * limit
        let most = hasFreeStream ? Self.mostStarting : max(1, min(usedConnections, waiting / limit))
        return starting < most
    }

    /// A request starts, and looks for a connection.
    mutating func didStartSearch() {
        requests += 1
        starting += 1
    }

    /// libcurl has found no connection for a request, and opens one.
    mutating func didFindNoConnection() {
        let sent = requests - starting
        guard sent > 0, usedConnections > 0 else { return }
        switch sharing {
        case .unshared: break
        case .unknown where sent == usedConnections: sharing = .unshared
        // All streams are in use.
        case .unknown, .streams: sharing = .streams(min(Self.mostStreams, max(1, sent / usedConnections)))
        }
    }

    /// A request is sent.
    ///
    /// - Parameters:
    ///   - isFirst: whether it is the connection's first one.
    ///   - streams: the requests that are in progress on the connection, this one included.
    mutating func didStartSending(isFirst: Bool, streams: Int) {
        starting -= 1
        if isFirst { usedConnections += 1 }
        switch sharing {
        case .unshared where streams > 1: sharing = .streams(streams)
        case .streams(let limit): sharing = .streams(max(limit, min(Self.mostStreams, streams)))
        case .unshared, .unknown: break
        }
    }

    /// A response has begun.
    mutating func didReceive(isHttp1: Bool) {
        if isHttp1 {
            sharing = .unshared
        } else if sharing == .unknown || sharing == .unshared {
            sharing = .streams(Self.mostStreams)
        }
    }

    /// - Parameter hasFailed: whether it has failed by another cause than its time limit.
    mutating func didEnd(hasStartedSending: Bool, hasFailed: Bool) {
        requests -= 1
        guard !hasStartedSending else { return }
        starting -= 1
        // There may be no server. One at a time, the waiting requests would need its connect timeout one after the
        // other.
        if usedConnections == 0, hasFailed { sharing = .unshared }
    }

    /// A connection is closed over which a request was sent.
    mutating func didCloseConnection() {
        usedConnections -= 1
    }
}
#endif
