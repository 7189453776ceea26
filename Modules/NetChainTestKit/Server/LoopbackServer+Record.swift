/// What the server has seen.
extension LoopbackServer {
    /// The complete requests, in the order of their arrival, up to the record's limit. A request is here before its
    /// answer is on the way.
    public var requests: [LoopbackRequest] {
        core.withState { $0.requests }
    }

    /// Requests whose head came and whose body did not come whole: the client closed, or an upload rule cut it off.
    public var incompleteRequests: [LoopbackRequest] {
        core.withState { $0.incompleteRequests }
    }

    /// The counts of this moment.
    public var counts: LoopbackCounts {
        core.withState { $0.counts }
    }

    /// The numbers of the connections that are open, in the order in which they were accepted.
    public var openConnections: [Int] {
        core.withState { $0.openConnections.sorted() }
    }

    /// How many complete requests came for a path, which may be a pattern like a route's.
    public func requestCount(_ path: String = "*", method: LoopbackMethod = .any) -> Int {
        let pattern = RoutePattern(path)
        return core.withState { $0.requestCount(method, pattern) }
    }

    /// The complete requests for a path, which may be a pattern like a route's, in the order of their arrival.
    public func requests(_ path: String, method: LoopbackMethod = .any) -> [LoopbackRequest] {
        let pattern = RoutePattern(path)
        return requests.filter { $0.isMeant(by: method, pattern) }
    }

    /// Forgets the requests that were kept; the counts go on.
    public func forgetRequests() {
        core.withState { state in
            state.requests = []
            state.incompleteRequests = []
        }
    }
}
