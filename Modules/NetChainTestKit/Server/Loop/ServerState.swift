import HttpMessages
import NodeCore

/// The state that the loop's thread, the handlers and the tests share. ``ServerCore``'s mutex protects it.
struct ServerState {
    /// The progress of a request whose response is not complete.
    enum ResponseProgress {
        case waiting
        case streaming(isChunked: Bool)
        case ending
    }

    struct Exchange {
        let connection: Int
        var progress = ResponseProgress.waiting
    }

    struct Endpoint: Hashable {
        let method: HttpMethod
        let path: String
    }

    var routes: [Route] = []
    var uploadRoutes: [UploadRoute] = []
    var connectRules: [LoopbackConnectRule] = []
    var requests: [LoopbackRequest] = []
    var incompleteRequests: [LoopbackRequest] = []
    var recordLimit: Int
    var counts = LoopbackCounts()
    var countsByEndpoint: [Endpoint: Int] = [:]
    var openConnections: Set<Int> = []
    var exchanges: [Int: Exchange] = [:]
    var unclaimed: [LoopbackExchange] = []
    var waiters: [Int: Waiter] = [:]
    /// Waiters that were settled directly, and are resumed after unlocking.
    var settled: [(Waiter, Waiter.Result)] = []
    var commands: [LoopCommand] = []
    var isWakeSent = false
    var isStopped = false
    private var lastID = 0

    init(recordLimit: Int) {
        self.recordLimit = recordLimit
    }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a route, which takes precedence over the others. Removes and returns one with the same method and path.
    mutating func add(_ route: Route) -> Route? {
        let index = routes.firstIndex { $0.method == route.method && $0.pattern == route.pattern }
        let old = index.map { routes.remove(at: $0) }
        routes.append(route)
        return old
    }

    mutating func note(_ traffic: Traffic) {
        counts.bytesReceived += traffic.received
        counts.bytesSent += traffic.sent
    }

    /// Records a complete request and returns the responder of its route; where there is none, a text that says so.
    mutating func record(
        _ received: LoopbackRequest
    ) -> (request: LoopbackRequest, exchange: Int, responder: Route.Responder, missingRoute: String?) {
        var request = received
        let path = request.path
        let parts = RoutePattern.parts(of: path)
        var responder: Route.Responder?
        for index in routes.indices.reversed() where routes[index].method.covers(request.method) {
            if let parameters = routes[index].pattern.match(parts) {
                request.parameters = parameters
                responder = routes[index].responder.take()
                break
            }
        }
        if requests.count < recordLimit { requests.append(request) }
        counts.requests += 1
        counts.requestsInProgress += 1
        counts.requestsInProgressAtMost = max(counts.requestsInProgressAtMost, counts.requestsInProgress)
        countsByEndpoint[Endpoint(method: request.method, path: path), default: 0] += 1
        let exchange = newID()
        exchanges[exchange] = Exchange(connection: request.connectionID)
        if let responder { return (request, exchange, responder, nil) }
        let text = missingRoute(request.method, path)
        return (request, exchange, .fixed(.text(text, status: 404)), text)
    }

    private func missingRoute(_ method: HttpMethod, _ path: String) -> String {
        let known = routes.map { "\($0.method == .any ? "any method" : "\($0.method)") \($0.pattern.text)" }
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        return "No route for \(method) \(path). The server's routes: \(list)\n"
    }

    func uploadRule(for request: LoopbackRequest) -> LoopbackUploadRule? {
        guard !uploadRoutes.isEmpty else { return nil }
        let parts = RoutePattern.parts(of: request.path)
        return uploadRoutes.last { $0.method.covers(request.method) && $0.pattern.match(parts) != nil }?.rule
    }

    func requestCount(_ method: HttpMethod, _ pattern: RoutePattern) -> Int {
        if method == .any, pattern.text == "*" { return counts.requests }
        return countsByEndpoint.reduce(0) { sum, entry in
            let isMeant =
                method.covers(entry.key.method) && pattern.match(RoutePattern.parts(of: entry.key.path)) != nil
            return isMeant ? sum + entry.value : sum
        }
    }

    /// Keeps an exchange for the next waiter, in the order of the requests.
    mutating func hold(_ exchange: LoopbackExchange) {
        guard !isStopped, exchanges[exchange.id] != nil else { return }
        unclaimed.insert(exchange, at: unclaimed.firstIndex { $0.id > exchange.id } ?? unclaimed.endIndex)
    }

