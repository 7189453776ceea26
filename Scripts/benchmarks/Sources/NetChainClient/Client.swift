import ClientSupport
import Glibc
import NetChainKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends one kind of request, over and over.
final class Client: Sendable {
    /// A way to send one request.
    private struct Use: Sendable {
        /// Sends it and tells the listener whether all went well.
        let start: @Sendable (_ listener: @escaping @Sendable (Bool) -> Void) -> Void
        let awaitOne: @Sendable () async throws -> Void
    }

    /// What is measured.
    enum Part {
        case sender, chain, chainWithoutQueues
        /// A chain for each request: by a builder, by `ApiClient`, and by `ApiClient` with a middleware or a node.
        case builder, apiClient, middleware, node
    }

    let sender: CurlRequestSender
    private let arguments: ClientArguments
    /// One for each origin.
    private let uses: [Use]
    private let turn = Atomic(0)

    init(_ arguments: ClientArguments, uses part: Part) throws {
        self.arguments = arguments
        var configuration = CurlRequestSender.Configuration()
        configuration.httpVersion = arguments.usesHttp2 ? .automatic : .http1
        configuration.limits.requestsPerOrigin = max(64, arguments.concurrency, arguments.idle + 1)
        configuration.connections.maxIdle = arguments.kept > 0 ? arguments.kept : max(64, arguments.concurrency)
        configuration.threads = arguments.loops
        if let authorities = arguments.authorities {
            configuration.tls.trustRoots = .file(URL(filePath: authorities))
        }
        if arguments.work == .connect { configuration.connections.maxIdle = 0 }
        let sender = try CurlRequestSender(configuration: configuration)
        self.sender = sender
        if [.builder, .apiClient, .middleware, .node].contains(part), arguments.model != .user {
            throw ClientArguments.Invalid(argument: "model=\(arguments.model)")
        }
        uses = try arguments.urls().map { url in
            if part == .sender { return Self.use(sender, Self.request(to: url, arguments)) }
            switch part {
            case .apiClient: return try Self.use(of: url) { $0.sender = sender }
            case .middleware:
                return try Self.use(of: url) {
                    $0.sender = sender
                    $0.add(Mark())
                }
            case .node:
                return try Self.use(of: url, change: { $0.insert(at: .attempt) { MarkNode(next: $0) } }) {
                    $0.sender = sender
                }
            case .builder:
                let route = PathRoute(base: url.deletingLastPathComponent(), path: url.lastPathComponent)
                return Use { _ in
                    fail("builder is measured with await")
                } awaitOne: {
                    let builder = UrlChainsBuilder<PathRoute>().route(.get, route).sender(sender)
                    _ = try await (builder.build() as Node<Void, User>).execute()
                }
            default: break
            }
            let builder = UrlChainsBuilder<URL>().route(.get, url).sender(sender)
            if part == .chainWithoutQueues { _ = builder.run(on: .concurrent, callbacks: .concurrent) }
            switch (arguments.work, arguments.model) {
            case (.memory, _): return Self.use(builder.loadData())
            case (.get, .user): return Self.use(builder.build() as Node<Void, User>)
            case (.get, .users): return Self.use(builder.build() as Node<Void, [User]>)
            default: throw ClientArguments.Invalid(argument: "work=\(arguments.work)")
            }
        }
    }

    private static func request(to url: URL, _ arguments: ClientArguments) -> HttpRequest {
        var request = HttpRequest(method: .get, url: url)
        switch arguments.work {
        case .upload:
            request.method = .put
            request.body = .data(Data(repeating: 0x78, count: arguments.size))
        case .file: request.options.destination = .file(URL(filePath: arguments.file))
        default: break
        }
        return request
    }

    private static func use(_ sender: CurlRequestSender, _ request: HttpRequest) -> Use {
        Use(
            start: { listener in
                Observer { try await sender.send(request) }
                    .onSettled { listener(($0.value?.statusCode ?? 0) / 100 == 2) }
            },
            awaitOne: {
                guard try await sender.send(request).statusCode / 100 == 2 else { throw Failed() }
            })
    }

    private static func use<Output>(_ node: Node<Void, Output>) -> Use {
        Use(
            start: { listener in node.process().onSettled { listener($0.value != nil) } },
            awaitOne: { _ = try await node.execute() })
    }

    /// Builds a chain for each request, as `ApiClient` does.
    private static func use(
        of url: URL, change: (ApiClient) -> ApiClient = { $0 }, _ configure: (inout RequestSettings) -> Void
    ) throws -> Use {
        guard let base = URL(string: "/", relativeTo: url)?.absoluteURL else { throw Failed() }
        let api = change(ApiClient(base, configure))
        let path = url.path
        return Use(
            start: { listener in api.get(path).chain(as: User.self).process().onSettled { listener($0.value != nil) } },
            awaitOne: { _ = try await api.get(path).send(as: User.self) })
    }

    /// The place of the next request's origin.
    private var next: Int {
        uses.count > 1 ? turn.add(1, ordering: .relaxed).newValue % uses.count : 0
    }

    func request() async throws {
        try await uses[next].awaitOne()
    }

    /// Starts requests that get no answer, and waits until all have arrived.
    func startIdleRequests() async throws {
        guard let hold = URL(string: arguments.idleUrl + "/hold"),
            let ready = URL(string: arguments.idleUrl + "/ready")
        else { return }
        for _ in 0..<arguments.idle { Task { [sender] in try await sender.send(HttpRequest(method: .get, url: hold)) } }
        _ = try await sender.send(HttpRequest(method: .get, url: ready))
    }

    /// Each answer's listener sends the next request.
    func runCallbacks() {
        let meter = Meter(arguments)
        for _ in 0..<arguments.concurrency { Chain(self, meter).next() }
        meter.wait()
        meter.report()
    }

    /// A worker of callbacks: it has one request in progress, so no two threads use it at a time.
    private final class Chain: @unchecked Sendable {
        let client: Client
        let worker: Meter.Worker

        init(_ client: Client, _ meter: Meter) {
            self.client = client
            worker = Meter.Worker(meter)
        }

        func next() {
            client.uses[client.next].start { [self] isDone in
                guard isDone else { fail("A request failed.") }
                if worker.next() { next() }
            }
        }
    }
}

/// A route of a builder, as in the documentation.
private struct PathRoute: UrlRouteProvider {
    let base: URL
    let path: String

    func url() throws -> URL {
        try Optional(base) + path
    }
}

/// Adds a header to each attempt, as middleware.
private struct Mark: ClientMiddleware {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.headers["X-Mark"] = "1"
        return try await next(request)
    }
}

/// Adds a header to each attempt, as a node.
private final class MarkNode: Node<HttpRequest, HttpResponse> {
    private let next: Node<HttpRequest, HttpResponse>

    init(next: Node<HttpRequest, HttpResponse>) {
        self.next = next
    }

    override func execute(_ data: HttpRequest) async throws -> HttpResponse {
        var request = data
        request.headers["X-Mark"] = "1"
        return try await next.execute(request)
    }
}
