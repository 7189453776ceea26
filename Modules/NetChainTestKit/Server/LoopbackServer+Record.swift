import HttpMessages

/// The server's record of connections and requests.
extension LoopbackServer {
    /// The complete requests, in the order of their arrival, up to the record's limit. A request is recorded before its
    /// response is sent.
    public var requests: [LoopbackRequest] {
        core.withState { $0.requests }
    }

    /// Requests with a complete head and an incomplete body: the client closed the connection, or an upload rule cut
    /// the body off.
    package var incompleteRequests: [LoopbackRequest] {
        core.withState { $0.incompleteRequests }
    }

    package var counts: LoopbackCounts {
        core.withState { $0.counts }
    }

    /// The numbers of the connections that are open, in the order in which they were accepted.
    package var openConnections: [Int] {
        core.withState { $0.openConnections.sorted() }
    }

    /// The number of complete requests for a path, which may be a pattern like a route's.
    public func requestCount(_ path: String = "*", method: HttpMethod = .any) -> Int {
        let pattern = RoutePattern(path)
        return core.withState { $0.requestCount(method, pattern) }
    }

    /// The complete requests for a path, which may be a pattern like a route's, in the order of their arrival.
    public func requests(_ path: String, method: HttpMethod = .any) -> [LoopbackRequest] {
        let pattern = RoutePattern(path)
        return requests.filter { $0.isMeant(by: method, pattern) }
    }

    /// Removes the recorded requests. The counts continue.
    package func forgetRequests() {
        core.withState { state in
            state.requests = []
            state.incompleteRequests = []
        }
    }
}