    /// Removes an exchange that has ended, with or without a response.
    /// - Returns: its handle, if no waiter has taken it.
    mutating func end(exchange: Int) -> LoopbackExchange? {
        guard exchanges.removeValue(forKey: exchange) != nil else { return nil }
        counts.requestsInProgress -= 1
        return unclaimed.firstIndex { $0.id == exchange }.map { unclaimed.remove(at: $0) }
    }

    /// Removes and returns the settled waiters, then those whose wish is fulfilled, the longest waiting first.
    mutating func takeSettledWaiters() -> [(Waiter, Waiter.Result)] {
        var settled = settled
        self.settled = []
        guard !waiters.isEmpty else { return settled }
        for id in waiters.keys.sorted() {
            guard let waiter = waiters[id], let result = outcome(of: waiter.wish) else { continue }
            waiters[id] = nil
            settled.append((waiter, result))
        }
        return settled
    }

    private mutating func outcome(of wish: Wish) -> Waiter.Result? {
        if case .exchange(let method, let pattern) = wish,
            let index = unclaimed.firstIndex(where: { $0.request.isMeant(by: method, pattern) })
        {
            return .success(unclaimed.remove(at: index))
        }
        let isTrue =
            switch wish {
            case .requests(let count, let method, let pattern): requestCount(method, pattern) >= count
            case .incompleteRequests(let count): incompleteRequests.count >= count
            case .openConnections(let count): counts.connectionsOpen == count
            case .acceptedConnections(let count): counts.connectionsAccepted >= count
            case .receivedBytes(let count): counts.bytesReceived >= count
            case .connectionEnd(let id): !openConnections.contains(id)
            case .exchange, .done: false
            }
        if isTrue { return .success(nil) }
        return isStopped ? .failure(LoopbackError(.stopped, "the server was stopped while waiting for \(wish)")) : nil
    }

    /// The counts and the last requests, for the message of a wait that timed out.
    var summary: String {
        let last = requests.suffix(5).map { "\($0.method) \($0.target)" }.joined(separator: ", ")
        return "\(counts.connectionsAccepted) connections were accepted, \(counts.connectionsOpen) are open, "
            + "\(counts.requests) requests came" + (last.isEmpty ? "" : ", the last: \(last)")
    }
}

extension LoopbackRequest {
    /// Whether the request has that method and a path that matches the pattern.
    func isMeant(by method: HttpMethod, _ pattern: RoutePattern) -> Bool {
        method.covers(self.method) && pattern.match(RoutePattern.parts(of: path)) != nil
    }
}

struct Waiter: Sendable {
    typealias Result = Swift.Result<LoopbackExchange?, any Error>

    let wish: Wish
    let context: Context<LoopbackExchange?>
}

/// The bytes that were transferred since the last report.
struct Traffic {
    var received = 0
    var sent = 0

    var isEmpty: Bool { received == 0 && sent == 0 }
}

/// The condition of a wait.
enum Wish: Sendable {
    case requests(count: Int, HttpMethod, RoutePattern)
    case incompleteRequests(Int)
    case openConnections(Int)
    case acceptedConnections(Int)
    case receivedBytes(Int)
    case exchange(HttpMethod, RoutePattern)
    case connectionEnd(Int)
    /// Settled by the loop, through a command with the waiter's number.
    case done(String)
}

extension Wish: CustomStringConvertible {
    var description: String {
        switch self {
        case .requests(let count, let method, let pattern): "\(count) requests for \(method) \(pattern.text)"
        case .incompleteRequests(let count): "\(count) requests that end early"
        case .openConnections(let count): "the number of open connections to be \(count)"
        case .acceptedConnections(let count): "\(count) accepted connections"
        case .receivedBytes(let count): "\(count) received bytes"
        case .exchange(let method, let pattern): "a held request for \(method) \(pattern.text)"
        case .connectionEnd(let id): "the end of connection \(id)"
        case .done(let what): what
        }
    }
}

/// A command of another thread to the loop's thread.
enum LoopCommand: Sendable {
    /// Adds pieces after those that are pending on a connection.
    case enqueue(connection: Int, [WirePiece])
    /// Fails the waiter at that time, if it still waits.
    case deadline(waiter: Int, ContinuousClock.Instant)
    /// Closes the connections that wait for a request, then resumes the waiter.
    case closeIdle(resetting: Bool, waiter: Int)
    /// Resumes reading on connections where an upload rule stopped it.
    case resumeReading
    /// Closes everything and ends the thread.
    case stop
}
